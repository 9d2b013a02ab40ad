package app_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// wantMetrics waits until /metrics has a line that matches each pattern.
func wantMetrics(t *testing.T, s *apitest.Server, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		line := regexp.MustCompile("(?m)^" + pattern + "$")
		storetest.Eventually(t, "/metrics has "+pattern, func() bool { return line.MatchString(s.Metrics()) })
	}
}

func TestMetrics_ofPushes(t *testing.T) {
	t.Parallel()

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		token := apitest.As(s.Exchange)
		s.OK(200, "POST", "/v2/sync-gate/stocks", `{"payload": [{"id": 1, "name": "A"}, {"name": "B"}]}`, token)
		s.OK(200, "POST", "/v2/sync-gate/stocks?dry_run=true", `{"payload": [{"id": 2, "name": "C"}]}`, token)
		if r := s.Do("POST", "/v2/sync-gate/stocks", `{"payload": [`, token); r.Problem() != "400 malformed_json" {
			t.Errorf("half a body got %d %s", r.Status, r.Body)
		}
		s.WantProblem("415 unsupported_media_type", "POST", "/v2/sync-gate/stocks", "x", token,
			apitest.Header("Content-Type", "text/plain"))
		wantMetrics(t, s, `vitrine_push_runs_total{entity="stocks",result="completed"} 1`,
			`vitrine_push_runs_total{entity="stocks",result="failed"} 1`,
			`vitrine_push_runs_total{entity="stocks",result="refused"} 1`,
			`vitrine_push_items_total{entity="stocks",result="created"} 1`,
			`vitrine_push_items_total{entity="stocks",result="failed"} 1`)
	}, apitest.Alone())
}

func TestMetrics_ofTheDatabase(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		wantMetrics(t, s, `vitrine_database_up 1`, `vitrine_database_transaction_seconds_count{kind="read"} [1-9]\d*`,
			`vitrine_database_transaction_seconds_count{kind="snapshot"} [1-9]\d*`,
			`vitrine_database_wait_seconds_count{kind="write"} [1-9]\d*`,
			`vitrine_database_connections{state="in_use"} \d+`, `vitrine_database_connections_max [1-9]\d*`,
			`vitrine_build_info{database="`+s.Engine+`",goversion="go[^"]+",version="[^"]*"} 1`,
			`vitrine_disk_free_bytes{dir="spool"} [1-9].*`, `vitrine_disk_free_bytes{dir="blobs"} [1-9].*`)
		own := []string{`vitrine_database_write_queue \d+`, `vitrine_database_read_memory_bytes [1-9].*`,
			`vitrine_database_file_bytes{file="wal"} [1-9].*`,
			`vitrine_database_wal_pages{state="pending"} \d+`, `vitrine_disk_free_bytes{dir="database"} [1-9].*`}
		other := "vitrine_database_pool_"
		if s.Engine == database.Postgres {
			own = []string{`vitrine_database_pool_waits_total \d+`, `vitrine_database_pool_wait_seconds_total .*`}
			other = "vitrine_database_wal_pages"
		}

		wantMetrics(t, s, own...)
		if strings.Contains(s.Metrics(), "\n"+other) {
			t.Errorf("/metrics has %s of the other engine", other)
		}
	}, apitest.Alone())
}

func TestMetrics_ofWebhooks(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		wantMetrics(t, s, `vitrine_webhook_receivers{state="failing"} 0`,
			`vitrine_webhook_receivers{state="disabled_gone"} 0`,
			`vitrine_webhook_stranded_deliveries{status="held"} 0`,
			`vitrine_webhook_oldest_undelivered_seconds 0`, `vitrine_jobs_overdue_seconds{kind="webhook.deliver"} 0`,
			`vitrine_jobs_parked{kind="exchange.commerceml"} 0`)
	}, apitest.Alone())
}

func TestMetrics_ofFailedSignIns(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for range 2 {
			s.DoAdmin("POST", "/login", "email=nobody@example.com&password=wrong-password",
				apitest.As(""), apitest.Header("Content-Type", "application/x-www-form-urlencoded"))
		}
		s.WantProblem("401 invalid_credential", "GET", "/v2/store", nil, apitest.As(s.Secret[:len(s.Secret)-4]+"0000"))
		s.WantProblem("429 too_many_failed_credentials", "GET", "/v2/store", nil,
			apitest.As(s.Secret[:len(s.Secret)-4]+"0000"))
		wantMetrics(t, s, `vitrine_signin_failures_total{reason="wrong",who="operator"} [12]`,
			`vitrine_wrong_credentials_total 2`, `vitrine_http_problems_total{code="too_many_failed_credentials"} 1`,
			`vitrine_rate_limited_total{limiter="failed_credentials"} [1-9]`)
	}, apitest.WithConfig(func(c *config.Serve) { c.FailedCredentialsPerMinute = 1 }))
}

// The alert VitrineMessagesFailing counts failed attempts, and the log has a warning for each.
func TestMetrics_ofMessagesThatFail(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		err := s.App.DB.Write(t.Context(), func(q database.Querier) error {
			return s.App.Notify.Send(t.Context(), store.In(q, s.StoreID),
				notify.Message{From: "Shop", To: "anna@mail.example", Subject: "Hello", Text: "Hello."})
		})
		if err != nil {
			t.Fatal(err)
		}
		wantMetrics(t, s, `vitrine_jobs_total{end="failed",kind="mail.send"} [1-9]\d*`)
		lines := s.Log.Lines("an attempt at a job failed; it will be retried")
		if len(lines) == 0 || lines[0]["level"] != "WARN" || lines[0]["kind"] != "mail.send" {
			t.Errorf("the log has %v", lines)
		}
	}, apitest.WithConfig(func(c *config.Serve) { c.SMTP = "smtp://127.0.0.1:1?from=shop@shop.example" }))
}

// The alert VitrineReplicaLost sees a replica that is gone, and one of another database. The log says when it is lost
// and when it works again.
func TestMetrics_ofALostReplica(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	address := databasetest.NewMigratedURL(t, database.Postgres)
	proxy := apitest.NewProxy(t, address)
	s := apitest.StartServer(t, database.Postgres, apitest.WithDatabase(address),
		apitest.WithConfig(func(c *config.Serve) { c.DatabaseReplica = proxy.URL }))
	wantMetrics(t, s, "vitrine_database_replica_up 1")
	if n := len(s.Log.Lines("the replica works")); n != 1 {
		t.Errorf("the log says %d times that the replica works", n)
	}

	proxy.Disable()
	wantMetrics(t, s, "vitrine_database_replica_up 0")

	if lines := s.Log.Lines("the replica does not work; the primary answers its reads"); len(lines) != 1 ||
		lines[0]["level"] != "WARN" || lines[0]["error"] == "" {
		t.Errorf("the log has %v", lines)
	}

	proxy.Enable()
	wantMetrics(t, s, "vitrine_database_replica_up 1")

	if n := len(s.Log.Lines("the replica works again")); n != 1 {
		t.Errorf("the log says %d times that the replica works again", n)
	}
}

func TestMetrics_ofAReplicaOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	other := databasetest.NewMigratedURL(t, database.Postgres)
	apitest.StartServer(t, database.Postgres, apitest.WithDatabase(other))

	for name, url := range map[string]string{"another shop": other,
		"no shop": databasetest.NewURL(t, database.Postgres)} {
		s := apitest.StartServer(t, database.Postgres,
			apitest.WithDatabase(databasetest.NewMigratedURL(t, database.Postgres)),
			apitest.WithConfig(func(c *config.Serve) { c.DatabaseReplica = url }))
		storetest.Eventually(t, "the log names a replica that is "+name, func() bool {
			return len(s.Log.Lines("the replica does not work; the primary answers its reads")) == 1
		})
		s.Get("/v2/variant-options")
		if stats, _ := s.App.DB.ReplicaStats(); stats.Up || stats.Reads != 0 {
			t.Errorf("the counts of %s are %+v", name, stats)
		}
	}
}
