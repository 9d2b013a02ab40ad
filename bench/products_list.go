package main

import (
	"context"
	"fmt"
	"time"
)

// productRequests is how many requests are timed together.
const productRequests = 1000

// listProducts compares GET /v2/products, 50 products without facets, once with their variants and once with all that belongs to them, with
// a bare handler that writes the same bytes; four clients at once. The same page is asked for again and again, as the pages of a
// storefront are: the server keeps it while nothing changes. Then each request has an address of its own, so that its page is
// read from the database and rendered.
func listProducts(ctx context.Context, e *environment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		s, err := e.serveProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		if _, err := s.awaitColumns(ctx, client()); err != nil {
			return nil, err
		}
		var figures []figure
		for _, with := range []string{"variants", "variants,features,images,categories,modifiers"} {
			name := fmt.Sprintf("list 50 of %s, with=%s", thousands(n), with)
			kept, err := s.list(e.engine, name, with, func(path string) string { return path })
			if err != nil {
				return nil, err
			}
			kept.aim, kept.met = "≥ 0.3", kept.ratio >= 0.3
			first, err := s.list(e.engine, name+", first time", with, fresh)
			if err != nil {
				return nil, err
			}
			figures = append(figures, kept, first)
		}
		return figures, s.stop()
	})
}

// list measures one list; address makes that of each request.
func (s *shop) list(engine, name, with string, address func(path string) string) (figure, error) {
	c := client()
	path := "/v2/products?with=" + with
	answer, err := s.do(c, "GET", path, nil)
	if err != nil {
		return figure{}, err
	}
	bare, stopBare, err := bareHandler(answer)
	if err != nil {
		return figure{}, err
	}
	defer stopBare()
	from := func(server string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return load(c, func() string { return server + address(path) }, s.keys.PublishableKey, len(answer), productRequests)
		}
	}
	ours, raw := from(s.url), from(bare)
	if _, err := ours(); err != nil { // warms up
		return figure{}, err
	}
	o, r, err := inTurn(5, ours, raw)
	return figure{
		name: fmt.Sprintf("%s (%d KB)", name, len(answer)>>10), engine: engine,
		ours: perSecond(productRequests, o) + " req/s", raw: perSecond(productRequests, r) + " req/s", ratio: r.Seconds() / o.Seconds(),
	}, err
}
