package e2e

import (
	"context"
	"fmt"
	"io"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

const (
	gateProductsPath = "/v2/sync-gate/products"
	gatePricesPath   = "/v2/sync-gate/prices"
	// pushBodyStart and pushBodyRest are the body of a push. The first part ends inside the first item, so no batch can
	// begin before the rest arrives.
	pushBodyStart = `{"payload": [{"id": "lamp", "na`
	pushBodyRest  = `me": "Lamp", "variants": [{"id": 1, "price": 5}]}]}`
)

// failPush sends a push on conn that fails in its batch, and returns the response. It calls fail, which makes the batch
// fail, when the run has been created and the server waits for the rest of the body. Then it sends the rest, which the
// server reads to its end.
func failPush(t *testing.T, s *apitest.Server, conn *apitest.Conn, token string, fail func()) *apitest.Response {
	t.Helper()
	runs := func() int { return s.Get("/v2/sync-gate/runs", apitest.As(token)).Len("data") }
	before := runs()
	reader, writer := io.Pipe()
	defer writer.Close()

	type result struct {
		response *apitest.Response
		err      error
	}
	done := make(chan result, 1)
	go func() {
		response, err := conn.Try("POST", gateProductsPath, reader, apitest.As(token))
		done <- result{response, err}
	}()

	if _, err := io.WriteString(writer, pushBodyStart); err != nil {
		t.Fatal(err)
	}

	storetest.Eventually(t, "the push has a run", func() bool { return runs() != before })
	fail()

	if _, err := io.WriteString(writer, pushBodyRest); err != nil {
		t.Fatal(err)
	}

	_ = writer.Close()
	got := <-done
	if got.err != nil {
		t.Fatalf("the connection broke instead of a response to the failed push: %v", got.err)
	}

	return got.response
}

// checkConnectionAfterFailedPush checks that conn serves reads, writes and pushes after a push that failed.
func checkConnectionAfterFailedPush(t *testing.T, s *apitest.Server, conn *apitest.Conn) {
	t.Helper()
	want := func(r *apitest.Response, status int, paths ...string) bool {
		t.Helper()
		if r.Status != status || len(r.Body) == 0 {
			t.Errorf("after the failed push a request on its connection got %d with %d bytes, want %d: %s",
				r.Status, len(r.Body), status, r.Body)
			return false
		}

		for _, path := range paths {
			if !r.Has(path) {
				t.Errorf("after the failed push a response on its connection has no %s: %s", path, r.Body)
				return false
			}
		}

		return true
	}

	token := apitest.As(s.Exchange)
	want(conn.Do("GET", "/v2/store", nil), 200, "data.id")

	if r := conn.Do("POST", "/v2/features", `{"name": "Weight"}`); want(r, 201, "data.id") {
		if got := s.Get("/v2/features/" + r.Text("data.id")).Text("data.name"); got != "Weight" {
			t.Errorf("the feature is named %s", got)
		}
	}

	again := conn.Do("POST", gateProductsPath, pushBodyStart+pushBodyRest, token)
	if want(again, 200, "data.received") && again.Text("data.created") != "1" {
		t.Errorf("the push sent again: %s", again.Body)
	}

	price := conn.Do("POST", gatePricesPath, `{"payload": [{"product_id": "lamp", "variant_id": 1, "price": 7}]}`,
		token)
	if want(price, 200, "data.received") && price.Text("data.updated") != "1" {
		t.Errorf("the push of a price: %s", price.Body)
	}

	want(conn.Do("GET", "/v2/products", nil), 200, "meta.total")
	products := s.Get("/v2/products?with=variants")
	if n := products.Len("data"); n != 1 || products.Text("data.0.variants.0.price") != "7" {
		t.Errorf("the products are %s, want one that costs 7", products.Body)
	}
	if n := s.Get("/v2/features").Len("data"); n != 1 {
		t.Errorf("there are %d features, want 1", n)
	}
	if n := conn.Dials(); n != 1 {
		t.Errorf("the client had to connect %d times; a connection whose body was read to its end stays open", n)
	}

	for _, line := range s.Log.Lines("request") {
		if fmt.Sprint(line["status"]) == "499" {
			t.Errorf("the log says that a client left, but none did: %v", line)
		}
	}
}

// A push whose batch fails because the database is unreachable gets a 503. Later requests on its connection get a 503
// during the outage, and succeed afterwards.
func TestPush_connectionStaysUsableAfterFailedBatch(t *testing.T) {
	s, proxy := startBehindProxy(t)
	conn := s.NewConn()
	r := failPush(t, s, conn, s.Exchange, proxy.Disable)
	if got := r.Problem(); got != "503 database_unavailable" || !r.Has("run.id") {
		t.Fatalf("the push: %s %s", got, r.Body)
	}
	if r := conn.Do("GET", "/v2/store", nil); r.Status != 503 {
		t.Errorf("while the database is away, GET /v2/store after the failed push is %d %q", r.Status, r.Body)
	}
	proxy.Enable()
	checkConnectionAfterFailedPush(t, s, conn)
}

// A push whose token is revoked while its body arrives fails in its batch. The connection stays usable. A revoked token
// is the only quick failure of a batch on SQLite: a batch that finds the file locked is retried for more than a minute.
func TestPush_connectionStaysUsableAfterTokenIsRevoked(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		conn := s.NewConn()
		key, token := s.NewKey(access.NewKey{Kind: access.ExchangeToken})
		r := failPush(t, s, conn, token, func() {
			s.Write(func(ctx context.Context, q database.Querier) error {
				return s.App.Access.RevokeKey(ctx, store.In(q, s.StoreID), key.ID)
			})
		})
		if got := r.Problem(); got != "401 invalid_exchange_token" || !r.Has("run.id") {
			t.Fatalf("the push: %s %s", got, r.Body)
		}
		checkConnectionAfterFailedPush(t, s, conn)
	})
}
