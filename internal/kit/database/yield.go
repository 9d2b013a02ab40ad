package database

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// ErrYielded is returned by WriteYielding if the transaction was rolled back to let other writes through.
var ErrYielded = errors.New("the transaction gave way to other writes")

// yieldInterval is how often the writer checks whether other writes wait for a transaction that yields.
const yieldInterval = 5 * time.Millisecond

// Patience is how long other writes wait for a transaction of WriteYielding before it is rolled back.
type Patience struct {
	// Foreground applies to writes for a client that waits for a response.
	Foreground time.Duration
	// Background applies to writes whose context comes from InBackground, and to other calls of WriteYielding.
	Background time.Duration
}

// writeMode says how a write transaction is run.
type writeMode struct {
	alone bool
	// patience is set by WriteYielding. It implies alone.
	patience *Patience
}

// WriteYielding is like WriteAlone, for transactions that may be long. On SQLite, where all other writes wait for the
// transaction, it is rolled back with ErrYielded once another write has waited for longer than patience allows. A
// statement in progress is interrupted. Only the COMMIT is not. If no other write waits, the transaction may take any
// time. On PostgreSQL writes do not wait for each other, and WriteYielding never returns ErrYielded.
func (db *DB) WriteYielding(ctx context.Context, patience Patience, fn func(Querier) error) error {
	return db.doWrite(ctx, writeMode{alone: true, patience: &patience}, fn)
}

type backgroundKey struct{}

// InBackground returns a context for background work. Its writes have Patience.Background with transactions that yield.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

func isInBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// waitingWrites counts the writes that have not started.
type waitingWrites struct{ foreground, background atomic.Int64 }

func (n *waitingWrites) add(job *writeJob, delta int64) {
	if job.background {
		n.background.Add(delta)
	} else {
		n.foreground.Add(delta)
	}
}

// callYielding calls the job's function. If the job yields, and another write has waited for too long, it interrupts
// the job's statements and returns ErrYielded.
func (w *sqliteWriter) callYielding(job *writeJob) error {
	if job.patience == nil {
		return w.callFn(job)
	}
	ctx, yield := context.WithCancel(context.Background())
	defer yield()
	watch := yieldWatch{waiting: &w.waiting, patience: *job.patience}
	watched := make(chan struct{})
	if watch.mustYield(time.Now()) {
		yield()
	}
	go func() {
		defer close(watched)
		watch.run(ctx, yield)
	}()
	w.conn.yield = ctx
	w.conn.SetInterrupt(ctx)
	err := w.callFn(job)
	w.conn.yield = nil
	w.conn.SetInterrupt(context.Background()) // neither COMMIT nor ROLLBACK is interrupted
	yield()
	<-watched
	if errors.Is(err, ErrYielded) || errors.Is(err, sqlite3.INTERRUPT) {
		return ErrYielded
	}
	return err
}

// yieldWatch measures how long other writes wait for a transaction. The time before its first check does not count.
type yieldWatch struct {
	waiting  *waitingWrites
	patience Patience
	// foregroundSince and backgroundSince are the times of the first check in a row at which writes were waiting.
	foregroundSince, backgroundSince time.Time
}

// run calls yield once the transaction must yield. It returns then, or when ctx ends.
func (w *yieldWatch) run(ctx context.Context, yield func()) {
	tick := time.NewTicker(yieldInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if w.mustYield(now) {
				yield()
				return
			}
		}
	}
}

func (w *yieldWatch) mustYield(now time.Time) bool {
	foreground := waitTooLong(now, w.waiting.foreground.Load(), &w.foregroundSince, w.patience.Foreground)
	background := waitTooLong(now, w.waiting.background.Load(), &w.backgroundSince, w.patience.Background)
	return foreground || background
}

func waitTooLong(now time.Time, waiting int64, since *time.Time, patience time.Duration) bool {
	switch {
	case waiting == 0:
		*since = time.Time{}
		return false
	case since.IsZero():
		*since = now
	}
	return now.Sub(*since) >= patience
}
