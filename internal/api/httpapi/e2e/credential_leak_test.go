package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// No credential appears in the log, in the metrics or in an error. The access log has the route pattern, not the path.
func TestCredential_isNeverInLogsMetricsOrProblems(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		id := strings.TrimPrefix(createOption(s), optionsPath)

		// Valid tokens, and texts that look like tokens, are sent in every place where a client might put them.
		canaries := []string{s.Secret, s.Publishable, s.Exchange, s.Other.Secret, "sk_canary0123456789",
			"ct_canary0123456789"}
		var bodies []string
		for _, token := range canaries {
			for _, c := range []struct {
				method, path string
				body         any
			}{
				{"GET", optionsPath, nil}, {"GET", optionsPath + "/" + token, nil},
				{"GET", optionsPath + "?q=" + token, nil}, {"GET", optionsPath + "?page=" + token, nil},
				{"GET", optionsPath + "?with=" + token, nil}, {"GET", "/v2/" + token, nil},
				{"GET", "/v2/sync-gate/" + token + "/products", nil},
				{"POST", "/v2/sync-gate/" + token + "/products", `{}`}, {"GET", "//" + token, nil},
				{"PUT", optionsPath + id, `{"name": {"` + token + `": 1}}`},
				{"POST", optionsPath, `{"name": "` + token}, {"POST", optionsPath, `{"name": "x"} ` + token},
				{"POST", optionsPath, `{"name": ` + token + `}`},
				{"POST", optionsPath, `{"` + token + `": 1, "` + token + `": 2}`},
				{"POST", optionsPath, `{"values": [{"name": "x", "` + token + `": [}]}`},
				{"PUT", optionsPath + id, `{"removed_values": ["` + token + `"]}`},
				{"PUT", optionsPath + id, `{"values": [{"id": "` + token + `", "name": "x"}]}`},
				{"POST", "/v2/features", `{"name": "x", "field_type": "` + token + `"}`},
				{"POST", "/v2/features", `{"name": "x", "field_type": "range", "values": [{"name": "` + token + `"}]}`},
				{"PATCH", optionsPath + "/" + token, nil}, {"GET", "/docs/" + token, nil},
				{"OPTIONS", optionsPath + "/" + token, nil},
			} {
				for _, as := range []apitest.RequestOption{apitest.As(token), withHeader("Authorization", token),
					withHeader("Authorization", "Basic "+token)} {
					r := s.Do(c.method, c.path, c.body, as, withHeader("X-Api-Key", token),
						withHeader("Cookie", "t="+token), withHeader("Referer", "http://x/"+token),
						withHeader("User-Agent", token), withHeader("If-Match", `"`+token+`"`),
						withHeader("Content-Encoding", ""), withHeader("Origin", "https://"+token),
						withHeader("Idempotency-Key", token))
					if r.Status >= 400 {
						bodies = append(bodies, fmt.Sprint(r.Header), string(r.Body))
					}
				}
			}
		}

		if len(bodies) < 500 {
			t.Fatalf("only %d errors were caused, want at least 500", len(bodies))
		}

		log := s.Log.String()
		metrics := s.Metrics()
		for _, token := range canaries {
			part := token[3:] // without the prefix, which messages may contain
			for where, text := range map[string]string{"log": log, "metrics": metrics,
				"an error": strings.Join(bodies, "\n")} {
				if i := strings.Index(text, part); i >= 0 {
					t.Errorf("a credential is in the %s: …%s…", where, text[max(0, i-200):min(len(text), i+80)])
				}
			}
		}

		// The access log has lines, and their routes are patterns.
		var patterns []string
		for _, route := range s.App.API().Routes() {
			patterns = append(patterns, route.Method+" "+route.Path)
		}

		for _, route := range s.App.Admin().Routes() {
			patterns = append(patterns, route.Method+" "+route.Path)
		}

		lines := s.Log.Lines("request")
		if len(lines) < 300 {
			t.Errorf("only %d requests are logged", len(lines))
		}

		for _, line := range lines {
			if route := fmt.Sprint(line["route"]); route != "none" && !slices.Contains(patterns, route) {
				t.Errorf("the access log has the route %s, want a pattern", route)
			}

			for name := range line {
				if !slices.Contains([]string{"time", "level", "msg", "method", "route", "status", "bytes",
					"duration_ms", "request_id", "address", "store_id", "credential", "credential_id", "code",
					"user_agent"}, name) {
					text, _ := json.Marshal(line)
					t.Errorf("a line of the access log has the member %s: %s", name, text)
				}
			}
		}

		if strings.Contains(log, id[1:]) || strings.Contains(metrics, id[1:]) {
			t.Error("an id of a path is in the log or the metrics")
		}

		for _, warning := range s.Log.WarningsAndErrors() {
			t.Errorf("the log has a warning or an error: %s", warning)
		}
	}, apitest.Alone())
}

// The metrics count by route pattern and status.
func TestMetrics_countByRouteAndStatus(t *testing.T) {
	s := startServer(t, apitest.Alone())
	path := createOption(s)
	for range 3 {
		s.Get(path)
	}

	s.Do("GET", optionsPath+"/x", nil)
	s.Do("GET", "/v2/nothing", nil)
	metrics := s.Metrics()
	for _, want := range []string{
		`vitrine_http_requests_total{route="GET /v2/variant-options/{id}",status="200"} 3`,
		`vitrine_http_requests_total{route="GET /v2/variant-options/{id}",status="404"} 1`,
		`vitrine_http_requests_total{route="POST /v2/variant-options",status="201"} 1`,
		`vitrine_http_requests_total{route="none",status="404"} 1`,
		`vitrine_http_request_seconds_count{route="GET /v2/variant-options/{id}"} 4`,
		`go_goroutines`, `process_resident_memory_bytes`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics do not say %s", want)
		}
	}
}
