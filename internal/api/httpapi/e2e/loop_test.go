package e2e

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/testkit/apitest"
)

// A write that a store sent, such as the delivery of a webhook, is refused. Otherwise a webhook whose receiver is a
// store could cause an endless loop of deliveries.
func TestLoop_refusesWritesThatAStoreSends(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite)
	hop := apitest.Header(outbound.HopHeader, "1")
	for _, path := range []string{"/v2/feedback", "/v2/orders", "/v2/features",
		"/v2/sync-gate/" + s.Exchange + "/products"} {
		before := s.Dump()
		r := s.Do("POST", path, `{"name": "Anna", "message": "Hello"}`, hop)
		if r.Status != 403 || r.Text("code") != "loop" {
			t.Errorf("POST %s: %d %s", path, r.Status, r.Body)
		}
		s.WantUnchanged(before, "POST %s", path)
	}
	s.Get("/v2/products", hop)
	s.OK(201, "POST", "/v2/feedback", `{"name": "Anna", "message": "Hello"}`)
}
