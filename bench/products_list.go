package main

import (
	"context"
	"fmt"
	"time"
)

// productRequests is how many requests are timed together.
const productRequests = 1000

// benchListProducts compares GET /v2/products, 50 products without facets, once with their variants and once with all that belongs to them, with
// a bare handler that writes the same bytes; four clients at once. The same page is asked for again and again, as the pages of a
// storefront are: the server keeps it while nothing changes. Then each request has an address of its own, so that its page is
// read from the database and rendered.
func benchListProducts(ctx context.Context, e *environment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		s, err := e.startServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		if _, err := s.waitForColumns(ctx, newClient()); err != nil {
			return nil, err
		}
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
		return figures, s.stop()
	})
}

// measureList measures one list; address makes that of each request.
func (s *server) measureList(engine, name, with string, pathOf func(path string) string) (figure, error) {
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
			return timeRequests(c, func() string { return server + pathOf(path) }, s.keys.PublishableKey, len(body), productRequests)
		}
	}
	ours, raw := requestsTo(s.url), requestsTo(bare)
	if _, err := ours(); err != nil { // warms up
		return figure{}, err
	}
	o, r, err := alternate(5, ours, raw)
	return figure{
		name: fmt.Sprintf("%s (%d KB)", name, len(body)>>10), engine: engine,
		ours: formatRate(productRequests, o) + " req/s", raw: formatRate(productRequests, r) + " req/s", ratio: r.Seconds() / o.Seconds(),
	}, err
}
