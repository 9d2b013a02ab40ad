package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// startBehindProxy starts a server that connects to PostgreSQL through a proxy.
func startBehindProxy(t *testing.T) (*apitest.Server, *apitest.Proxy) {
	t.Helper()
	t.Parallel()
	proxy := apitest.NewProxy(t, databasetest.NewMigratedURL(t, database.Postgres))
	return apitest.StartServer(t, database.Postgres, apitest.WithDatabase(proxy.URL)), proxy
}

// While the database is unreachable, requests get a 503 with Retry-After. Once it returns, the server recovers.
func TestOutage_unreachableDatabaseIs503UntilItReturns(t *testing.T) {
	s, proxy := startBehindProxy(t)
	path := createOption(s)
	before := s.Dump()
	for round := range 2 {
		proxy.Disable()

		for _, c := range []struct {
			method, path string
			body         any
		}{{"GET", optionsPath, nil}, {"GET", path + "?with=values", nil}, {"POST", optionsPath, optionBody},
			{"PUT", path, `{"name": "x"}`}, {"DELETE", path, nil}, {"POST", path + "/impact", `{}`},
			{"GET", "/v2/store", nil}} {
			r := s.Do(c.method, c.path, c.body) // apitest checks Retry-After
			if r.Problem() != "503 database_unavailable" {
				t.Errorf("round %d: %s %s: %s", round, c.method, c.path, r.Problem())
			}
		}

		if got := s.DoAdmin("GET", "/readyz", nil); got.Status != 503 || got.Text("database") != "unavailable" {
			t.Errorf("readyz says %s", got.Body)
		}
		if got := s.DoAdmin("GET", "/healthz", nil).Status; got != 200 {
			t.Errorf("healthz says %d: the process is alive", got)
		}

		proxy.Enable()
		s.Get(path)

		if got := s.DoAdmin("GET", "/readyz", nil).Status; got != 200 {
			t.Errorf("readyz says %d after it is back", got)
		}
	}

	s.WantUnchanged(before, "requests while the database was away")
	s.OK(200, "PUT", path, `{"name": "x"}`)
}

// After PostgreSQL has terminated the idle connections of the pool, at most one request fails, because the pool
// replaces the connections.
func TestOutage_terminatedConnectionsAreReplaced(t *testing.T) {
	s, _ := startBehindProxy(t)
	path := createOption(s)
	for range 3 {
		s.Write(func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx,
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "+
					"AND pid <> pg_backend_pid()")
			return err
		})
		failed := 0
		for range 3 { // PostgreSQL terminates the connections a moment later
			switch r := s.Do("PUT", path, `{"name": "x"}`); r.Status {
			case 200:
			case 503:
				failed++
			default:
				t.Fatalf("a request: %s", r.Problem())
			}
		}

		if failed > 1 {
			t.Errorf("%d requests failed, want at most 1", failed)
		}
	}
}

// If the database hangs, a request gets a 503 after its deadline. Clients must not hang too.
func TestOutage_hangingDatabaseIs503(t *testing.T) {
	s, proxy := startBehindProxy(t)
	deps := s.App.API().Deps
	deps.ReadDeadline = 300 * time.Millisecond
	deps.WriteDeadline = 300 * time.Millisecond
	server := httptest.NewServer(httpapi.NewServer(deps,
		storeapi.New(storeapi.Deps{DB: s.App.DB, Catalog: s.App.Catalog}).Routes()))
	defer server.Close()

	send := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}

		r.Header.Set("Authorization", "Bearer "+s.Secret)
		r.Header.Set("Content-Type", "application/json")
		began := time.Now()

		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}

		_ = response.Body.Close()
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%s %s took %s", method, path, took)
		}

		return response.StatusCode, response.Header.Get("Retry-After")
	}
	if status, _ := send("GET", optionsPath, ""); status != 200 {
		t.Fatalf("before: %d", status)
	}

	proxy.Stall()

	for _, method := range []string{"GET", "POST"} {
		if status, after := send(method, optionsPath, optionBody); status != 503 || after == "" {
			t.Errorf("%s while it hangs: %d, Retry-After %q", method, status, after)
		}
	}

	proxy.Resume()
	deadline := time.Now().Add(20 * time.Second)
	for {
		status, _ := send("GET", optionsPath, "")
		if status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("20 seconds after the database resumed a request is %d", status)
		}
	}

	if got := s.Get(optionsPath).Text("meta.total"); got != "0" {
		t.Errorf("requests that were refused created %s options", got)
	}
}

// If the connection is lost during COMMIT, the outcome is unknown. With a key the idempotency record resolves it. A 2xx
// always means a durable row, and a key never creates two rows.
func TestOutage_lostCommitIsResolvedByIdempotencyRecord(t *testing.T) {
	s, proxy := startBehindProxy(t)
	total := func() string { return s.Get(optionsPath).Text("meta.total") }

	// The connection that writes the name of the option is the one whose COMMIT is lost.
	proxy.DisconnectAfter("Size", "commit")
	r := s.OK(201, "POST", optionsPath, optionBody, withKey("k"))
	if r.Header.Get("Idempotent-Replayed") != "" {
		t.Error("the first response is marked as a replay")
	}
	if got := total(); got != "1" {
		t.Fatalf("%s options after the lost commit, want 1", got)
	}

	again := s.OK(201, "POST", optionsPath, optionBody, withKey("k"))
	r.WantSame(again)
	if again.Header.Get("Idempotent-Replayed") != "true" || r.Header.Get("Location") == "" ||
		r.Header.Get("ETag") != again.Header.Get("ETag") {
		t.Errorf("the first response has the header %v, the replay %v", r.Header, again.Header)
	}

	// Without a key the outcome stays unknown, and the response says so.
	proxy.DisconnectAfter("Size", "commit")
	if got := s.Do("POST", optionsPath, optionBody).Problem(); got != "503 outcome_unknown" {
		t.Errorf("without a key: %s", got)
	}
	if got := total(); got != "2" {
		t.Errorf("%s options, want 2: the commit had arrived", got)
	}

	// This COMMIT does not reach the database. No record is stored, so the client may send the request again.
	proxy.DisconnectBefore("Size", "commit")
	if got := s.Do("POST", optionsPath, optionBody, withKey("k2")).Problem(); got != "503 outcome_unknown" {
		t.Errorf("with a key, never committed: %s", got)
	}
	if got := total(); got != "2" {
		t.Errorf("%s options, want 2: the commit had not arrived", got)
	}

	// PostgreSQL holds the lock of the key until it notices the lost connection. Until then a retry gets a 409.
	var retry *apitest.Response
	storetest.Eventually(t, "a retry is not refused", func() bool {
		retry = s.Do("POST", optionsPath, optionBody, withKey("k2"))
		return retry.Status != 409
	})
	if retry.Status != 201 || retry.Header.Get("Idempotent-Replayed") != "" || total() != "3" {
		t.Errorf("sent again: %d, replayed %q, %s options", retry.Status, retry.Header.Get("Idempotent-Replayed"),
			total())
	}
}

// While another process locks the SQLite file for too long, writes get a 503 with Retry-After. Reads succeed.
func TestOutage_lockedSQLiteFileIs503(t *testing.T) {
	t.Parallel()
	path := databasetest.NewMigratedURL(t, database.SQLite)
	s := apitest.StartServer(t, database.SQLite, apitest.WithDatabase(path))
	made := createOption(s)
	before := s.Dump()

	other, err := driver.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if got := s.Do("POST", optionsPath, optionBody).Problem(); got != "503 database_busy" {
		t.Errorf("while it is locked: %s", got)
	}

	s.Get(made)
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}

	s.WantUnchanged(before, "a write that was refused")
	s.OK(201, "POST", optionsPath, optionBody)
}
