package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// productRequests is the number of requests per measurement.
const productRequests = 1000

// benchListProducts compares GET /v2/products, a list of 50 products without facets, with a bare handler that writes
// the same bytes, from four clients. It requests the list with variants and with all related data. First every request
// has the same URL, as in a storefront, and the server responds from its page cache. Then every request has a unique
// URL, so that the server reads the page from the database and renders it.
func benchListProducts(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSizeInMemory(ctx, func(s *benchServer, _ *http.Client, n int) ([]figure, error) {
		var figures []figure
		for _, with := range []string{"variants", "variants,features,images,categories,modifiers"} {
			name := fmt.Sprintf("list 50 of %s, with=%s", formatThousands(n), with)
			cached, err := s.measureList(e.engine, name, with, func(path string) string { return path })
			if err != nil {
				return nil, err
			}
			cached.aim, cached.met = "≥ 0.3", cached.ratio >= 0.3
			uncached, err := s.measureList(e.engine, name+", first time", with, withRandomParam)
			if err != nil {
				return nil, err
			}
			figures = append(figures, cached, uncached)
		}
		return figures, nil
	})
}

// measureList measures one list. pathOf returns the path of each request.
func (s *benchServer) measureList(engine, name, with string, pathOf func(path string) string) (figure, error) {
	c := newClient()
	path := "/v2/products?with=" + with
	body, err := s.do(c, "GET", path, nil)
	if err != nil {
		return figure{}, err
	}
	bare, stopBare, err := serveBytes(body)
	if err != nil {
		return figure{}, err
	}
	defer stopBare()
	requestsTo := func(server string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return timeRequests(c, func() string { return server + pathOf(path) }, s.keys.PublishableKey, len(body),
				productRequests)
		}
	}
	ours, raw := requestsTo(s.url), requestsTo(bare)
	if _, err := ours(); err != nil { // warm up
		return figure{}, err
	}
	o, r, err := measureAlternately(5, ours, raw)
	return figure{
		name: fmt.Sprintf("%s (%d KB)", name, len(body)>>10), engine: engine,
		ours: formatRate(productRequests, o) + " req/s", raw: formatRate(productRequests, r) + " req/s",
		ratio: r.Seconds() / o.Seconds(),
	}, err
}
