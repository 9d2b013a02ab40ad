package trace

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	api "go.opentelemetry.io/otel/trace"
)

// remoteContext returns the context that the W3C headers of a request have, or the zero value if they are missing or
// not valid. It is the only place that parses them.
func remoteContext(h http.Header) api.SpanContext {
	if h.Get("Traceparent") == "" {
		return api.SpanContext{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(h))
	return api.SpanContextFromContext(ctx)
}

// ID returns the trace id of the context or, if it has none because tracing is off, the trace id of the request's
// headers. It is "" if there is neither.
func ID(ctx context.Context, h http.Header) string {
	span := api.SpanContextFromContext(ctx)
	if !span.IsValid() {
		span = remoteContext(h)
	}
	if !span.IsValid() {
		return ""
	}
	return span.TraceID().String()
}
