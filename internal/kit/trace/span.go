package trace

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	api "go.opentelemetry.io/otel/trace"
)

// Span is a part of a trace: something that took time. The zero Span does nothing. A Span may be used by several
// goroutines.
type Span struct {
	root  *root
	otel  api.Span
	first bool // the first span of the trace in this process
}

// Start starts a span within the span of the context. If the context has none, it returns the context and the zero
// Span.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return startIn(ctx, name, api.SpanKindInternal)
}

// StartClient is like Start, for a request to another server.
func StartClient(ctx context.Context, name string) (context.Context, Span) {
	return startIn(ctx, name, api.SpanKindClient)
}

func startIn(ctx context.Context, name string, kind api.SpanKind) (context.Context, Span) {
	r, ok := ctx.Value(rootKey{}).(*root)
	if !ok {
		return ctx, Span{}
	}
	ctx, span := r.tracer.otel.Start(ctx, name, api.WithSpanKind(kind))
	return ctx, Span{root: r, otel: span}
}

// StartDetail starts a span of which there may be very many in one trace. After the first thousand it returns the zero
// Span, and the first span of the trace says how many were left out.
func StartDetail(ctx context.Context, name string) Span {
	r, ok := ctx.Value(rootKey{}).(*root)
	if !ok || r.details.Add(1) > maxDetails {
		return Span{}
	}
	_, span := r.tracer.otel.Start(ctx, name, api.WithSpanKind(api.SpanKindClient))
	return Span{root: r, otel: span}
}

// Detail starts a detail span within s.
func (s Span) Detail(name string) Span { return s.detail(name, api.SpanKindClient) }

// Past adds a detail span that has ended, from start until now.
func (s Span) Past(name string, start time.Time) {
	if span := s.detail(name, api.SpanKindInternal, api.WithTimestamp(start)); span.Recording() {
		span.otel.End()
	}
}

// minInterval is the shortest interval that gets a span.
const minInterval = time.Millisecond

// Interval measures what is usually too short for a span, such as a wait. The zero Interval measures nothing.
type Interval struct {
	span  Span
	start time.Time
}

// StartInterval starts to measure an interval in the span.
func (s Span) StartInterval() Interval {
	if s.root == nil {
		return Interval{}
	}
	return Interval{s, time.Now()}
}

// End adds a detail span with the name if the interval took at least a millisecond. It returns how long it took.
func (i Interval) End(name string) time.Duration {
	if i.span.root == nil {
		return 0
	}
	took := time.Since(i.start)
	if took >= minInterval {
		i.span.Past(name, i.start)
	}
	return took
}

func (s Span) detail(name string, kind api.SpanKind, options ...api.SpanStartOption) Span {
	if s.root == nil || s.root.details.Add(1) > maxDetails {
		return Span{}
	}
	parent := api.ContextWithSpan(context.Background(), s.otel)
	_, span := s.root.tracer.otel.Start(parent, name, append(options, api.WithSpanKind(kind))...)
	return Span{root: s.root, otel: span}
}

// Current returns the span of the context, or the zero Span. The caller must not end it.
func Current(ctx context.Context) Span {
	if r, ok := ctx.Value(rootKey{}).(*root); ok {
		return Span{root: r, otel: api.SpanFromContext(ctx)}
	}
	return Span{}
}

// Recording reports whether s records anything. Callers check it before they compute attributes.
func (s Span) Recording() bool { return s.root != nil }

// String sets an attribute.
func (s Span) String(key, value string) {
	if s.root != nil {
		s.otel.SetAttributes(attribute.String(key, value))
	}
}

// Int sets an attribute.
func (s Span) Int(key string, value int64) {
	if s.root != nil {
		s.otel.SetAttributes(attribute.Int64(key, value))
	}
}

// Millis sets an attribute to a number of milliseconds.
func (s Span) Millis(key string, d time.Duration) {
	if s.root != nil {
		s.otel.SetAttributes(attribute.Float64(key, float64(d.Microseconds())/1000))
	}
}

// Bool sets an attribute.
func (s Span) Bool(key string, value bool) {
	if s.root != nil {
		s.otel.SetAttributes(attribute.Bool(key, value))
	}
}

// Event adds something that happened at this moment, with one attribute.
func (s Span) Event(name, key, value string) {
	if s.root != nil {
		s.otel.AddEvent(name, api.WithAttributes(attribute.String(key, value)))
	}
}

// Rename sets the name.
func (s Span) Rename(name string) {
	if s.root != nil {
		s.otel.SetName(name)
	}
}

// Fail marks the span as failed. errorType is one of a few words, never a text that may quote a user.
func (s Span) Fail(errorType string) {
	if s.root != nil {
		s.otel.SetAttributes(attribute.String("error.type", errorType))
		s.otel.SetStatus(codes.Error, "")
	}
}

// End ends the span. It must be called once.
func (s Span) End() {
	if s.root == nil {
		return
	}
	if omitted := s.root.details.Load() - maxDetails; s.first && omitted > 0 {
		s.otel.SetAttributes(attribute.Int64("vitrine.spans_omitted", omitted))
	}
	s.otel.End()
}
