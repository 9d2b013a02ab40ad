package e2e

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestSuggest_limitsEachListAndFollowsWrites(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for i := range 25 {
			s.OK(201, "POST", "/v2/products", map[string]any{"name": fmt.Sprintf("Lamp %02d", i),
				"single_variant": map[string]any{"price": 10}})
		}
		s.OK(201, "POST", "/v2/categories", map[string]any{"name": "Lamps"})
		s.Get("/v2/products?with=facets") // builds the columns

		names := func(query string) []string { return s.Get("/v2/suggest?"+query).Texts("data.products", "name") }
		for _, q := range []string{"l", "lamp", "lanp"} {
			all := names("limit=20&q=" + q)
			if len(all) != 20 {
				t.Fatalf("q=%s suggests %d products, want 20", q, len(all))
			}
			for limit, want := range map[string]int{"limit=1&": 1, "limit=19&": 19, "limit=20&": 20, "": 10} {
				for range 2 {
					if got := names(limit + "q=" + q); strings.Join(got, ",") != strings.Join(all[:want], ",") {
						t.Errorf("%sq=%s suggests %q, want the first %d of %q", limit, q, got, want, all)
					}
				}
			}
		}

		first := s.Get("/v2/suggest?q=lamp&limit=1").Text("data.products.0.id")
		s.OK(200, "PUT", "/v2/products/"+first, map[string]any{"name": "Chair"})
		if got := s.Get("/v2/suggest?q=lamp&limit=1").Text("data.products.0.id"); got == first {
			t.Error("a product is suggested by the name that it had")
		}
		if got := names("q=chair"); len(got) != 1 || got[0] != "Chair" {
			t.Errorf("the new name suggests %q", got)
		}

		for _, nonsense := range []string{"limit=0", "limit=21", "limit=x", "limit="} {
			s.WantProblem("400 malformed_query", "GET", "/v2/suggest?q=lamp&"+nonsense, nil)
		}
	})
}
