package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// wantReadiness checks the status codes of /readyz and /readyz/write, a member of the body, and the two gauges.
func wantReadiness(t *testing.T, s *apitest.Server, read, write int, member, value string) {
	t.Helper()
	for path, want := range map[string]int{"/readyz": read, "/readyz/write": write} {
		r := s.DoAdmin("GET", path, nil)
		if r.Status != want || r.Text(member) != value {
			t.Errorf("%s returns %d %s, want %d and %s %s", path, r.Status, r.Body, want, member, value)
		}
		if (r.Status == http.StatusServiceUnavailable) != (r.Header.Get("Retry-After") != "") {
			t.Errorf("%s returns %d with Retry-After %q", path, r.Status, r.Header.Get("Retry-After"))
		}
	}

	metrics := string(s.DoAdmin("GET", "/metrics", nil).Body)
	for purpose, status := range map[string]int{"read": read, "write": write} {
		line := `vitrine_ready{for="` + purpose + `"} 0`
		if status == http.StatusOK {
			line = `vitrine_ready{for="` + purpose + `"} 1`
		}
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("the metrics do not contain %s", line)
		}
	}
}

func TestReadiness_fullDiskLeavesReads(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	free.Store(1 << 40)
	s.App.FreeDisk = func(string) int64 { return free.Load() }
	wantReadiness(t, s, 200, 200, "disk", "ok")
	free.Store(1 << 20)
	wantReadiness(t, s, 200, 503, "disk", "full")
	s.Get("/v2/store")
	free.Store(1 << 40)
	wantReadiness(t, s, 200, 200, "disk", "ok")
}

func TestReadiness_standbyLeavesReads(t *testing.T) {
	t.Parallel()
	proxy := apitest.NewProxy(t, databasetest.NewMigratedURL(t, database.Postgres))
	s := apitest.StartServer(t, database.Postgres, apitest.WithDatabase(proxy.URL))
	wantReadiness(t, s, 200, 200, "database", "ok")
	proxy.ActAsStandby(true)
	wantReadiness(t, s, 200, 503, "database", "read_only")
	s.Get("/v2/store")
	s.WantProblem("503 database_unavailable", "POST", "/v2/variant-options", `{"name": "x"}`)
	proxy.ActAsStandby(false)
	wantReadiness(t, s, 200, 200, "database", "ok")
	proxy.Disable()
	wantReadiness(t, s, 503, 503, "database", "unavailable")
	proxy.Enable()
	wantReadiness(t, s, 200, 200, "database", "ok")
}

func TestReadiness_looksAtTheImageStorage(t *testing.T) {
	t.Parallel()
	bucket := blobtest.NewS3(t)
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.Blob = bucket.URL("images") }))
	wantReadiness(t, s, 200, 200, "images", "ok")
	images := func() string { return s.DoAdmin("GET", "/readyz/write", nil).Text("images") }
	bucket.Refuse(func(*http.Request) bool { return true })
	storetest.Eventually(t, "the failing image storage is noticed", func() bool { return images() == "unavailable" })
	wantReadiness(t, s, 200, 503, "images", "unavailable")
	bucket.Refuse(nil)
	storetest.Eventually(t, "the image storage works again", func() bool { return images() == "ok" })
	wantReadiness(t, s, 200, 200, "images", "ok")
}

// A scrape uses the last check of the database, so that it neither loads it nor waits for it.
func TestReadiness_scrapesDoNotAskTheDatabase(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	s.DoAdmin("GET", "/readyz", nil)
	storetest.Eventually(t, "a scrape without a check", func() bool { // a worker checks the database at times, too
		before := s.App.LastDatabaseCheck()
		metrics := string(s.DoAdmin("GET", "/metrics", nil).Body)
		return !before.IsZero() && strings.Contains(metrics, `vitrine_ready{for="write"} 1`) &&
			s.App.LastDatabaseCheck().Equal(before)
	})
}

// A new container has no files of search columns. While other nodes serve, it is not ready before it has read those of
// the stores in use, so that no visitor waits for them.
func TestReadiness_waitsForTheColumnsOfStoresInUse(t *testing.T) {
	t.Parallel()
	first := newInstallation(t, database.Postgres)
	_, shop := first.FirstRun()
	shop.OK(201, "POST", "/v2/products", `{"name": "Lamp"}`)
	first.WriteDB(func(q database.Querier) error {
		return database.Exec(t.Context(), q, "UPDATE credentials SET last_used_at = $1", time.Now().UnixMicro())
	})

	second := newInstallation(t, database.Postgres)
	second.Database = first.Database
	if err := os.MkdirAll(second.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(first.Data, "secret.key"), filepath.Join(second.Data, "secret.key")); err != nil {
		t.Fatal(err)
	}

	node := second.Serve("--blob", filepath.Join(first.Data, "blobs"))
	storetest.Eventually(t, "the second node is ready", func() bool {
		status, _ := node.GetAdmin("/readyz")
		return status == http.StatusOK
	})
	if _, metrics := node.GetAdmin("/metrics"); !strings.Contains(metrics, `vitrine_search_stores{state="ready"} 1`) {
		t.Error("the node became ready without the columns of the store in use")
	}
}
