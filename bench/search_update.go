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

// benchReadAfterWrite compares the first read after a write of one product, which updates the columns before it
// responds, with the same read without a write. The read is a category of 1 % of the products with facets, each time at
// a unique URL.
func benchReadAfterWrite(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		s, err := e.startServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		f, err := s.measureReadAfterWrite(ctx, e, n)
		if err != nil {
			return nil, err
		}
		return []figure{f}, s.stop()
	})
}

func (s *benchServer) measureReadAfterWrite(ctx context.Context, e *benchEnvironment, n int) (figure, error) {
	c := newClient()
	names, err := s.readDemoIDs(c)
	if err != nil {
		return figure{}, err
	}

	page, _, err := newSearchCases(names, newProductArrays(n))
	if err != nil {
		return figure{}, err
	}
	rename, err := s.renamer(c, page[0].path)
	if err != nil {
		return figure{}, err
	}
	if _, err := s.waitForColumns(ctx, c); err != nil {
		return figure{}, err
	}

	read := func() (time.Duration, error) {
		path := withRandomParam(page[0].path)
		return measureTime(func() error { return s.getAsStorefront(c, path) })
	}
	var writes []time.Duration
	after := func() (time.Duration, error) {
		took, err := measureTime(rename)
		if err != nil {
			return 0, err
		}
		writes = append(writes, took)
		return read()
	}
	var o, r time.Duration
	err = s.requireColumns(c, 2*followRounds, func() (err error) {
		o, r, err = measureAlternately(followRounds, after, read)
		return err
	})
	if err != nil {
		return figure{}, err
	}

	printNote("the write itself: p50 %s", formatDuration(median(writes)))
	return figure{
		name: fmt.Sprintf("read after a write of one of %s", formatThousands(n)), engine: e.engine,
		ours: formatDuration(o), raw: formatDuration(r) + " without a write", ratio: r.Seconds() / o.Seconds(),
	}, nil
}

// renamer returns a function that gives the first product of a page a longer name, and at every second call its
// original name.
func (s *benchServer) renamer(c *http.Client, path string) (func() error, error) {
	var list struct {
		Data []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := s.getJSON(c, path, &list); err != nil {
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
		_, err = s.do(c, http.MethodPut, "/v2/products/"+first.ID, body)
		return err
	}, nil
}
