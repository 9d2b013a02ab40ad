package exchange

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// batchTimeout limits the duration of one transaction, including the time that it waits for locks.
const batchTimeout = 2 * time.Minute

// Push applies a push while it reads the body, and returns its run. If Push fails after the run was inserted, it
// returns the error and the run, whose counts say what was applied. Closing the body must unblock a waiting Read.
//
// The run is inserted first, then pushBody applies the items in separate transactions, and finish stores the outcome. A
// push of a few items whose size is known does all that in one transaction: see pushSmall.
func (s *Pushes) Push(ctx context.Context, storeID store.ID, params Params, body io.ReadCloser) (run Run, err error) {
	defer fault.AddContext(&err, "push %s to store %s", params.Entity, storeID)

	ctx = params.withWriter(database.WithOwner(ctx, storeID))
	ctx, span := startSpan(ctx, params.Entity)
	defer func() { run.endSpan(span, storeID, err) }()

	// If the client disconnects after it has sent the whole body, the push continues.
	pushCtx, release := s.interruptible(context.WithoutCancel(ctx), body)
	defer release()

	if params.isSmall() {
		whole, again := readSmallBody(body)
		if whole != nil {
			run, err := s.pushSmall(context.WithoutCancel(ctx), storeID, params, whole)
			if err == nil || errors.Is(err, database.ErrUnknownOutcome) {
				return run, err
			}
		}

		body = again
		ctx = pushCtx // the client may be gone, and the run says so
	}

	run = Run{ID: id.New[Run](), Params: params, Status: Running, CreatedAt: s.now()}
	run.StartedAt = &run.CreatedAt
	if err := s.write(ctx, func(q querier) error { return insertRun(ctx, store.In(q, storeID), &run) }); err != nil {
		return Run{}, err
	}
	defer s.runs.running.add(storeID, run.Key)()

	p := s.newPushRun(storeID, &run)
	err = p.finish(pushCtx, s.interruptedFault(p.pushBody(pushCtx, body)))
	return run, err
}

type pushRun struct {
	pushes  *Pushes
	storeID store.ID
	run     *Run
	handler entityHandler
	ignored item.Ignored
	pace    pace
	// spooled means that the body is, or may be, in the database.
	spooled bool
	// appliedBefore is the number of items that were already applied, by a node that was stopped.
	appliedBefore int64
	// fence returns an error if another node has taken over the push. It is nil if the push is not applied in the
	// background.
	fence func(ctx context.Context, q querier) error
	// rollsBack means that each transaction is rolled back: the push is a dry run that is applied batch by batch. The
	// rows that earlier transactions created do not exist any more; createdSubjects has the subjects of their items.
	rollsBack       bool
	createdSubjects *hashSet
	// versions are the versions of the items that earlier transactions of a dry run applied and rolled back.
	versions versionsByHash
	// seenRows has the rows that the items were about. If missing products are archived, unresolvedIDs has the external
	// ids of items still to be looked up, and unreadableID is set if an item failed that has no readable id.
	seenRows      seenRowSet
	unresolvedIDs []string
	unreadableID  bool
	// warnedProducts has the products of which an item has had its ProductWarning.
	warnedProducts seenRowSet
	// changes is the number of items whose changes a dry run has stored.
	changes int
}

func (s *Pushes) newPushRun(storeID store.ID, run *Run) *pushRun {
	return &pushRun{
		pushes: s, storeID: storeID, run: run, handler: s.handlers[run.Entity], appliedBefore: run.Received,
		rollsBack: run.DryRun && !run.inOneTransaction(), createdSubjects: newHashSet(), pace: pace{db: s.DB},
		versions: versionsByHash{}, ignored: item.Ignored{Mapping: run.Mapping},
	}
}

// batchLimit returns the maximum number of items of a batch.
func (p *pushRun) batchLimit() int {
	if p.rollsBack && p.pushes.DB.Engine() == database.SQLite {
		return dryRunBatchItems
	}
	return batchItems
}

// pushBody applies all items of a push, and then archives the missing products if that was requested. It opens no
// transaction itself: pushInOneTransaction opens one for the whole push, pushBatch one for each batch, archiveMissing
// one for each chunk of products. No transaction is open while pushBody waits for the body.
func (p *pushRun) pushBody(ctx context.Context, body io.ReadCloser) error {
	if p.run.inOneTransaction() {
		return p.pushInOneTransaction(ctx, body)
	}
	for b, err := range p.handler.stream(ctx, p.run.Format, body, p.batchLimit(), &p.ignored) {
		if err != nil {
			return err
		}
		if err := p.pushBatch(ctx, b); err != nil {
			return err
		}
	}
	if p.run.ArchiveMissing {
		return p.archiveMissing(ctx)
	}
	return nil
}

// finish stores the outcome of the push and returns the fault for the client. It works even if ctx is cancelled.
func (p *pushRun) finish(ctx context.Context, cause error) error {
	cause = pushFault(cause)
	if err := p.finishWith(ctx, cause, nil); cause == nil {
		return err
	}
	return cause
}

// finishWith stores the outcome of the push, and calls extra, which may be nil, in the same transaction.
func (p *pushRun) finishWith(ctx context.Context, cause error, extra func(ctx context.Context, q querier) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer cancel()

	p.setOutcome(cause)
	err := p.pushes.write(ctx, func(q querier) error {
		if extra != nil {
			if err := extra(ctx, q); err != nil {
				return err
			}
		}
		return p.pushes.runs.End(ctx, store.In(q, p.storeID), p.run)
	})
	if err != nil {
		return err
	}

	p.log(ctx, cause)
	if !p.spooled || p.run.KeptUntil != nil && p.run.Status == Completed {
		return nil
	}

	// If this fails, Bodies.deleteFinished deletes the rest of the spooled body.
	return p.pushes.bodies.Delete(ctx, []RunRef{{p.storeID, p.run.bodyKey()}})
}

// setOutcome sets the status of the run, its problem, its end and the ignored members of its items.
func (p *pushRun) setOutcome(cause error) {
	p.run.Status = Completed
	p.run.Problem = nil
	if f, ok := errors.AsType[*fault.Error](cause); ok {
		p.run.Status, p.run.Problem = Failed, &RunProblem{Code: f.Code, Message: ProblemMessage(f)}
	} else if cause != nil {
		p.run.Status = Failed
		p.run.Problem = &RunProblem{
			Code:    "internal",
			Message: "The push failed with an internal error. The items counted above were applied.",
		}
	}
	now := p.pushes.now()
	p.run.FinishedAt, p.run.IgnoredFields, p.run.Ignored = &now, p.ignored.Fields(), p.ignored.List
	p.run.Layout = p.ignored.Layout
}

func (p *pushRun) log(ctx context.Context, cause error) {
	r := p.run
	level := slog.LevelInfo
	if cause != nil && fault.KindOf(cause) == fault.Internal {
		level = slog.LevelError
	}

	attrs := []slog.Attr{
		slog.String("store_id", p.storeID.String()), slog.String("run_id", r.ID.String()),
		slog.String("entity", r.Entity), slog.String("status", string(r.Status)),
		slog.Int64("received", r.Received), slog.Int64("created", r.Created), slog.Int64("updated", r.Updated),
		slog.Int64("unchanged", r.Unchanged), slog.Int64("failed", r.Failed), slog.Int64("warnings", r.Warnings),
		slog.Int64("archived", r.Archived), slog.Bool("dry_run", r.DryRun), slog.Bool("background", r.Background),
	}
	if r.StartedAt != nil && r.FinishedAt != nil {
		attrs = append(attrs, slog.Int64("duration_ms", r.FinishedAt.Sub(*r.StartedAt).Milliseconds()))
	}

	if r.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", r.RequestID))
	}

	if id := trace.ID(ctx, nil); id != "" {
		attrs = append(attrs, slog.String("trace_id", id))
	}

	if r.Problem != nil {
		attrs = append(attrs, slog.String("code", r.Problem.Code))
	}

	if cause != nil {
		attrs = append(attrs, slog.Any("error", cause))
	}

	p.pushes.Log.LogAttrs(ctx, level, "push", attrs...)
}

// ProblemMessage returns the message of a fault, followed by the message of its first field, if there is one.
func ProblemMessage(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return f.Message
	}
	return f.Message + " " + f.Fields[0].Field + ": " + f.Fields[0].Message
}

// pushFault maps a dropped connection to the fault body_incomplete. It returns other errors unchanged.
func pushFault(cause error) error {
	if cause == nil || fault.KindOf(cause) != fault.Internal {
		return cause
	}
	if errors.Is(cause, io.ErrUnexpectedEOF) || errors.Is(cause, context.Canceled) {
		return fault.New(fault.Malformed, "body_incomplete",
			"The body was cut off. The items that the run counts were applied.").Because(cause)
	}
	return cause
}
