package trace

import (
	"context"
	"log/slog"
	"sync/atomic"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends batches of spans and counts them. The library counts the spans that it drops, but does not tell how
// many. So the exporter counts those that wait and drops further ones itself, before the library's queue is full.
type exporter struct {
	encoder *otlptrace.Exporter
	client  *client
	batches sdk.SpanProcessor
	log     *slog.Logger

	waiting               atomic.Int64
	sent, failed, dropped atomic.Int64
	// away says that the last batch could not be sent. Only ExportSpans uses it, which the library does not call
	// concurrently.
	away bool
}

// processor passes ended spans to the library's queue, unless too many are waiting.
type processor struct{ *exporter }

func (processor) OnStart(context.Context, sdk.ReadWriteSpan) {}

func (p processor) OnEnd(s sdk.ReadOnlySpan) {
	if p.client.isStopped() || p.waiting.Add(1) > maxQueue {
		p.waiting.Add(-1)
		p.dropped.Add(1)
		return
	}
	p.batches.OnEnd(s)
}

func (p processor) ForceFlush(ctx context.Context) error { return p.batches.ForceFlush(ctx) }

func (p processor) Shutdown(ctx context.Context) error { return p.batches.Shutdown(ctx) }

// ExportSpans implements the exporter of the library. It logs the beginning and the end of an outage, and never returns
// an error: the library would log each.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	n := int64(len(spans))
	err := e.encoder.ExportSpans(ctx, spans)
	e.waiting.Add(-n)
	if err != nil {
		e.failed.Add(n)
		if !e.away {
			e.log.WarnContext(ctx, "traces cannot be sent; spans are dropped until the collector accepts them again",
				"error", err)
		}
	} else {
		e.sent.Add(n)
		if e.away {
			e.log.InfoContext(ctx, "traces are sent again", "failed", e.failed.Load(), "dropped", e.dropped.Load())
		}
	}

	e.away = err != nil
	return nil
}

// Shutdown implements the exporter of the library.
func (e *exporter) Shutdown(ctx context.Context) error { return e.encoder.Shutdown(ctx) }

// close sends the spans that wait, until ctx ends.
func (e *exporter) close(ctx context.Context, provider *sdk.TracerProvider) error {
	e.client.stop()
	defer context.AfterFunc(ctx, e.client.abort)()
	err := provider.Shutdown(ctx)
	e.client.http.CloseIdleConnections()
	return err
}
