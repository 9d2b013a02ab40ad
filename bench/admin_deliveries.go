package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const (
	// deliveryRequests is the number of requests of one round, and deliveryRounds the number of rounds.
	deliveryRequests, deliveryRounds = 60, 3
	// deliveryPageAim is how much longer the page may take than the API call behind it.
	deliveryPageAim = 1.5
)

// benchAdminDeliveries compares the pages of deliveries and of webhooks in the administration with the API call behind
// the former: GET /api/store/webhook-deliveries. Both show 50 deliveries.
func benchAdminDeliveries(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSize(func(n int) (figures []figure, err error) {
		env, drop, err := e.freshEnvironment(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, drop()) }()
		s, err := env.startServer(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.stop()) }()
		receiver, err := s.fillDeliveries(ctx, n)
		if err != nil {
			return nil, err
		}
		c := newClient()
		cookie, err := s.ownerCookie(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, m := range []struct{ name, page, query string }{
			{"deliveries page", "/deliveries", "per_page=50"},
			{"deliveries page of a receiver", "/deliveries?receiver=" + receiver, "per_page=50&receiver_id=" + receiver},
			{"dead deliveries", "/deliveries?status=dead", "per_page=50&status=dead"},
			{"webhooks page", "/webhooks", "per_page=50"},
		} {
			page := s.timedPages(c, m.page, "Cookie", cookie)
			call := s.timedPages(c, "/api/store/webhook-deliveries?"+m.query, "Authorization", "Bearer "+s.keys.SecretKey)
			ours, raw, err := measureAlternately(deliveryRounds, page, call)
			if err != nil {
				return nil, err
			}
			ratio := ours.Seconds() / raw.Seconds()
			figures = append(figures, figure{
				name: fmt.Sprintf("%s, %s deliveries", m.name, formatThousands(n)), engine: e.engine,
				ours: formatRate(deliveryRequests, ours) + " req/s", raw: formatRate(deliveryRequests, raw) + " req/s",
				ratio: ratio, aim: fmt.Sprintf("≤ %.1f", deliveryPageAim), met: ratio <= deliveryPageAim,
			})
		}
		return figures, nil
	})
}

// timedPages returns a function that requests a path of the administration and returns the total duration.
func (s *benchServer) timedPages(c *http.Client, path, header, value string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return timeConcurrent(deliveryRequests, func() func() error {
			return func() error {
				r, err := http.NewRequest(http.MethodGet, s.admin+path, nil)
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

// ownerCookie creates an operator, signs in, and returns the Cookie header of the session.
func (s *benchServer) ownerCookie(ctx context.Context, c *http.Client) (string, error) {
	const password = "correct horse battery"
	email := fmt.Sprintf("deliveries-%d@north.example", time.Now().UnixNano())
	prepared, err := s.app.Access.PrepareOperator(ctx,
		access.NewOperator{Email: email, Role: access.Owner, Password: password})
	if err != nil {
		return "", err
	}
	err = s.app.DB.Write(ctx, func(q database.Querier) error {
		_, err := s.app.Access.CreateOperator(ctx, store.In(q, s.keys.StoreID), prepared)
		return err
	})
	if err != nil {
		return "", err
	}
	form := url.Values{"email": {email}, "password": {password}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.admin+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.Transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	_ = res.Body.Close()
	for _, cookie := range res.Cookies() {
		if cookie.Name == "__Host-vitrine" {
			return cookie.Name + "=" + cookie.Value, nil
		}
	}
	return "", fmt.Errorf("signing in answered %s without a session", res.Status)
}
