package app_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// Searches with SQL took memory of SQLite with each request, which is outside of Go's heap and of --memory.
func TestSearchMemory_sqliteKeepsItsMemoryWithoutColumns(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.SearchMemory = 0 }))
	s.OK(201, "POST", "/v2/features", `{"name":"Fabric","filterable":true,"values":[{"name":"wool"},{"name":"silk"}]}`)
	var products strings.Builder
	for i := range 400 {
		fmt.Fprintf(&products, `{"id":%d,"name":"Product %d","single_variant":true,"variant_price":%d}`+"\n", i, i, i)
	}
	s.OK(200, "POST", "/v2/sync-gate/products", products.String(), apitest.As(s.Exchange),
		apitest.Header("Content-Type", "application/x-ndjson"))

	read := func(times int) int64 {
		for i := range times {
			s.OK(200, "GET", fmt.Sprintf("/v2/products?with=facets&price%%5Bfrom%%5D=%d", i%300), nil)
			s.OK(200, "GET", "/v2/products?sort=-price&page=3", nil)
			s.OK(200, "GET", "/v2/products?with=facets&q=product", nil)
		}
		return s.App.DB.Stats().ReadMemory
	}
	first := read(60) // every connection has been used, and has its statements
	most := max(first, int64(s.App.DB.Connections(database.Short)+1)*(24<<20))
	if again := read(60); again == 0 || again > most {
		t.Errorf("the connections have %d bytes, after as many requests again %d", first, again)
	}
}
