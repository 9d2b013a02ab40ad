package trace_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"vitrine/internal/kit/trace"
	"vitrine/internal/testkit/storetest"
	"vitrine/internal/testkit/tracetest"
)

const (
	traceID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID    = "00f067aa0ba902b7"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
)

// logBuffer is a log that several goroutines write.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startTracer returns a tracer that sends to the URL. It is closed when the test ends.
func startTracer(t *testing.T, url string, change func(*trace.Config)) (*trace.Tracer, *logBuffer) {
	t.Helper()
	log := &logBuffer{}
	cfg := trace.Config{Endpoint: url, Sample: 1, Version: "7", Log: slog.New(slog.NewTextHandler(log, nil))}
	if change != nil {
		change(&cfg)
	}
	tracer, err := trace.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeTracer(t, tracer) })
	return tracer, log
}

// closeTracer sends what waits.
func closeTracer(t *testing.T, tracer *trace.Tracer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if err := tracer.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestTracer_sendsSpansToACollector(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	tracer, _ := startTracer(t, collector.URL+"/", func(c *trace.Config) { c.Headers = "api-key=a%20b, tenant=7" })
	ctx, server := tracer.StartServer(t.Context(), http.Header{"Traceparent": {traceparent}}, "HTTP")
	server.Rename("GET /things")
	inner, step := trace.Start(ctx, "step")
	trace.Current(inner).String("text", "value")
	step.Int("number", 7)
	step.Bool("flag", true)
	step.Millis("took_ms", 1500*time.Microsecond)
	step.Event("something", "key", "value")
	step.Detail("detail").End()
	step.Past("past", time.Now().Add(-time.Second))
	step.Fail("broken")
	step.End()
	server.End()
	_, job := tracer.StartJob(ctx, "job")
	job.End()
	closeTracer(t, tracer)

	byName := map[string]tracetest.Span{}
	for _, s := range collector.Spans() {
		byName[s.Name] = s
	}

	got := byName["GET /things"]
	if got.TraceID != traceID || got.ParentID != parentID || got.Kind != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("the span of the request is %+v, want one in the trace of its headers", got)
	}

	if r := got.Resource; r["service.name"] != "vitrine" || r["service.version"] != "7" ||
		r["service.instance.id"] == "" {
		t.Errorf("the attributes of the process are %v", r)
	}

	inStep := byName["step"]
	if inStep.ParentID != got.ID || !inStep.Failed {
		t.Errorf("the inner span is %+v, want a failed one in the span of the request", inStep)
	}

	for key, want := range map[string]string{"text": "value", "number": "7", "flag": "true", "took_ms": "1.5",
		"error.type": "broken"} {
		if inStep.Attributes[key] != want {
			t.Errorf("the attribute %s is %q, want %q", key, inStep.Attributes[key], want)
		}
	}

	if len(inStep.Events) != 1 || inStep.Events[0] != "something key=value" {
		t.Errorf("the events are %q", inStep.Events)
	}

	for _, name := range []string{"detail", "past"} {
		if s := byName[name]; s.ParentID != inStep.ID || s.TraceID != traceID {
			t.Errorf("the span %s is %+v, want one in the inner span", name, s)
		}
	}

	if past := byName["past"].Duration; past < time.Second {
		t.Errorf("the span that has ended took %s, want at least a second", past)
	}
	if s := byName["job"]; s.TraceID == traceID || s.ParentID != "" || s.Kind != otlp.Span_SPAN_KIND_CONSUMER {
		t.Errorf("the span of a job is %+v, want one in a trace of its own", s)
	}
	if h := collector.Header(); h.Get("Api-Key") != "a b" || h.Get("Tenant") != "7" {
		t.Errorf("the collector got the header %v", h)
	}

	if s := tracer.Stats(); s != (trace.Stats{Sent: int64(len(byName))}) {
		t.Errorf("the counts are %+v for %d spans", s, len(byName))
	}
}

// A trace is recorded if it is in the share that is sampled, and if its caller, if there is one, records it. A caller
// cannot have more recorded than the share.
func TestTracer_samplesItsShareOfWhatCallersRecord(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	none, _ := startTracer(t, collector.URL, func(c *trace.Config) { c.Sample = 0 })
	all, _ := startTracer(t, collector.URL, nil)

	start := func(tracer *trace.Tracer, name, traceparent string) context.Context {
		h := http.Header{}
		if traceparent != "" {
			h.Set("Traceparent", traceparent)
		}

		ctx, span := tracer.StartServer(t.Context(), h, name)
		_, inner := trace.Start(ctx, "in "+name)
		inner.End()
		span.End()

		return ctx
	}

	start(all, "recorded", traceparent)
	start(none, "not in the share", traceparent)
	ctx := start(all, "not recorded", strings.TrimSuffix(traceparent, "1")+"0")
	if id := trace.ID(ctx, nil); id != traceID {
		t.Errorf("the id of a trace that is not recorded is %q, want that of the caller", id)
	}

	ctx = start(none, "new", "")
	if id := trace.ID(ctx, nil); len(id) != 32 {
		t.Errorf("the id of a new trace that is not recorded is %q", id)
	}

	closeTracer(t, none)
	closeTracer(t, all)
	var names []string
	for _, s := range collector.Spans() {
		names = append(names, s.Name)
	}

	if got := strings.Join(names, ", "); got != "recorded, in recorded" {
		t.Errorf("the collector got %s", got)
	}
}

func TestID_isThatOfTheHeaderWithoutATracer(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "", traceparent: traceID, "00-" + strings.Repeat("0", 32) + "-" + parentID + "-01": "",
		strings.ToUpper(traceparent): "", traceparent[3:]: "", traceparent + "-x": "", "ff" + traceparent[2:]: "",
	} {
		if got := trace.ID(t.Context(), http.Header{"Traceparent": {header}}); got != want {
			t.Errorf("the id of %q is %q, want %q", header, got, want)
		}
	}
}

func TestTransport_sendsNoContextAndHidesPaths(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	tracer, _ := startTracer(t, collector.URL, nil)
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Traceparent"))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()

	ctx, span := tracer.StartServer(t.Context(), nil, "HTTP")

	send := func(ctx context.Context, url string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/secretPath?q=secretQuery", nil)
		if err != nil {
			t.Fatal(err)
		}

		transport := trace.Transport{Base: &http.Transport{DisableKeepAlives: true}}
		response, err := transport.RoundTrip(r)
		if err == nil {
			response.Body.Close()
		}

		if r.Header.Get("Traceparent") != "" {
			t.Error("the transport changed the caller's request")
		}
	}

	send(ctx, server.URL)
	send(ctx, server.URL)
	send(t.Context(), server.URL)
	send(ctx, "http://127.0.0.1:1")
	span.End()
	closeTracer(t, tracer)

	spans := collector.Find(func(s tracetest.Span) bool { return s.Name == http.MethodPut })
	if len(spans) != 3 || len(got) != 3 {
		t.Fatalf("%d spans and %d requests, want 3 each:\n%s", len(spans), len(got), collector.Tree(trace.ID(ctx, nil)))
	}
	if strings.Join(got, "") != "" {
		t.Errorf("the server got the traceparent headers %q, want none", got)
	}

	if s := spans[0]; s.Attributes["http.response.status_code"] != "418" || !s.Failed ||
		s.Attributes["server.address"] != "127.0.0.1" || s.Kind != otlp.Span_SPAN_KIND_CLIENT {
		t.Errorf("the span is %+v", s)
	}

	if s := spans[2]; s.Attributes["error.type"] != "connection" || !s.Failed {
		t.Errorf("the span of a request that failed is %+v", s)
	}
	if strings.Contains(collector.Bodies(), "secret") {
		t.Error("the path or the query is in a trace")
	}
}

func TestTracer_leavesOutDetailsOfLongTraces(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	tracer, _ := startTracer(t, collector.URL, nil)
	ctx, span := tracer.StartJob(t.Context(), "long")

	for range 1200 {
		trace.StartDetail(ctx, "detail").End()
	}

	_, batch := trace.Start(ctx, "batch")
	batch.Detail("detail").End()
	batch.End()
	span.End()
	closeTracer(t, tracer)
	counts := map[string]int{}

	for _, s := range collector.Spans() {
		counts[s.Name]++
		if s.Name == "long" && s.Attributes["vitrine.spans_omitted"] != "201" {
			t.Errorf("the attributes of the first span are %v, want 201 omitted spans", s.Attributes)
		}
	}

	if counts["detail"] != 1000 || counts["batch"] != 1 || counts["long"] != 1 {
		t.Errorf("the spans are %v", counts)
	}
}

// A collector that refuses spans and later accepts them again causes two lines of the log, however many batches were
// lost. Requests do not wait for it.
func TestTracer_logsAnOutageOnce(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	collector.Respond(http.StatusForbidden) // which is not tried again
	const secret = "canaryHeader0123"
	tracer, log := startTracer(t, collector.URL, func(c *trace.Config) { c.Headers = "authorization=" + secret })
	end := func(n int64) {
		for range n {
			_, span := tracer.StartJob(t.Context(), "job")
			span.End()
		}
	}

	for batch := range int64(3) {
		end(10)
		storetest.EventuallyEqual(t, "the failed spans are", 10*(batch+1),
			func() int64 { return tracer.Stats().Failed })
	}

	collector.Respond(http.StatusOK)
	end(5)
	storetest.EventuallyEqual(t, "the counts are", trace.Stats{Sent: 5, Failed: 30}, tracer.Stats)

	if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "the status 403") ||
		!strings.Contains(log.String(), "traces are sent again") {
		t.Errorf("the log is %s", log)
	}

	if strings.Contains(log.String(), secret) {
		t.Error("the log has the secret header")
	}
}

func TestTracer_triesAgainWhenTheCollectorIsBusy(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	collector.Respond(http.StatusServiceUnavailable)
	tracer, log := startTracer(t, collector.URL, nil)
	_, span := tracer.StartJob(t.Context(), "job")
	span.End()
	storetest.Eventually(t, "the collector refuses the span", func() bool { return collector.Requests() > 0 })
	collector.Respond(http.StatusOK)
	storetest.EventuallyEqual(t, "the counts are", trace.Stats{Sent: 1}, tracer.Stats)
	if log.String() != "" {
		t.Errorf("the log is %s, want nothing", log)
	}
}

// Without a collector the queue fills up, and further spans are dropped at once.
func TestTracer_dropsSpansWhenTheQueueIsFull(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)

	tracer, _ := startTracer(t, server.URL, nil)
	const spans = 5000
	for range spans {
		_, span := tracer.StartJob(t.Context(), "job")
		span.End()
	}

	if s := tracer.Stats(); s.Dropped != spans-4096 || s.Sent != 0 {
		t.Errorf("the counts are %+v, want %d dropped", s, spans-4096)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tracer.Close(ctx); err == nil {
		t.Error("Close succeeds although the collector hangs")
	}

	storetest.EventuallyEqual(t, "the counts are", trace.Stats{Failed: 4096, Dropped: spans - 4096}, tracer.Stats)
}

func TestNew_refusesBadSettings(t *testing.T) {
	t.Parallel()

	const secret = "canary0123"
	for _, cfg := range []trace.Config{
		{Endpoint: "localhost:4318", Sample: 1}, {Endpoint: "grpc://localhost:4317", Sample: 1},
		{Endpoint: "http://user:" + secret + "@localhost", Sample: 1},
		{Endpoint: "http://localhost?key=" + secret, Sample: 1},
		{Endpoint: "http://localhost", Sample: 1.5}, {Endpoint: "http://localhost", Sample: -1},
		{Endpoint: "http://localhost", Headers: secret, Sample: 1},
		{Endpoint: "http://localhost", Headers: "a b=" + secret, Sample: 1},
		{Endpoint: "http://localhost", Headers: "a=" + secret + "%0a", Sample: 1}, {Headers: "a=" + secret},
	} {
		tracer, err := trace.New(cfg)
		if err == nil || tracer != nil || strings.Contains(err.Error(), secret) {
			t.Errorf("New(%+v) returns %v", cfg, err)
		}
	}
}

// Without a tracer, nothing is allocated.
func TestOff_allocatesNothing(t *testing.T) {
	var tracer *trace.Tracer
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), http.ServerContextKey, "x"))
	defer cancel()

	h := http.Header{}

	n := testing.AllocsPerRun(1000, func() {
		ctx, span := tracer.StartServer(ctx, h, "HTTP")
		ctx, job := tracer.StartJob(ctx, "job")
		ctx, inner := trace.Start(ctx, "step")
		interval := inner.StartInterval()
		interval.End("wait")
		inner.String("key", "value")
		inner.Int("key", 1)
		inner.Event("event", "key", "value")
		inner.Fail("broken")
		trace.StartDetail(ctx, "detail").End()
		inner.Detail("detail").End()
		trace.Current(ctx).Rename("name")

		if trace.ID(ctx, h) != "" {
			t.Error("there is a trace id")
		}

		inner.End()
		job.End()
		span.End()
	})
	if n != 0 {
		t.Errorf("%v allocations without a tracer, want none", n)
	}

	if err := tracer.Close(ctx); err != nil || tracer.Stats() != (trace.Stats{}) {
		t.Errorf("Close returns %v", err)
	}
}
