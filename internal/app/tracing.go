package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/trace"
)

// flushTimeout is how long the end of the program waits for the collector. It is less than closeTimeout.
const flushTimeout = 1500 * time.Millisecond

// flushTraces sends the spans that wait and closes the tracer. A collector that is away does not fail the shutdown: the
// spans are lost, and the tracer has logged it.
func (a *App) flushTraces() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	_ = a.tracer.Close(ctx)
}

// traceMetrics count the spans of traces. All are 0 without --otlp-endpoint.
func traceMetrics(t *trace.Tracer) []prometheus.Collector {
	counter := func(result string, value func(trace.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "vitrine_trace_spans_total",
			Help: "Spans of traces: sent to the collector, failed (the collector did not accept them in time) or " +
				"dropped " +
				"(too many were waiting).",
			ConstLabels: prometheus.Labels{"result": result}}, func() float64 { return float64(value(t.Stats())) })
	}
	return []prometheus.Collector{
		counter("sent", func(s trace.Stats) int64 { return s.Sent }),
		counter("failed", func(s trace.Stats) int64 { return s.Failed }),
		counter("dropped", func(s trace.Stats) int64 { return s.Dropped }),
	}
}
