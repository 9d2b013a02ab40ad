package e2e

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// The most ordered products of the last 90 days come first, on every node, within seconds after an order or a
// cancellation; then the newest.
func TestProducts_areSortedByPopularity(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		node := s.StartNode()
		variants := map[string]string{}
		for _, name := range []string{"red lamp", "blue lamp", "green chair"} {
			variants[name] = s.OK(201, "POST", "/v2/products",
				map[string]any{"name": name, "variants": []any{newVariant(name)}}).Text("data.variants.0.id")
		}

		// order submits an order of pieces of products, and returns its path.
		order := func(pieces map[string]any) string {
			t.Helper()
			var lines []map[string]any
			for name, quantity := range pieces {
				lines = append(lines, orderLine(variants[name], quantity))
			}
			cart, _ := createGuestCart(s, orderItems(lines...))
			cart.ok(200, "POST", "/submit", submissionBody)
			return cart.path
		}

		want := func(what, query, names string) {
			t.Helper()
			for _, one := range []*apitest.Server{s, node} {
				storetest.EventuallyEqual(t, what+", "+query, names, func() string {
					return strings.Join(one.Get("/v2/products?"+query).Texts("data", "name"), ", ")
				})
			}
		}

		want("no orders", "sort=popularity", "green chair, blue lamp, red lamp")
		first := order(map[string]any{"red lamp": 1, "blue lamp": 1})
		want("equally popular", "sort=popularity", "blue lamp, red lamp, green chair")

		s.Clock.Advance(24 * time.Hour)
		second := order(map[string]any{"red lamp": 5, "green chair": 2})
		want("two orders", "sort=popularity", "red lamp, green chair, blue lamp")
		want("two orders", "sort=popularity&q=lamp", "red lamp, blue lamp")
		want("two orders", "q=lamp", "red lamp, blue lamp") // by relevance, which is equal
		want("two orders", "sort=popularity&per_page=1&page=2", "green chair")
		want("two orders", "sort=popularity&archived=any", "red lamp, green chair, blue lamp")

		s.OK(200, "POST", second+"/cancel", nil)
		want("after the cancellation", "sort=popularity", "blue lamp, red lamp, green chair")
		want("after the cancellation", "q=lamp", "blue lamp, red lamp")

		order(map[string]any{"green chair": 1})
		want("three equals", "sort=popularity", "green chair, blue lamp, red lamp")
		s.Clock.Advance(89*24*time.Hour + time.Minute)
		order(map[string]any{"red lamp": 1})
		want("after the first order is too old", "sort=popularity", "green chair, red lamp, blue lamp")

		s.OK(200, "POST", first+"/cancel", nil)
		s.Clock.Advance(91 * 24 * time.Hour)
		want("91 days later", "sort=popularity", "green chair, blue lamp, red lamp")
	}, apitest.Alone())
}
