// Package trace records what the program does as OpenTelemetry traces and sends them to a collector with OTLP over
// HTTP. It hides the library: other packages know only Tracer, which starts traces, and Span. It does not know what a
// request, a job or a statement is.
//
// A nil Tracer is one that is off. A span of an unsampled trace, or of a context without a trace, is the zero Span,
// which does nothing. Both allocate nothing.
//
// Spans contain no secrets: callers pass only names, numbers and ids. Error texts may quote what a user sent, so Fail
// takes the type of an error, never its text.
package trace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

const (
	// maxQueue is how many spans may wait to be sent; a span has about 1 KiB. Further spans are dropped.
	maxQueue = 4096
	maxBatch = 512
	// batchDelay is how long a span waits for others at most.
	batchDelay = time.Second
	// exportTimeout limits the time for a batch, with its retries.
	exportTimeout = 10 * time.Second
	// maxDetails is the maximum number of detail spans in one trace. A push may run a hundred thousand statements.
	maxDetails = 1000
)

// Config says where traces are sent.
type Config struct {
	// Endpoint is the URL of a collector, such as http://localhost:4318. If it is empty, there are no traces.
	Endpoint string
	// Headers are sent with each request to the collector, in the form name=value,name=value. They are secret.
	Headers string
	// Sample is the share of traces that are recorded, from 0 to 1. The choice depends on the trace id, so that callers
	// with the same share choose the same traces. A trace that the caller of a request does not record is not recorded.
	Sample float64
	// Version is the version of the program.
	Version string
	// Log receives a message when the collector cannot be reached, and one when it can be again.
	Log *slog.Logger
}

// Tracer starts traces and sends them. A nil Tracer does nothing. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	otel     api.Tracer
	exporter *exporter
}

// New returns a tracer, or nil if the configuration has no endpoint. Its errors never quote the headers. The caller
// calls Close when done.
func New(cfg Config) (*Tracer, error) {
	if cfg.Endpoint == "" {
		if cfg.Headers != "" {
			return nil, errors.New("--otlp-headers needs --otlp-endpoint")
		}
		return nil, nil //nolint:nilnil // a nil Tracer is one that is off
	}

	if cfg.Sample < 0 || cfg.Sample > 1 {
		return nil, fmt.Errorf("--trace-sample must be from 0 to 1, not %v", cfg.Sample)
	}

	c, err := newClient(cfg.Endpoint, cfg.Headers)
	if err != nil {
		return nil, err
	}
	encoder, err := otlptrace.New(context.Background(), c)
	if err != nil {
		return nil, err
	}

	from, err := describeProcess(cfg.Version)
	if err != nil {
		return nil, err
	}

	e := &exporter{encoder: encoder, client: c, log: cfg.Log}
	e.batches = sdk.NewBatchSpanProcessor(e, sdk.WithMaxQueueSize(maxQueue), sdk.WithMaxExportBatchSize(maxBatch),
		sdk.WithBatchTimeout(batchDelay), sdk.WithExportTimeout(exportTimeout))
	provider := sdk.NewTracerProvider(sdk.WithResource(from), sdk.WithSpanProcessor(processor{e}),
		sdk.WithSampler(newSampler(cfg.Sample)))
	return &Tracer{provider: provider, otel: provider.Tracer("vitrine"), exporter: e}, nil
}

// newSampler returns the sampler of new traces and of those that callers began. The share holds for both: anybody can
// send a header which says that the caller records the trace.
func newSampler(share float64) sdk.Sampler {
	ratio := sdk.TraceIDRatioBased(share)
	return sdk.ParentBased(ratio, sdk.WithRemoteParentSampled(ratio))
}

// describeProcess returns the attributes of this process. Those of the standard variables OTEL_RESOURCE_ATTRIBUTES and
// OTEL_SERVICE_NAME, which the library reads, take precedence.
func describeProcess(version string) (*resource.Resource, error) {
	host, _ := os.Hostname() // an unknown name is left empty
	return resource.Merge(resource.NewSchemaless(
		attribute.String("service.name", "vitrine"), attribute.String("service.version", version),
		attribute.String("service.instance.id", uuid.NewString()), attribute.String("host.name", host),
	), resource.Environment())
}

// Close sends the spans that have ended, without retries. Those that it cannot send until ctx ends are dropped.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.exporter.close(ctx, t.provider)
}

// Stats counts ended spans since the start: those that the collector accepted, those that it did not accept in time,
// and those that were dropped because too many were waiting.
type Stats struct{ Sent, Failed, Dropped int64 }

// Stats returns the current counts.
func (t *Tracer) Stats() Stats {
	if t == nil {
		return Stats{}
	}
	e := t.exporter
	return Stats{Sent: e.sent.Load(), Failed: e.failed.Load(), Dropped: e.dropped.Load()}
}

// rootKey is the key of the *root in the context of a trace that is recorded.
type rootKey struct{}

// root has what all spans of one trace in this process share.
type root struct {
	tracer *Tracer
	// details is the number of detail spans, including those that were left out.
	details atomic.Int64
}

// StartServer starts the span of a request from its W3C headers traceparent and tracestate, or in a new trace if there
// are none.
func (t *Tracer) StartServer(ctx context.Context, h http.Header, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	if remote := remoteContext(h); remote.IsValid() {
		return t.start(api.ContextWithRemoteSpanContext(ctx, remote), name, api.WithSpanKind(api.SpanKindServer))
	}
	return t.start(ctx, name, api.WithSpanKind(api.SpanKindServer), api.WithNewRoot())
}

// StartJob starts a new trace for work that no request waits for.
func (t *Tracer) StartJob(ctx context.Context, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.start(ctx, name, api.WithSpanKind(api.SpanKindConsumer), api.WithNewRoot())
}

func (t *Tracer) start(ctx context.Context, name string, options ...api.SpanStartOption) (context.Context, Span) {
	ctx, span := t.otel.Start(ctx, name, options...)
	if !span.IsRecording() {
		return ctx, Span{} // the context has the trace id, for the log and for requests to other servers
	}
	r := &root{tracer: t}
	return context.WithValue(ctx, rootKey{}, r), Span{root: r, otel: span, first: true}
}
