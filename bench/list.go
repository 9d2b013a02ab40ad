package main

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

const (
	listedOptions = 50
	listedValues  = 20
	listRequests  = 4000
)

// benchListOptions compares GET /v2/variant-options?with=values of 50 options × 20 values with a bare handler that
// writes the same bytes.
func benchListOptions(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	s, err := e.startServer(ctx)
	if err != nil {
		return nil, err
	}

	c := newClient()
	for i := range listedOptions {
		if _, err := s.do(c, "POST", "/v2/variant-options", optionBody("Option "+
			strconv.Itoa(i), listedValues)); err != nil {
			return nil, err
		}
	}

	const path = "/v2/variant-options?with=values"
	body, err := s.do(c, "GET", path, nil)
	if err != nil {
		return nil, err
	}

	bare, stopBare, err := serveBytes(body)
	if err != nil {
		return nil, err
	}

	ours := func() (time.Duration, error) {
		return timeRequests(c, func() string { return s.url + path }, s.keys.PublishableKey, len(body), listRequests)
	}
	raw := func() (time.Duration, error) {
		return timeRequests(c, func() string { return bare + path }, s.keys.PublishableKey, len(body), listRequests)
	}
	if _, err := ours(); err != nil {
		return nil, err
	}

	o, r, err := measureAlternately(7, ours, raw)
	if err != nil {
		return nil, err
	}

	stopBare()
	if err := s.stop(); err != nil {
		return nil, err
	}

	f := figure{
		name: fmt.Sprintf("list 50 options × 20 values (%d KB)", len(body)>>10), engine: e.engine,
		ours: formatRate(listRequests, o) + " req/s", raw: formatRate(listRequests, r) + " req/s",
		ratio: r.Seconds() / o.Seconds(),
	}
	if e.engine == "sqlite" {
		f.aim = "≥ 0.3"
		f.met = f.ratio >= 0.3
	}

	return []figure{f}, nil
}
