package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// adminPageAim is how much longer the page of the administration may take than the API call behind it.
const adminPageAim = 1.5

// benchAdminProducts compares the list of products in the administration with the call of the API that answers the
// same: the same products, with their variants and pictures, and the same facets. Both are pages that nobody has
// requested before.
func benchAdminProducts(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSizeInMemory(ctx, func(s *benchServer, c *http.Client, n int) ([]figure, error) {
		cookie, err := s.signIn(ctx, c)
		if err != nil {
			return nil, err
		}
		pages := min(pageRange, n/50)
		page := func() (time.Duration, error) {
			return timeConcurrent(productRequests, func() func() error {
				return func() error { return s.getAdminPage(c, newPage("/products?sort=-created_at", pages), cookie) }
			})
		}
		call := func() (time.Duration, error) {
			return timeRequests(c, func() string {
				return s.url + newPage("/v2/products?sort=-created_at&with=variants,images,facets", pages)
			}, s.keys.SecretKey, 0, productRequests)
		}
		for _, warmUp := range []func() (time.Duration, error){page, call} {
			if _, err := warmUp(); err != nil {
				return nil, err
			}
		}
		ours, raw, err := measureAlternately(5, page, call)
		ratio := ours.Seconds() / raw.Seconds()
		return []figure{{name: "products page of the administration, " + formatThousands(n), engine: e.engine,
			ours: formatRate(productRequests, ours) + " req/s", raw: formatRate(productRequests, raw) + " req/s",
			ratio: ratio, aim: fmt.Sprintf("≤ %.1f", adminPageAim), met: ratio <= adminPageAim}}, err
	})
}
