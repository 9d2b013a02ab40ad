package exchange

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/store"
)

// startSpan starts the span of a push in the trace of its request or of its job.
func startSpan(ctx context.Context, entity string) (context.Context, trace.Span) {
	ctx, span := trace.Start(ctx, "push")
	if span.Recording() {
		span.Rename("push " + entity)
	}
	return ctx, span
}

// endSpan ends the span of a push. A push that is applied in the background has the trace of its job; the trace of the
// request that sent it has the run's id, too.
func (r *Run) endSpan(span trace.Span, storeID store.ID, err error) {
	if !span.Recording() {
		return
	}

	span.String("vitrine.store_id", storeID.String())

	if !r.ID.IsZero() {
		span.String("vitrine.run_id", r.ID.String())
		span.String("vitrine.push.status", string(r.Status))
		span.Bool("vitrine.push.background", r.Background)
		span.Bool("vitrine.push.dry_run", r.DryRun)
		span.Int("vitrine.push.received", r.Received)
		span.Int("vitrine.push.created", r.Created)
		span.Int("vitrine.push.updated", r.Updated)
		span.Int("vitrine.push.unchanged", r.Unchanged)
		span.Int("vitrine.push.failed", r.Failed)
	}

	if r.Problem != nil {
		span.String("vitrine.problem", r.Problem.Code)
	}

	endBatchSpan(span, err)
}

// endBatchSpan ends a span. Only an error that is not the client's marks it as failed.
func endBatchSpan(span trace.Span, err error) {
	switch kind := fault.KindOf(err); {
	case err == nil:
	case kind == fault.Unavailable:
		span.Fail("unavailable")
	case kind == fault.Internal:
		span.Fail("internal")
	}
	span.End()
}
