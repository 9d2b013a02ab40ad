package app_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// waitingRequests is the number of requests that waited in P12.
const waitingRequests = 156

// P12: requests that came while the columns were built waited for ten seconds and got 503, although the columns were
// there after four.
func TestP12_waitingListsAreAnsweredWhenTheColumnsAreThere(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s.OK(201, "POST", "/v2/products", `{"name": "Thing"}`)
		release := s.HoldConnections(database.Long) // a build needs one
		paths := make([]string, waitingRequests)
		for i := range paths {
			paths[i] = fmt.Sprintf("/v2/products?with=facets&per_page=%d", i+1)
		}

		answers := getAll(s, paths)
		storetest.Eventually(t, "all requests wait for the columns", func() bool {
			return metricIs(s, "vitrine_search_waiting", waitingRequests)
		})
		release()
		for range paths {
			if got := <-answers; got != "200" {
				t.Errorf("a waiting request got %s", got)
			}
		}

		if !metricIs(s, `vitrine_search_queries_total{by="sql"}`, 0) {
			t.Error("SQL answered some of the requests")
		}
	}, apitest.Alone())
}

func TestRestart_listsAreAnsweredFromTheFileOfTheColumns(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			data := apitest.WithConfig(func(c *config.Serve) { c.Data = dir })
			s := apitest.StartServer(t, engine, data)

			items := make([]string, 2500)
			for i := range items {
				items[i] = fmt.Sprintf(`{"id": "p%d", "name": "Thing", "single_variant": true, "variant_price": %d}`, i,
					i)
			}

			s.OK(200, "POST", "/v2/sync-gate/products", `{"payload": [`+strings.Join(items, ",")+`]}`,
				apitest.As(s.Exchange))
			const path = "/v2/products?with=facets&sort=-price&per_page=10"
			want := s.Get(path).Text("meta.facets.price.max")
			s.Stop()

			files, err := filepath.Glob(filepath.Join(dir, "search", "*"))
			if err != nil || len(files) != 1 {
				t.Fatalf("files after the shutdown: %q, %v; want that of one store", files, err)
			}

			again := s.StartNode(data)
			if got := again.Get(path).Text("meta.facets.price.max"); got != want {
				t.Errorf("the highest price is %s, want %s", got, want)
			}

			for name, value := range map[string]int{"vitrine_search_loads_total": 1, "vitrine_search_builds_total": 0,
				`vitrine_search_queries_total{by="sql"}`: 0} {
				if !metricIs(again, name, value) {
					t.Errorf("%s is not %d", name, value)
				}
			}
		})
	}
}

// metricIs reports whether a metric has the value.
func metricIs(s *apitest.Server, name string, value int) bool {
	return strings.Contains(s.Metrics(), fmt.Sprintf("\n%s %d\n", name, value))
}
