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

const (
	// chunkBytes is the number of bytes of a body in one row, before compression.
	chunkBytes = 1 << 20
	// storedChunkBytes limits a chunk that is read. Earlier versions stored an item of a file of 1C as one chunk, and
	// it could have up to 20 MiB.
	storedChunkBytes = 32 << 20
)

// runKind is the kind of the jobs that apply pushes. Each store has its own lane: the pushes of a store are applied one
// after the other, in the order of their arrival, and do not delay those of other stores.
const runKind = "exchange.run"

// roomRetryDelay is the delay after an attempt that found no room for the temporary file of a push.
const roomRetryDelay = 2 * time.Second

// spoolTask is the queue task that makes one attempt to apply a spooled push.
type spoolTask = queue.TaskOf[spooledRun, queue.NoOutput]

// Kind describes the jobs that apply pushes. The caller registers it with Deps.Queue.
func (s *Service) Kind() queue.Kind[spooledRun, queue.NoOutput] {
	return queue.Kind[spooledRun, queue.NoOutput]{
		Name: runKind, InOrder: true, LaneSlots: 1, NodeSlots: 4,
		Decode: parseSpooledRun, Run: s.applySpooled, OnDead: s.failSpooled,
		Owner: spooledRun.owner, OnPark: s.parkRun, OnUnpark: s.unparkRun, OnDiscard: s.discardRun,
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
func (s *Service) Spool(ctx context.Context, storeID store.ID, params Params, body io.Reader) (run Run, err error) {
	defer fault.AddContext(&err, "spool a push of %s to store %s", params.Entity, storeID)
	ctx = database.WithOwner(ctx, storeID)
	// The run becomes a background run only after the whole body is stored. If this node stops before that, no other
	// node can apply the push, and endInterrupted ends the run.
	run = Run{ID: id.New[Run](), Params: params, Status: Queued, CreatedAt: s.now()}
	if !params.Operator.IsZero() {
		run.KeptUntil = new(run.CreatedAt.Add(uploadRetention))
	}
	err = s.write(ctx, func(q querier) error {
		if err := s.checkSpoolRoom(ctx, q, storeID, 0, 1); err != nil {
			return err
		}
		return insertRun(ctx, store.In(q, storeID), &run)
	})
	if err != nil {
		return Run{}, err
	}
	defer s.running.add(storeID, run.Key)()
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
			return s.Queue.Add(ctx, q, run.queueJob(storeID))
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

// queueJob returns the job that applies the run in the background.
func (r *Run) queueJob(storeID store.ID) queue.Job {
	return queue.Job{Kind: runKind, Lane: storeID.String(), UniqueName: r.ID.String(),
		Payload: spooledRun{storeID, r.Key}.payload()}
}

// spoolChunks stores a body in compressed chunks, each in a transaction of its own. No transaction is open while it
// waits for the body.
func (s *Service) spoolChunks(ctx context.Context, storeID store.ID, runKey int64, body io.Reader) error {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	defer encoder.Close() //nolint:errcheck // EncodeAll does not write to the stream that Close would flush
	chunk, stored := make([]byte, chunkBytes), int64(0)
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
				if err := s.checkSpoolRoom(ctx, q, storeID, stored, size); err != nil {
					return err
				}
				if err := addSpooledBytes(ctx, store.In(q, storeID), runKey, size); err != nil {
					return err
				}
				return insertBodyChunk(ctx, store.In(q, storeID), runKey, number, compressed)
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

// spoolRetryAfter is when a client should send a push again that found no room. Room appears when a push is applied.
const spoolRetryAfter = 10 * time.Second

const (
	// reservedEighths of the room for all stores are kept for those that have at most 1/newcomerParts of it. So a few
	// stores cannot use up the room of all others.
	reservedEighths = 1
	newcomerParts   = 64
	// scarceEighths of the room for all stores are in use when it is scarce.
	scarceEighths = 6
)

// checkSpoolRoom returns a fault if a body, of which some bytes are stored, may not have more. The limits are those of
// SpoolShare, of which a part is reserved. They hold for what the database has, so that all nodes together keep them.
// On PostgreSQL, transactions at the same time may exceed them by a chunk each.
func (s *Service) checkSpoolRoom(ctx context.Context, q querier, storeID store.ID, stored, more int64) error {
	if s.DatabaseRoom != nil && s.DatabaseRoom() < more {
		return fault.New(fault.Unavailable, "disk_full", "The disk of the database has no room for this push; nothing of "+
			"it was applied. The service goes on when there is room again.").After(30 * time.Second)
	}
	if s.SpoolShare == nil {
		return nil
	}
	storeLimit := s.SpoolShare.StoreLimit()
	if stored+more > storeLimit {
		return fault.New(fault.TooLarge, "push_too_large", "The pushes of a store that wait to be applied in the "+
			"background may have %d MiB after compression, and this one alone has more. Nothing of it was applied. Send "+
			"it in smaller parts, or without Prefer: respond-async.", storeLimit>>20)
	}
	ofStore, ofAll, err := spooledBytes(ctx, q, storeID)
	limit := s.SpoolShare.Limit()
	if ofStore+more > limit/newcomerParts {
		limit -= limit * reservedEighths / 8
	}
	switch {
	case err != nil:
		return err
	case ofStore+more > storeLimit:
		return fault.New(fault.TooMany, "too_many_requests", "Too many pushes of this store wait to be applied in the "+
			"background; nothing of this one was applied. Send it again when some of them are done.").After(spoolRetryAfter)
	case ofAll+more > limit:
		return fault.New(fault.Unavailable, "overloaded", "Too many pushes wait to be applied in the background; nothing "+
			"of this one was applied. Send it again when some of them are done.").After(spoolRetryAfter)
	}
	return nil
}

// spooledRun is the payload of a job that applies a push: the id of the store and the key of the run.
type spooledRun struct {
	storeID store.ID
	key     int64
}

func (r spooledRun) payload() []byte {
	b := r.storeID.Bytes()
	return binary.BigEndian.AppendUint64(b[:], uint64(r.key))
}

// owner returns the store's id, by which parked jobs are listed.
func (r spooledRun) owner() string { return r.storeID.String() }

func parseSpooledRun(b []byte) (spooledRun, error) {
	if len(b) != 24 {
		return spooledRun{}, fmt.Errorf("job payload has %d bytes, want 24", len(b))
	}
	return spooledRun{store.ID(b[:16]), int64(binary.BigEndian.Uint64(b[16:]))}, nil
}

// applySpooled applies a spooled push. It continues after the last committed batch if an earlier attempt was
// interrupted.
func (s *Service) applySpooled(ctx context.Context, t *spoolTask) (err error) {
	storeID, key := t.Payload.storeID, t.Payload.key
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
	defer s.running.add(storeID, key)()
	p := s.newPushRun(storeID, &run)
	p.fence, p.spooled = t.Fence, true
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
	body := &spooledBody{ctx: ctx, s: s, storeID: storeID, runKey: run.bodyKey()}
	defer body.release()
	err = p.apply(run.withWriter(ctx), body)
	if err == nil && p.appliedBefore > 0 {
		err = s.linkPending(ctx) // the earlier attempt may have stopped before it linked its last batch
	}
	switch {
	case err == nil:
	case ctx.Err() != nil || isTransientPushError(err):
		return err
	case fault.KindOf(err) == fault.TooMany:
		// The store has too many bytes in temporary files. They go when its other pushes are done.
		return queue.Postpone(roomRetryDelay, err)
	}
	return p.finishWith(ctx, err, t.Complete)
}

// isTransientPushError reports whether the queue should retry after this error. The next attempt continues after the
// last committed batch.
func isTransientPushError(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Internal
}

func (s *Service) failSpooled(ctx context.Context, q querier, t *spoolTask, cause error) error {
	storeID := t.Payload.storeID
	run, err := selectRunByKey(ctx, store.In(q, storeID), t.Payload.key)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil // prune has deleted the run
	case err != nil:
		return err
	}
	now := s.now()
	run.Status, run.FinishedAt = Failed, &now
	run.Problem = &RunProblem{
		Code:    "internal",
		Message: "The push failed with an internal error. The items counted above were applied; push again.",
	}
	s.Log.ErrorContext(ctx, "push failed after all retries", "store_id", storeID, "run_id", run.ID, "error", cause)
	return s.endRun(ctx, store.In(q, storeID), &run) // deleteFinishedBodies deletes the body
}

// spooledBody reads a spooled body. It implements io.ReadCloser.
type spooledBody struct {
	ctx      context.Context //nolint:containedctx // Read has no parameter for it
	s        *Service
	storeID  store.ID
	runKey   int64
	number   int64
	buffered []byte
	decoder  *zstd.Decoder
}

func (p *spooledBody) Read(b []byte) (int, error) {
	for len(p.buffered) == 0 {
		if err := p.nextChunk(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.buffered)
	p.buffered = p.buffered[n:]
	return n, nil
}

// nextChunk reads and decompresses the next chunk. It returns io.EOF after the last one.
func (p *spooledBody) nextChunk() (err error) {
	if p.decoder == nil {
		p.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(storedChunkBytes))
		if err != nil {
			return err
		}
	}
	compressed, err := database.Read(p.ctx, p.s.DB, func(q querier) ([]byte, error) {
		return selectBodyChunk(p.ctx, store.In(q, p.storeID), p.runKey, p.number)
	})
	if errors.Is(err, database.ErrNoRows) {
		return io.EOF
	}
	if err != nil {
		return err
	}
	p.number++
	p.buffered, err = p.decoder.DecodeAll(compressed, nil)
	return err
}

// Close does nothing. A Read waits only for the database, and returns when the context ends.
func (p *spooledBody) Close() error { return nil }

// release frees the decoder. Read must not be called afterwards.
func (p *spooledBody) release() {
	if p.decoder != nil {
		p.decoder.Close()
	}
}
