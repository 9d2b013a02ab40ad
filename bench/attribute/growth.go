package attribute

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
)

// Growth measures whether the time per value grows with the number of values, and the peak memory. It creates
// options with 10,000, 100,000 and 1,000,000 values. One edit of each option renames three tenths of the values,
// removes another three tenths, and adds as many new ones.
func Growth(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	data, err := os.MkdirTemp(e.Dir, "million-")
	if err != nil {
		return nil, err
	}
	keys, err := e.CreateStore(ctx, data)
	if err != nil {
		return nil, err
	}

	p, _, err := e.StartProcess(ctx, data)
	if err != nil {
		return nil, err
	}

	s := &harness.Server{URL: p.API, Keys: keys}
	rest, err := p.MemoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}

	var figures []harness.Figure
	var smallCreate, smallEdit time.Duration
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		create, edit, err := createAndEdit(s, n)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, p.Out.String())
		}

		perCreate, perEdit := create/time.Duration(n), edit/time.Duration(n)
		if n == 10_000 {
			smallCreate, smallEdit = perCreate, perEdit
			continue
		}

		figures = append(figures,
			harness.Figure{
				Name: fmt.Sprintf("create %d values, against 10,000", n), Engine: e.Engine,
				Ours:  harness.FormatRate(n, create) + " values/s",
				Raw:   harness.FormatRate(10_000, smallCreate*10_000) + " values/s",
				Ratio: smallCreate.Seconds() / perCreate.Seconds(),
			},
			harness.Figure{
				Name: fmt.Sprintf("edit nine tenths of %d, against 10,000", n), Engine: e.Engine,
				Ours:  harness.FormatRate(n, edit) + " values/s",
				Raw:   harness.FormatRate(10_000, smallEdit*10_000) + " values/s",
				Ratio: smallEdit.Seconds() / perEdit.Seconds(),
			},
		)
	}

	peak, err := p.MemoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}
	if err := p.Stop(); err != nil {
		return nil, err
	}

	return append(figures, harness.Figure{
		Name: "memory, peak over all of that", Engine: e.Engine, Ours: fmt.Sprintf("%.0f MiB", peak),
		Raw: fmt.Sprintf("%.0f MiB at rest", rest), Ratio: rest / peak,
	}), nil
}

func createAndEdit(s *harness.Server, n int) (create, edit time.Duration, err error) {
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
	create, err = harness.MeasureTime(func() (err error) {
		body, err = s.Do(c, "POST", "/v2/variant-options", newOption)
		return err
	})
	if err != nil {
		return 0, 0, err
	}

	if err := json.Unmarshal(body, &option); err != nil {
		return 0, 0, err
	}

	path := "/v2/variant-options/" + option.Data.ID
	if body, err = s.Do(c, "GET", path+"?with=values", nil); err != nil {
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
	edit, err = harness.MeasureTime(func() error {
		_, err := s.Do(c, "PUT", path, []byte(b.String()))
		return err
	})
	return create, edit, err
}
