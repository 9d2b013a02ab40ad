package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"vitrine/bench/harness"
)

const (
	// adminOrderRequests is the number of requests of one round.
	adminOrderRequests = 100
	// rareName is a name that few of the orders have.
	rareName = "Zebulon"
)

// Orders compares the orders page of the administration with the API call behind it: the first page, and a
// search for a name.
func Orders(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) {
		env, drop, err := e.FreshEnvironment(ctx)
		if err != nil {
			return nil, err
		}
		figures, err := measureAdminOrders(ctx, env, n)
		return figures, errors.Join(err, drop())
	})
}

func measureAdminOrders(ctx context.Context, e *harness.Environment, n int) (figures []harness.Figure, err error) {
	s, err := e.StartServer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()

	start := time.Now()
	if err := fillOrders(ctx, s, n); err != nil {
		return nil, err
	}
	if err := waitForOrderWords(ctx, s, n); err != nil {
		return nil, err
	}

	harness.PrintNote("%s orders were inserted and indexed in %s", harness.FormatThousands(n),
		harness.FormatDuration(time.Since(start)))
	c := harness.NewClient()
	session, err := signIn(ctx, s, c)
	if err != nil {
		return nil, err
	}

	for _, m := range []struct{ name, page, call string }{
		{"orders page", "/orders", "/v2/orders"},
		{"orders page of a state", "/orders?state=submitted", "/v2/orders?state=submitted"},
		{"orders page of a search", "/orders?q=" + rareName, "/v2/orders?q=" + rareName},
	} {
		page := timedGets(c, s.Admin+m.page, "Cookie", session.Name+"="+session.Value)
		call := timedGets(c, s.URL+m.call, "Authorization", "Bearer "+s.Keys.SecretKey)
		if _, err := page(); err != nil {
			return nil, err
		}

		ours, raw, err := harness.MeasureAlternately(3, page, call)
		if err != nil {
			return nil, err
		}

		ratio := ours.Seconds() / raw.Seconds()
		figures = append(figures, harness.Figure{
			Name: fmt.Sprintf("%s, %s orders", m.name, harness.FormatThousands(n)), Engine: e.Engine,
			Ours:  harness.FormatDuration(ours / adminOrderRequests),
			Raw:   harness.FormatDuration(raw / adminOrderRequests),
			Ratio: ratio, Aim: "≤ 1.5", Met: ratio <= 1.5,
		})
	}

	return figures, nil
}

// timedGets returns a function that sends requests from a few concurrent clients and returns the total duration.
func timedGets(c *http.Client, address, header, value string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return harness.TimeConcurrent(adminOrderRequests, func() func() error {
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
