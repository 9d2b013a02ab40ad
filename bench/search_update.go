package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// followRounds is the number of writes, each followed by a read. The last write restores the product's name.
const followRounds = 100

// ReadAfterWrite compares the first read after a write of one product, which updates the columns before it
// responds, with the same read without a write. The read is a category of 1 % of the products with facets, each time at
// a unique URL.
func ReadAfterWrite(ctx context.Context, e *Environment) ([]Figure, error) {
	return e.EachSize(func(n int) ([]Figure, error) {
		s, err := e.StartServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		f, err := measureReadAfterWrite(ctx, s, e, n)
		if err != nil {
			return nil, err
		}
		return []Figure{f}, s.Stop()
	})
}

func measureReadAfterWrite(ctx context.Context, s *Server, e *Environment, n int) (Figure, error) {
	c := NewClient()
	names, err := ReadDemoIDs(s, c)
	if err != nil {
		return Figure{}, err
	}

	page, _, err := newSearchCases(names, newProductArrays(n))
	if err != nil {
		return Figure{}, err
	}
	rename, err := renamer(s, c, page[0].path)
	if err != nil {
		return Figure{}, err
	}
	if _, err := s.WaitForColumns(ctx, c); err != nil {
		return Figure{}, err
	}

	read := func() (time.Duration, error) {
		path := WithRandomParam(page[0].path)
		return MeasureTime(func() error { return s.GetAsStorefront(c, path) })
	}
	var writes []time.Duration
	after := func() (time.Duration, error) {
		took, err := MeasureTime(rename)
		if err != nil {
			return 0, err
		}
		writes = append(writes, took)
		return read()
	}
	var o, r time.Duration
	err = s.RequireColumns(c, 2*followRounds, func() (err error) {
		o, r, err = MeasureAlternately(followRounds, after, read)
		return err
	})
	if err != nil {
		return Figure{}, err
	}

	PrintNote("the write itself: p50 %s", FormatDuration(Median(writes)))
	return Figure{
		Name: fmt.Sprintf("read after a write of one of %s", FormatThousands(n)), Engine: e.Engine,
		Ours: FormatDuration(o), Raw: FormatDuration(r) + " without a write", Ratio: r.Seconds() / o.Seconds(),
	}, nil
}

// renamer returns a function that gives the first product of a page a longer name, and at every second call its
// original name.
func renamer(s *Server, c *http.Client, path string) (func() error, error) {
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
