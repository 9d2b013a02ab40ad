// Package tracetest has a collector of traces on loopback, which receives OTLP over HTTP as a real one does. It is for
// tests only.
package tracetest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span that a Collector received. ParentID is "" for a span without a parent.
type Span struct {
	TraceID, ID, ParentID, Name string
	Kind                        otlp.Span_SpanKind
	Start                       time.Time
	Duration                    time.Duration
	Failed                      bool
	// Attributes and Resource are the attributes of the span and of its process, as text. Events are the names of its
	// events, followed by their attributes.
	Attributes, Resource map[string]string
	Events               []string
}

// Collector receives spans. It is safe for concurrent use.
type Collector struct {
	URL string

	mu     sync.Mutex
	spans  []Span
	bodies strings.Builder
	header http.Header
	status int
	errors []error
	// requests is the number of requests, whatever the status.
	requests int
}

// Start starts a collector that stops when the test ends. The test fails if a request is not OTLP.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{status: http.StatusOK}
	server := httptest.NewServer(c)
	c.URL = server.URL
	t.Cleanup(func() {
		server.Close()
		for _, err := range c.errors {
			t.Error(err)
		}
	})
	return c
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	body, err := io.ReadAll(r.Body)
	if err == nil && c.status == http.StatusOK {
		err = c.receive(r, body)
	}
	if err != nil {
		c.errors = append(c.errors, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(c.status)
}

func (c *Collector) receive(r *http.Request, body []byte) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
		r.Header.Get("Content-Type") != "application/x-protobuf" {
		return fmt.Errorf("the collector got %s %s with %q", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}

	var data otlp.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		return fmt.Errorf("the collector got no protobuf: %w", err)
	}

	c.header = r.Header.Clone()
	c.bodies.Write(body)

	for _, from := range data.GetResourceSpans() {
		resource := attributeTexts(from.GetResource().GetAttributes())
		for _, scope := range from.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, readSpan(s, resource))
			}
		}
	}

	return nil
}

func readSpan(s *otlp.Span, resource map[string]string) Span {
	start := time.Unix(0, int64(s.GetStartTimeUnixNano()))
	span := Span{
		TraceID: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
		ParentID: hex.EncodeToString(s.GetParentSpanId()), Name: s.GetName(), Kind: s.GetKind(), Start: start,
		Duration:   time.Unix(0, int64(s.GetEndTimeUnixNano())).Sub(start),
		Failed:     s.GetStatus().GetCode() == otlp.Status_STATUS_CODE_ERROR,
		Attributes: attributeTexts(s.GetAttributes()), Resource: resource,
	}
	for _, e := range s.GetEvents() {
		text := e.GetName()
		for key, value := range attributeTexts(e.GetAttributes()) {
			text += " " + key + "=" + value
		}
		span.Events = append(span.Events, text)
	}

	return span
}

func attributeTexts(list []*common.KeyValue) map[string]string {
	texts := map[string]string{}
	for _, a := range list {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			texts[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			texts[a.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			texts[a.GetKey()] = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_BoolValue:
			texts[a.GetKey()] = fmt.Sprint(v.BoolValue)
		default:
			texts[a.GetKey()] = fmt.Sprintf("%v", v)
		}
	}

	return texts
}

// Respond makes the collector respond with a status. Spans that come with another status than 200 are lost.
func (c *Collector) Respond(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// Spans returns all spans so far, in the order of their start.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.spans), func(a, b Span) int { return a.Start.Compare(b.Start) })
}

// Bodies returns the bytes of all requests so far. The text of spans is in them as it is.
func (c *Collector) Bodies() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bodies.String()
}

// Requests returns how many requests there were.
func (c *Collector) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// Header returns the header of the last request.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.header
}

// Find returns the spans for which match returns true.
func (c *Collector) Find(match func(Span) bool) (found []Span) {
	for _, s := range c.Spans() {
		if match(s) {
			found = append(found, s)
		}
	}
	return found
}

// Tree returns the spans of a trace as lines, each indented below its parent. It is for messages of failed tests.
func (c *Collector) Tree(traceID string) string {
	spans := c.Find(func(s Span) bool { return s.TraceID == traceID })
	known := map[string]bool{}
	for _, s := range spans {
		known[s.ID] = true
	}

	var text strings.Builder
	var write func(parent Span, indent string)

	write = func(s Span, indent string) {
		mark := ""
		if s.Failed {
			mark = " FAILED"
		}

		fmt.Fprintf(&text, "%s%-*s %8.3f ms%s%s\n", indent, max(0, 60-len(indent)), s.Name,
			float64(s.Duration.Microseconds())/1000, mark, attributeLine(s))

		for _, child := range spans {
			if child.ParentID == s.ID {
				write(child, indent+"  ")
			}
		}
	}
	for _, s := range spans {
		if !known[s.ParentID] {
			write(s, "")
		}
	}

	return text.String()
}

// attributeLine returns the attributes of a span, sorted by name, without the text of statements.
func attributeLine(s Span) string {
	var list []string
	for key, value := range s.Attributes {
		if key != "db.query.text" {
			list = append(list, key+"="+value)
		}
	}
	slices.Sort(list)
	return "  " + strings.Join(slices.Concat(list, s.Events), " ")
}
