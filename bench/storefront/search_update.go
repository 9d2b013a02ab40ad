package storefront

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
)

// followRounds is the number of writes, each followed by a read. The last write restores the product's name.
const followRounds = 100

// ReadAfterWrite compares the first read after a write of one product, which updates the columns before it
// responds, with the same read without a write. The read is a category of 1 % of the products with facets, each time at
// a unique URL.
func ReadAfterWrite(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) {
		s, err := e.StartServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		f, err := measureReadAfterWrite(ctx, s, e, n)
		if err != nil {
			return nil, err
		}
		return []harness.Figure{f}, s.Stop()
	})
}

func measureReadAfterWrite(
	ctx context.Context, s *harness.Server, e *harness.Environment, n int,
) (harness.Figure, error) {
	c := harness.NewClient()
	names, err := ReadDemoIDs(s, c)
	if err != nil {
		return harness.Figure{}, err
	}

	page, _, err := newSearchCases(names, newProductArrays(n))
	if err != nil {
		return harness.Figure{}, err
	}
	rename, err := renamer(s, c, page[0].path)
	if err != nil {
		return harness.Figure{}, err
	}
	if _, err := s.WaitForColumns(ctx, c); err != nil {
		return harness.Figure{}, err
	}

	read := func() (time.Duration, error) {
		path := harness.WithRandomParam(page[0].path)
		return harness.MeasureTime(func() error { return s.GetAsStorefront(c, path) })
	}
	var writes []time.Duration
	after := func() (time.Duration, error) {
		took, err := harness.MeasureTime(rename)
		if err != nil {
			return 0, err
		}
		writes = append(writes, took)
		return read()
	}
	var o, r time.Duration
	err = s.RequireColumns(c, 2*followRounds, func() (err error) {
		o, r, err = harness.MeasureAlternately(followRounds, after, read)
		return err
	})
	if err != nil {
		return harness.Figure{}, err
	}

	harness.PrintNote("the write itself: p50 %s", harness.FormatDuration(harness.Median(writes)))
	return harness.Figure{
		Name: fmt.Sprintf("read after a write of one of %s", harness.FormatThousands(n)), Engine: e.Engine,
		Ours: harness.FormatDuration(o), Raw: harness.FormatDuration(r) + " without a write",
		Ratio: r.Seconds() / o.Seconds(),
	}, nil
}

// renamer returns a function that gives the first product of a page a longer name, and at every second call its
// original name.
func renamer(s *harness.Server, c *http.Client, path string) (func() error, error) {
	var list struct {
		Data []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := s.GetJSON(c, path, &list); err != nil {
		return nil, err
	}

	first := list.Data[0]
	name := first.Name
	next := first.Name + " Deluxe"
	return func() error {
		name, next = next, name
		body, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			return err
		}
		_, err = s.Do(c, http.MethodPut, "/v2/products/"+first.ID, body)
		return err
	}, nil
}
