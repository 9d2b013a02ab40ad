package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// benchGrowth measures whether the time per value grows with the number of values, and the peak memory. It creates
// options with 10,000, 100,000 and 1,000,000 values. One edit of each option renames three tenths of the values,
// removes another three tenths, and adds as many new ones.
func benchGrowth(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	data, err := os.MkdirTemp(e.dir, "million-")
	if err != nil {
		return nil, err
	}
	keys, err := e.createStore(ctx, data)
	if err != nil {
		return nil, err
	}

	p, _, err := e.startProcess(ctx, data)
	if err != nil {
		return nil, err
	}

	s := &benchServer{url: p.api, keys: keys}
	rest, err := p.memoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}

	var figures []figure
	var smallCreate, smallEdit time.Duration
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		create, edit, err := createAndEdit(s, n)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, p.out.String())
		}

		perCreate, perEdit := create/time.Duration(n), edit/time.Duration(n)
		if n == 10_000 {
			smallCreate, smallEdit = perCreate, perEdit
			continue
		}

		figures = append(figures,
			figure{
				name: fmt.Sprintf("create %d values, against 10,000", n), engine: e.engine,
				ours: formatRate(n, create) + " values/s", raw: formatRate(10_000, smallCreate*10_000) + " values/s",
				ratio: smallCreate.Seconds() / perCreate.Seconds(),
			},
			figure{
				name: fmt.Sprintf("edit nine tenths of %d, against 10,000", n), engine: e.engine,
				ours: formatRate(n, edit) + " values/s", raw: formatRate(10_000, smallEdit*10_000) + " values/s",
				ratio: smallEdit.Seconds() / perEdit.Seconds(),
			},
		)
	}

	peak, err := p.memoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}
	if err := p.stop(); err != nil {
		return nil, err
	}

	return append(figures, figure{
		name: "memory, peak over all of that", engine: e.engine, ours: fmt.Sprintf("%.0f MiB", peak),
		raw: fmt.Sprintf("%.0f MiB at rest", rest), ratio: rest / peak,
	}), nil
}

func createAndEdit(s *benchServer, n int) (create, edit time.Duration, err error) {
	c := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	var option struct {
		Data struct {
			ID     string `json:"id"`
			Values []struct {
				ID string `json:"id"`
			} `json:"values"`
		} `json:"data"`
	}
	newOption := optionBody("Many", n)
	var body []byte
	create, err = measureTime(func() (err error) {
		body, err = s.do(c, "POST", "/v2/variant-options", newOption)
		return err
	})
	if err != nil {
		return 0, 0, err
	}

	if err := json.Unmarshal(body, &option); err != nil {
		return 0, 0, err
	}

	path := "/v2/variant-options/" + option.Data.ID
	if body, err = s.do(c, "GET", path+"?with=values", nil); err != nil {
		return 0, 0, err
	}
	if err := json.Unmarshal(body, &option); err != nil {
		return 0, 0, err
	}
	if len(option.Data.Values) != n {
		return 0, 0, fmt.Errorf("the response has %d of %d values", len(option.Data.Values), n)
	}

	part := n * 3 / 10
	var b strings.Builder
	b.WriteString(`{"removed_values":[`)
	for i, v := range option.Data.Values[:part] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + v.ID + `"`)
	}

	b.WriteString(`],"values":[`)
	for _, v := range option.Data.Values[part : 2*part] {
		b.WriteString(`{"id":"` + v.ID + `","name":"renamed"},`)
	}

	for i := range part {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":"added"}`)
	}

	b.WriteString(`]}`)
	edit, err = measureTime(func() error {
		_, err := s.do(c, "PUT", path, []byte(b.String()))
		return err
	})
	return create, edit, err
}
