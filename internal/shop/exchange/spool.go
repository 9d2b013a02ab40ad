package exchange

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/store"
)

// runKind is the kind of the jobs that apply pushes. Each store has its own lane: the pushes of a store are applied one
// after the other, in the order of their arrival, and do not delay the pushes of other stores.
const runKind = "exchange.run"

// RoomRetryDelay is the delay after an attempt that found no room for the temporary file of a push.
const RoomRetryDelay = 2 * time.Second

// spoolTask is the queue task that makes one attempt to apply a spooled push.
type spoolTask = queue.TaskOf[RunRef, queue.NoOutput]

// Kind describes the jobs that apply pushes. The caller registers it with Deps.Queue.
func (s *Pushes) Kind() queue.Kind[RunRef, queue.NoOutput] {
	return queue.Kind[RunRef, queue.NoOutput]{
		Name: runKind, InOrder: true, LaneSlots: 1, NodeSlots: 4,
		Decode: parseRunRef, Run: s.runJob, OnDead: s.failJob,
		Owner: RunRef.owner, OnPark: s.parkRun, OnUnpark: s.unparkRun, OnDiscard: s.discardRun,
		// Later pushes of the store wait while this one is retried, so the retries end after about 36 minutes. If the
		// database is down for longer, only one attempt is used up, because its failure cannot be recorded before the
		// database is back.
		Retries: []time.Duration{
			time.Second, 10 * time.Second, time.Minute, 5 * time.Minute,
			10 * time.Minute, 10 * time.Minute, 10 * time.Minute,
		},
	}
}

// Spool stores the body of a push, to be applied in the background, and returns its run. If Spool fails after the run
// was inserted, it returns the error and the run. If it fails before that, it returns the error and the zero Run.
func (s *Pushes) Spool(ctx context.Context, storeID store.ID, params Params, body io.Reader) (run Run, err error) {
	defer fault.AddContext(&err, "spool a push of %s to store %s", params.Entity, storeID)

	ctx = database.WithOwner(ctx, storeID)

	// The run becomes a background run only after the whole body is stored. If this node stops before that, no other
	// node can apply the push, and endInterrupted ends the run.
	run = Run{ID: id.New[Run](), Params: params, Status: Queued, CreatedAt: s.now()}
	if !params.Operator.IsZero() {
		run.KeptUntil = new(run.CreatedAt.Add(uploadRetention))
	}

	err = s.write(ctx, func(q querier) error {
		if err := s.bodies.CheckRoom(ctx, q, storeID, 0, 1); err != nil {
			return err
		}
		return insertRun(ctx, store.In(q, storeID), &run)
	})
	if err != nil {
		return Run{}, err
	}
	defer s.runs.running.add(storeID, run.Key)()

	received := body
	if params.inOneTransaction() {
		body = s.newWholeBody(body, params, nil) // the push would fail later
	}

	spoolCtx, release := s.interruptible(ctx, received)
	err = s.interruptedFault(s.spoolChunks(spoolCtx, storeID, run.Key, body))
	release()
	if err == nil {
		err = s.write(ctx, func(q querier) error {
			if err := setRunInBackground(ctx, store.In(q, storeID), run.Key); err != nil {
				return err
			}
			if params.columns != nil {
				s.awaitColumns(&run)
				return s.runs.End(ctx, store.In(q, storeID), &run)
			}
			return s.runs.Enqueue(ctx, store.In(q, storeID), run)
		})
	}

	if err != nil {
		p := s.newPushRun(storeID, &run)
		p.spooled = true
		err = p.finish(ctx, err)
		return run, err
	}

	run.Background = true
	if span := trace.Current(ctx); span.Recording() {
		span.Event("push queued", "vitrine.run_id", run.ID.String()) // the span of the job has it, too
	}

	return run, nil
}

// spoolChunks stores a body in compressed chunks, each in a transaction of its own. No transaction is open while it
// waits for the body.
func (s *Pushes) spoolChunks(ctx context.Context, storeID store.ID, runKey int64, body io.Reader) error {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	defer encoder.Close() //nolint:errcheck // EncodeAll does not write to the stream that Close would flush

	chunk := make([]byte, ChunkBytes)
	stored := int64(0)
	for number := int64(0); ; number++ {
		if s.isInterrupted() {
			return errServerStops()
		}

		n, err := io.ReadFull(body, chunk)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}

		last := err != nil

		if n > 0 {
			compressed := encoder.EncodeAll(chunk[:n], nil)
			size := int64(len(compressed))
			err := s.write(ctx, func(q querier) error {
				return s.bodies.Add(ctx, store.In(q, storeID), BodyChunk{runKey, number, stored, compressed})
			})
			if err != nil {
				return err
			}

			stored += size
		}

		if last {
			return nil
		}
	}
}

// RunRef identifies a run. It is the payload of the job that applies the push.
type RunRef struct {
	StoreID store.ID
	Key     int64
}

func (r RunRef) payload() []byte {
	b := r.StoreID.Bytes()
	return binary.BigEndian.AppendUint64(b[:], uint64(r.Key))
}

// owner returns the store's id, by which parked jobs are listed.
func (r RunRef) owner() string { return r.StoreID.String() }

func parseRunRef(b []byte) (RunRef, error) {
	if len(b) != 24 {
		return RunRef{}, fmt.Errorf("job payload has %d bytes, want 24", len(b))
	}
	return RunRef{store.ID(b[:16]), int64(binary.BigEndian.Uint64(b[16:]))}, nil
}

// runJob applies a spooled push. It continues after the last committed batch if an earlier attempt was
// interrupted.
func (s *Pushes) runJob(ctx context.Context, t *spoolTask) (err error) {
	storeID, key := t.Payload.StoreID, t.Payload.Key
	var run Run
	err = s.DB.Read(ctx, func(q querier) (err error) {
		run, err = selectRunByKey(ctx, store.In(q, storeID), key)
		return err
	})
	if fault.KindOf(err) == fault.NotFound {
		return nil // prune has deleted the run
	}

	if err != nil {
		return err
	}
	if run.FinishedAt != nil {
		return nil
	}

	ctx, span := startSpan(ctx, run.Entity)
	defer func() { run.endSpan(span, storeID, err) }()
	defer s.runs.running.add(storeID, key)()

	p := s.newPushRun(storeID, &run)
	p.fence = t.Fence
	p.spooled = true

	if run.StartedAt == nil {
		now := s.now()
		run.StartedAt = &now
	}

	run.Status = Running
	err = s.write(ctx, func(q querier) error {
		if err := t.Fence(ctx, q); err != nil {
			return err
		}
		return saveRun(ctx, store.In(q, storeID), &run)
	})
	if err != nil {
		return err
	}

	body := &spooledBody{ctx: ctx, s: s.bodies, storeID: storeID, runKey: run.bodyKey()}
	defer body.release()

	err = p.pushBody(run.withWriter(ctx), body)
	if err == nil && p.appliedBefore > 0 {
		err = s.linkPending(ctx) // the earlier attempt may have stopped before it linked its last batch
	}

	switch {
	case err == nil:
	case ctx.Err() != nil || IsTransient(err):
		return err
	case fault.KindOf(err) == fault.TooMany:
		// The store has too many bytes in temporary files. They go when its other pushes are done.
		return queue.Postpone(RoomRetryDelay, err)
	}

	return p.finishWith(ctx, err, t.Complete)
}

// IsTransient reports whether the queue should retry after this error. The next attempt continues after the
// last committed batch.
func IsTransient(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Internal
}

func (s *Pushes) failJob(ctx context.Context, q querier, t *spoolTask, cause error) error {
	storeID := t.Payload.StoreID
	run, err := selectRunByKey(ctx, store.In(q, storeID), t.Payload.Key)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil // prune has deleted the run
	case err != nil:
		return err
	}

	now := s.now()
	run.Status = Failed
	run.FinishedAt = &now
	run.Problem = &RunProblem{
		Code:    "internal",
		Message: "The push failed with an internal error. The items counted above were applied; push again.",
	}
	s.Log.ErrorContext(ctx, "push failed after all retries", "store_id", storeID, "run_id", run.ID, "error", cause)

	return s.runs.End(ctx, store.In(q, storeID), &run) // Bodies.deleteFinished deletes the body
}
