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
	// deliveryRequests is the number of requests of one round, and deliveryRounds the number of rounds.
	deliveryRequests, deliveryRounds = 60, 3
	// deliveryPageAim is how much longer the page may take than the API call behind it.
	deliveryPageAim = 1.5
)

// Deliveries compares the pages of deliveries and of webhooks in the administration with the API call behind
// the former: GET /api/store/webhook-deliveries. Both show 50 deliveries.
func Deliveries(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) (figures []harness.Figure, err error) {
		env, drop, err := e.FreshEnvironment(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, drop()) }()

		s, err := env.StartServer(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Stop()) }()

		receiver, err := fillDeliveries(ctx, s, n)
		if err != nil {
			return nil, err
		}

		c := harness.NewClient()
		cookie, err := signIn(ctx, s, c)
		if err != nil {
			return nil, err
		}

		for _, m := range []struct{ name, page, query string }{
			{"deliveries page", "/deliveries", "per_page=50"},
			{"deliveries page of a receiver", "/deliveries?receiver=" + receiver,
				"per_page=50&receiver_id=" + receiver},
			{"dead deliveries", "/deliveries?status=dead", "per_page=50&status=dead"},
			{"webhooks page", "/webhooks", "per_page=50"},
		} {
			page := timedPages(s, c, m.page, "Cookie", cookie.Name+"="+cookie.Value)
			call := timedPages(s, c, "/api/store/webhook-deliveries?"+m.query, "Authorization",
				"Bearer "+s.Keys.SecretKey)
			ours, raw, err := harness.MeasureAlternately(deliveryRounds, page, call)
			if err != nil {
				return nil, err
			}

			ratio := ours.Seconds() / raw.Seconds()
			figures = append(figures, harness.Figure{
				Name: fmt.Sprintf("%s, %s deliveries", m.name, harness.FormatThousands(n)), Engine: e.Engine,
				Ours:  harness.FormatRate(deliveryRequests, ours) + " req/s",
				Raw:   harness.FormatRate(deliveryRequests, raw) + " req/s",
				Ratio: ratio, Aim: fmt.Sprintf("≤ %.1f", deliveryPageAim), Met: ratio <= deliveryPageAim,
			})
		}

		return figures, nil
	})
}

// timedPages returns a function that requests a path of the administration and returns the total duration.
func timedPages(s *harness.Server, c *http.Client, path, header, value string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return harness.TimeConcurrent(deliveryRequests, func() func() error {
			return func() error {
				r, err := http.NewRequest(http.MethodGet, s.Admin+path, nil)
				if err != nil {
					return err
				}

				r.Header.Set(header, value)
				res, err := c.Do(r)
				if err != nil {
					return err
				}
				defer func() { _ = res.Body.Close() }()

				if n, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK || n == 0 {
					return fmt.Errorf("GET %s answered %s with %d bytes: %w", path, res.Status, n, err)
				}

				return nil
			}
		})
	}
}
