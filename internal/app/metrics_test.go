package app_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
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
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
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
	})
}

func TestMetrics_ofTheDatabase(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		wantMetrics(t, s, `vitrine_database_up 1`, `vitrine_database_transaction_seconds_count{kind="read"} [1-9]\d*`,
			`vitrine_database_transaction_seconds_count{kind="snapshot"} [1-9]\d*`,
			`vitrine_database_wait_seconds_count{kind="write"} [1-9]\d*`,
			`vitrine_database_connections{state="in_use"} \d+`, `vitrine_database_connections_max [1-9]\d*`,
			`vitrine_build_info{database="`+s.Engine+`",goversion="go[^"]+",version="[^"]*"} 1`,
			`vitrine_disk_free_bytes{dir="spool"} [1-9].*`, `vitrine_disk_free_bytes{dir="blobs"} [1-9].*`)
		own, other := []string{`vitrine_database_write_queue \d+`, `vitrine_database_read_memory_bytes [1-9].*`, `vitrine_database_file_bytes{file="wal"} [1-9].*`,
			`vitrine_database_wal_pages{state="pending"} \d+`, `vitrine_disk_free_bytes{dir="database"} [1-9].*`},
			"vitrine_database_pool_"
		if s.Engine == database.Postgres {
			own, other = []string{`vitrine_database_pool_waits_total \d+`, `vitrine_database_pool_wait_seconds_total .*`},
				"vitrine_database_wal_pages"
		}
		wantMetrics(t, s, own...)
		if strings.Contains(s.Metrics(), "\n"+other) {
			t.Errorf("/metrics has %s of the other engine", other)
		}
	})
}

func TestMetrics_ofWebhooks(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		wantMetrics(t, s, `vitrine_webhook_receivers{state="failing"} 0`,
			`vitrine_webhook_receivers{state="disabled_gone"} 0`, `vitrine_webhook_stranded_deliveries{status="held"} 0`,
			`vitrine_webhook_oldest_undelivered_seconds 0`, `vitrine_jobs_overdue_seconds{kind="webhook.deliver"} 0`,
			`vitrine_jobs_parked{kind="exchange.commerceml"} 0`)
	})
}

func TestMetrics_ofFailedSignIns(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
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
