package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
	"vitrine/internal/testkit/tracetest"
)

// withTraces sends all traces to a collector.
func withTraces(c *tracetest.Collector) apitest.Option {
	return apitest.WithConfig(func(s *config.Serve) {
		s.OTLPEndpoint = c.URL
		s.TraceSample = 1
	})
}

// eachTraced calls fn with a server and its collector, for both databases. The server sends its last traces when fn
// stops it.
func eachTraced(t *testing.T, fn func(t *testing.T, s *apitest.Server, c *tracetest.Collector)) {
	t.Helper()
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := tracetest.Start(t)
			fn(t, apitest.StartServer(t, engine, apitest.DevMode(), withTraces(c)), c)
		})
	}
}

// findSpan returns the only span with this name for which all attributes are as given.
func findSpan(t *testing.T, c *tracetest.Collector, name string, attributes map[string]string) tracetest.Span {
	t.Helper()
	found := c.Find(func(s tracetest.Span) bool {
		for key, want := range attributes {
			if s.Attributes[key] != want {
				return false
			}
		}
		return s.Name == name
	})
	if len(found) != 1 {
		var all strings.Builder
		for _, s := range c.Spans() {
			if s.ParentID == "" {
				fmt.Fprintln(&all, c.Tree(s.TraceID))
			}
		}
		t.Fatalf("%d spans %s with %v, want one:\n%s", len(found), name, attributes, all.String())
	}

	return found[0]
}

// pathTo returns the names of the spans from the first one of the trace down to s.
func pathTo(c *tracetest.Collector, s tracetest.Span) string {
	path := []string{s.Name}
	for s.ParentID != "" {
		parents := c.Find(func(p tracetest.Span) bool { return p.ID == s.ParentID && p.TraceID == s.TraceID })
		if len(parents) != 1 {
			break
		}
		s = parents[0]
		path = append(path, s.Name)
	}
	slices.Reverse(path)
	return strings.Join(path, " > ")
}

// loggedTrace returns the trace_id in the log line of a request.
func loggedTrace(t *testing.T, s *apitest.Server, requestID string) (id string) {
	t.Helper()
	storetest.Eventually(t, "the request is logged", func() bool {
		for _, line := range s.Log.Lines("request") {
			if line["request_id"] == requestID {
				id, _ = line["trace_id"].(string)
				return true
			}
		}
		return false
	})
	return id
}

func TestTraces_haveRequestsAndTheirStatements(t *testing.T) {
	t.Parallel()
	const traceID, parentID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

	eachTraced(t, func(t *testing.T, s *apitest.Server, c *tracetest.Collector) {
		s.OK(200, "GET", "/v2/orders?q=canaryQuery", nil, apitest.Header("X-Request-Id", "list"),
			apitest.Header("Traceparent", "00-"+traceID+"-"+parentID+"-01"))
		s.OK(200, "GET", "/v2/products", nil, apitest.Header("X-Request-Id", "unsampled"),
			apitest.Header("Traceparent", "00-"+strings.Repeat("1", 32)+"-"+parentID+"-00"))
		s.Do("GET", "/v2/canaryPath", nil, apitest.Header("X-Request-Id", "new"))
		s.DoAdmin("GET", "/healthz", nil, apitest.Header("X-Request-Id", "probe"))
		inLog := map[string]string{}

		for _, id := range []string{"list", "unsampled", "new"} {
			inLog[id] = loggedTrace(t, s, id)
		}

		s.Stop()

		list := findSpan(t, c, "GET /v2/orders", map[string]string{"vitrine.request_id": "list",
			"vitrine.store_id": s.StoreID.String(), "http.route": "/v2/orders", "http.request.method": "GET",
			"http.response.status_code": "200"})
		if list.TraceID != traceID || list.ParentID != parentID || inLog["list"] != traceID {
			t.Errorf("the span is %+v and the trace in the log %s, want the trace of the request's header", list,
				inLog["list"])
		}

		statements := c.Find(func(x tracetest.Span) bool {
			return x.TraceID == traceID && x.Name == "SELECT search_words"
		})
		if len(statements) == 0 || !strings.HasPrefix(pathTo(c, statements[0]), "GET /v2/orders > ") {
			t.Errorf("the trace has no span of the statement that searches:\n%s", c.Tree(traceID))
		}

		unknown := findSpan(t, c, "GET", map[string]string{"vitrine.request_id": "new",
			"vitrine.problem": "no_such_path"})
		if unknown.ParentID != "" || inLog["new"] != unknown.TraceID {
			t.Errorf("the span is %+v and the trace in the log %s, want the same new trace", unknown, inLog["new"])
		}
		if inLog["unsampled"] != strings.Repeat("1", 32) {
			t.Errorf("the log has the trace %q, want that of the header", inLog["unsampled"])
		}

		for _, id := range []string{"unsampled", "probe"} {
			if got := c.Find(func(x tracetest.Span) bool {
				return x.Attributes["vitrine.request_id"] == id
			}); len(got) > 0 {
				t.Errorf("the request %s is traced: %+v", id, got)
			}
		}

		if strings.Contains(c.Bodies(), "canary") {
			t.Error("a path or a query is in a trace")
		}
	})
}

// A receiver does not get the trace of its delivery. The trace of the request that emitted the event has the event's
// id.
func TestTraces_haveDeliveries(t *testing.T) {
	t.Parallel()
	eachTraced(t, func(t *testing.T, s *apitest.Server, c *tracetest.Collector) {
		var mu sync.Mutex
		received := map[string]string{} // traceparent by webhook-id
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			received[r.Header.Get("webhook-id")] = r.Header.Get("Traceparent")
			w.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(receiver.Close)
		t.Cleanup(receiver.CloseClientConnections)
		if r := s.DoAdmin("POST", "/api/store/webhook-receivers",
			map[string]any{"url": receiver.URL, "webhook_types": []string{"*"}}); r.Status != 201 {
			t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
		}

		s.OK(201, "POST", "/v2/feedback",
			`{"name": "Anna", "email": "canary@shop.example", "message": "canaryMessage"}`,
			apitest.Header("X-Request-Id", "emits"))
		storetest.Eventually(t, "the event is delivered", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(received) > 0 && len(s.Log.Lines("event delivered")) > 0
		})
		s.Stop()

		for eventID, traceparent := range received {
			attempt := findSpan(t, c, "deliver event", map[string]string{"vitrine.event_id": eventID,
				"vitrine.delivery.attempt": "1", "http.response.status_code": "204", "server.address": "127.0.0.1",
				"vitrine.store_id": s.StoreID.String()})
			sent := findSpan(t, c, "POST", map[string]string{"server.address": "127.0.0.1"})

			if traceparent != "" {
				t.Errorf("the receiver got the traceparent %q, want none", traceparent)
			}
			if path := pathTo(c, sent); path != "job webhook.deliver > deliver event > POST" {
				t.Errorf("the request is at %s", path)
			}
			if line := s.Log.Lines("event delivered")[0]; line["trace_id"] != attempt.TraceID {
				t.Errorf("the log line of the attempt is %v, want the trace %s", line, attempt.TraceID)
			}

			emits := findSpan(t, c, "POST /v2/feedback", map[string]string{"vitrine.request_id": "emits"})
			if want := "feedback.submitted vitrine.event_id=" + eventID; !slices.Contains(emits.Events, want) {
				t.Errorf("the events of the request's span are %q, want %q", emits.Events, want)
			}
		}

		if strings.Contains(c.Bodies(), "canary") {
			t.Error("personal data is in a trace")
		}
	})
}

func TestTraces_havePushes(t *testing.T) {
	t.Parallel()
	eachTraced(t, func(t *testing.T, s *apitest.Server, c *tracetest.Collector) {
		var lines strings.Builder
		for i := range 1500 {
			fmt.Fprintf(&lines, `{"id": "p%d", "name": "canary %d", "variants": [{"id": "v%d", "price": 5}]}`+"\n", i,
				i, i)
		}

		push := func(requestID string, status int, options ...apitest.RequestOption) string {
			options = append(options, apitest.As(""), apitest.Header("X-Request-Id", requestID),
				apitest.Header("Content-Type", "application/x-ndjson"))
			r := s.OK(status, "POST", "/v2/sync-gate/"+s.Exchange+"/products", strings.NewReader(lines.String()),
				options...)
			return r.Text("data.id")
		}
		atOnce := push("at-once", 200)
		background := push("in-background", 202, apitest.Header("Prefer", "respond-async"))
		storetest.Eventually(t, "the push is applied", func() bool {
			for _, line := range s.Log.Lines("push") {
				if line["run_id"] == background {
					return true
				}
			}
			return false
		})
		atomic := s.OK(200, "POST", "/v2/sync-gate/products?atomic=true",
			`{"payload": [{"id": "p1", "name": "canary"}]}`,
			apitest.As(s.Exchange)).Text("data.id")
		s.Stop()

		request := "POST /v2/sync-gate/{token}/products"
		for _, want := range []struct {
			runID, path, batches string
			attributes           map[string]string
		}{
			{atOnce, request + " > push products", "1000 500", map[string]string{"vitrine.push.received": "1500",
				"vitrine.push.created": "1500", "vitrine.push.background": "false",
				"vitrine.push.status": "completed"}},
			{background, "job exchange.run > push products", "1000 500", map[string]string{
				"vitrine.push.unchanged": "1500", "vitrine.push.background": "true"}},
			{atomic, request + " > push products", "1", map[string]string{"vitrine.push.updated": "1"}},
		} {
			want.attributes["vitrine.run_id"] = want.runID
			got := findSpan(t, c, "push products", want.attributes)
			if path := pathTo(c, got); path != want.path {
				t.Errorf("the push is at %s, want %s", path, want.path)
			}

			var batches []string
			inBatch := 0
			for _, batch := range c.Find(func(x tracetest.Span) bool { return x.TraceID == got.TraceID }) {
				if batch.Name == "push batch" {
					batches = append(batches, batch.Attributes["vitrine.push.items"])
				}
				if strings.Contains(pathTo(c, batch), "push products > push batch > write > ") {
					inBatch++
				}
			}

			if strings.Join(batches, " ") != want.batches {
				t.Errorf("the batches at %s have %q items, want %s", want.path, batches, want.batches)
			}
			if want.runID == atOnce && inBatch == 0 {
				t.Errorf("the batches have no statements:\n%s", c.Tree(got.TraceID))
			}
		}

		queued := findSpan(t, c, request, map[string]string{"vitrine.request_id": "in-background"})
		if want := "push queued vitrine.run_id=" + background; !slices.Contains(queued.Events, want) {
			t.Errorf("the events of the request's span are %q, want %q", queued.Events, want)
		}
		if bodies := c.Bodies(); strings.Contains(bodies, "canary") || strings.Contains(bodies, s.Exchange) {
			t.Error("an item or the token is in a trace")
		}
	})
}

// Without its collector the server works as before. The metrics count the spans that were lost, and the log has one
// message, whatever their number.
func TestTraces_areLostWhileTheCollectorIsAway(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		storetest.Eventually(t, "the lost spans are counted", func() bool {
			s.OK(200, "GET", "/v2/products", nil)
			return !strings.Contains(s.Metrics(), `vitrine_trace_spans_total{result="failed"} 0`)
		})
		s.OK(200, "GET", "/v2/products", nil)

		if !strings.Contains(s.Metrics(), `vitrine_trace_spans_total{result="sent"} 0`) {
			t.Error("spans were sent to a collector that is away")
		}

		if n := len(
			s.Log.Lines("traces cannot be sent; spans are dropped until the collector accepts them again")); n != 1 {
			t.Errorf("the log has %d messages about the collector, want one", n)
		}
	}, apitest.WithConfig(func(s *config.Serve) {
		s.OTLPEndpoint = "http://127.0.0.1:1"
		s.TraceSample = 1
	}))
}
