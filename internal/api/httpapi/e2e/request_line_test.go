package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// requestLine returns the line of the access log that has the request id.
func requestLine(t *testing.T, s *apitest.Server, requestID string) (found map[string]any) {
	t.Helper()
	storetest.Eventually(t, "the request is logged", func() bool {
		for _, line := range s.Log.Lines("request") {
			if line["request_id"] == requestID {
				found = line
			}
		}
		return found != nil
	})
	return found
}

func TestRequestLine_saysWhoAskedWhat(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		s.Do("GET", "/v2/nothing-here", nil, apitest.Header("X-Request-Id", "no-route"))
		s.Do("GET", "/v2/products/1", nil, apitest.Header("X-Request-Id", "wide"),
			apitest.Header("User-Agent", "shop/1.0 \xff"+strings.Repeat("k ", 300)),
			apitest.Header("Traceparent", traceparent))
		s.Do("GET", "/v2/store", nil, apitest.As(s.Secret+"x"), apitest.Header("X-Request-Id", "wrong"),
			apitest.Header("Traceparent", "00-"+strings.Repeat("0", 32)+"-00f067aa0ba902b7-01"))
		line := requestLine(t, s, "wide")

		for name, want := range map[string]any{
			"store_id": s.StoreID.String(), "credential": "secret", "status": 404.0, "code": "not_found",
			"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "level": "INFO", "route": "GET /v2/products/{id}",
		} {
			if line[name] != want {
				t.Errorf("%s is %v, want %v", name, line[name], want)
			}
		}

		if id, _ := line["credential_id"].(string); len(id) != 36 {
			t.Errorf("credential_id is %q", id)
		}
		if agent, _ := line["user_agent"].(string); !strings.HasPrefix(agent, "shop/1.0 k k ") || len(agent) > 200 {
			t.Errorf("user_agent is %q", agent)
		}

		line = requestLine(t, s, "wrong")
		for _, name := range []string{"store_id", "credential", "credential_id", "trace_id"} {
			if line[name] != nil {
				t.Errorf("without a valid credential and trace, %s is %v", name, line[name])
			}
		}

		if line := requestLine(t, s, "no-route"); line["code"] != "no_such_path" {
			t.Errorf("the code of an unknown path is %v", line["code"])
		}
	}, apitest.Alone())
}

func TestRequestLine_ofProbesIsForDebugging(t *testing.T) {
	s := apitest.StartServer(t, "sqlite", apitest.Alone())
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		id := "probe" + path[1:]
		s.DoAdmin("GET", path, nil, apitest.Header("X-Request-Id", id), apitest.As(""))
		if line := requestLine(t, s, id); line["level"] != "DEBUG" {
			t.Errorf("%s is logged at the level %v", path, line["level"])
		}
	}
	s.DoAdmin("GET", "/metrics", nil, apitest.Header("X-Request-Id", "refused"), apitest.As(""),
		apitest.Header("X-Forwarded-For", "192.0.2.1"))
	if line := requestLine(t, s, "refused"); line["level"] != "INFO" || line["status"] != 403.0 {
		t.Errorf("a refused probe is logged as %v", line)
	}
}

func TestPushLine_namesItsRequest(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s.Do("POST", "/v2/sync-gate/stocks", `{"payload": [{"id": 1, "name": "A"}]}`, apitest.As(s.Exchange),
			apitest.Header("X-Request-Id", "push-1"))
		lines := s.Log.Lines("push")
		if len(lines) != 1 || lines[0]["request_id"] != "push-1" || lines[0]["created"] != 1.0 ||
			lines[0]["entity"] != "stocks" || lines[0]["run_id"] == nil || lines[0]["duration_ms"] == nil {
			t.Errorf("the lines are %v", lines)
		}
	}, apitest.Alone())
}
