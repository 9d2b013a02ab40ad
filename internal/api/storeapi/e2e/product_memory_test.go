package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"vitrine/internal/testkit/apitest"
)

var columnQueries = regexp.MustCompile(`vitrine_search_queries_total\{by="columns"\} (\d+)`)

// A page with products that are not cached is searched in the columns once, and its products are read from the
// database.
func TestProductList_isSearchedOnce(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for i := range 6 {
			s.OK(201, "POST", "/v2/products", map[string]any{"name": fmt.Sprint("Lamp ", i),
				"single_variant": map[string]any{
					"price": "10"}})
		}

		s.Get("/v2/products?with=facets") // builds the columns
		count := func() string { return columnQueries.FindString(s.Metrics()) }
		want := 0
		if _, err := fmt.Sscanf(count(), `vitrine_search_queries_total{by="columns"} %d`, &want); err != nil {
			t.Fatal(err)
		}

		for page := range 3 {
			s.Get(fmt.Sprintf("/v2/products?with=facets,variants&per_page=2&page=%d", page+1))
			want++
			if got := count(); got != fmt.Sprintf(`vitrine_search_queries_total{by="columns"} %d`, want) {
				t.Errorf("page %d: %s, want %d", page+1, got, want)
			}
		}
	}, apitest.Alone())
}
