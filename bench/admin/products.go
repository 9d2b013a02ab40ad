package admin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"vitrine/bench/harness"
)

// adminPageAim is how much longer the page of the administration may take than the API call behind it.
const adminPageAim = 1.5

// adminRequests is the number of requests in one measurement, and adminPages the number of pages that they choose from.
const (
	adminRequests = 200
	adminPages    = 20
)

// Products compares the list of products in the administration with the call of the API that answers the
// same: the same products, with their variants and pictures, and the same facets. An operator searches for something
// else each time, so every request has a filter that nobody has used before.
func Products(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSizeInMemory(ctx, func(s *harness.Server, c *http.Client, n int) ([]harness.Figure, error) {
		cookie, err := signIn(ctx, s, c)
		if err != nil {
			return nil, err
		}

		page := func() (time.Duration, error) {
			return harness.TimeConcurrent(adminRequests, func() func() error {
				return func() error { return getAdminPage(s, c, newList("/products?"), cookie) }
			})
		}
		call := func() (time.Duration, error) {
			return harness.TimeRequests(c,
				func() string { return s.URL + newList("/v2/products?with=variants,images,facets&") },
				s.Keys.SecretKey, 0, adminRequests)
		}
		for _, warmUp := range []func() (time.Duration, error){page, call} {
			if _, err := warmUp(); err != nil {
				return nil, err
			}
		}

		ours, raw, err := harness.MeasureAlternately(5, page, call)
		ratio := ours.Seconds() / raw.Seconds()
		return []harness.Figure{{Name: "products page of the administration, " + harness.FormatThousands(n),
			Engine: e.Engine,
			Ours:   harness.FormatRate(adminRequests, ours) + " req/s",
			Raw:    harness.FormatRate(adminRequests, raw) + " req/s",
			Ratio:  ratio, Aim: fmt.Sprintf("≤ %.1f", adminPageAim), Met: ratio <= adminPageAim}}, err
	})
}

// newList returns the path of a list with a filter by price that was not requested before.
func newList(path string) string {
	return fmt.Sprintf("%ssort=-created_at&price[from]=0.%04d&price[to]=%d.%04d&page=%d", path, rand.IntN(10_000),
		100_000+rand.IntN(100_000), rand.IntN(10_000), 1+rand.IntN(adminPages))
}
