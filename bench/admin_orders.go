package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// adminOrderRequests is the number of requests of one round.
	adminOrderRequests = 100
	// rareName is a name that few of the orders have.
	rareName = "Zebulon"
)

// benchAdminOrders compares the orders page of the administration with the API call behind it: the first page, and a
// search for a name.
func benchAdminOrders(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		env, drop, err := e.freshEnvironment(ctx)
		if err != nil {
			return nil, err
		}
		figures, err := env.measureAdminOrders(ctx, n)
		return figures, errors.Join(err, drop())
	})
}

func (e *benchEnvironment) measureAdminOrders(ctx context.Context, n int) (figures []figure, err error) {
	s, err := e.startServer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()

	start := time.Now()
	if err := s.fillOrders(ctx, n); err != nil {
		return nil, err
	}
	if err := s.waitForOrderWords(ctx, n); err != nil {
		return nil, err
	}

	printNote("%s orders were inserted and indexed in %s", formatThousands(n), formatDuration(time.Since(start)))
	c := newClient()
	session, err := s.signIn(ctx, c)
	if err != nil {
		return nil, err
	}

	for _, m := range []struct{ name, page, call string }{
		{"orders page", "/orders", "/v2/orders"},
		{"orders page of a state", "/orders?state=submitted", "/v2/orders?state=submitted"},
		{"orders page of a search", "/orders?q=" + rareName, "/v2/orders?q=" + rareName},
	} {
		page := timedGets(c, s.admin+m.page, "Cookie", session.Name+"="+session.Value)
		call := timedGets(c, s.url+m.call, "Authorization", "Bearer "+s.keys.SecretKey)
		if _, err := page(); err != nil {
			return nil, err
		}

		ours, raw, err := measureAlternately(3, page, call)
		if err != nil {
			return nil, err
		}

		ratio := ours.Seconds() / raw.Seconds()
		figures = append(figures, figure{
			name: fmt.Sprintf("%s, %s orders", m.name, formatThousands(n)), engine: e.engine,
			ours: formatDuration(ours / adminOrderRequests), raw: formatDuration(raw / adminOrderRequests),
			ratio: ratio, aim: "≤ 1.5", met: ratio <= 1.5,
		})
	}

	return figures, nil
}

// timedGets returns a function that sends requests from a few concurrent clients and returns the total duration.
func timedGets(c *http.Client, address, header, value string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return timeConcurrent(adminOrderRequests, func() func() error {
			return func() error {
				r, err := http.NewRequest(http.MethodGet, address, nil)
				if err != nil {
					return err
				}

				r.Header.Set(header, value)
				res, err := c.Do(r)
				if err != nil {
					return err
				}
				defer func() { _ = res.Body.Close() }()

				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					return err
				}
				if res.StatusCode != http.StatusOK {
					return fmt.Errorf("GET %s answered %s", address, res.Status)
				}

				return nil
			}
		})
	}
}
