package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// ErrYielded is returned by WriteYielding if the transaction was rolled back to let other writes through.
var ErrYielded = errors.New("the transaction gave way to other writes")

// yieldInterval is how often the writer checks whether other writes wait for a transaction that yields.
const yieldInterval = 5 * time.Millisecond

// Patience is how long other writes wait for a transaction of WriteYielding before it is rolled back.
type Patience struct {
	// Others applies to writes of other owners, and to writes without an owner.
	Others time.Duration
	// Owner applies to writes whose context has the owner of the transaction. See WithOwner.
	Owner time.Duration
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
	return db.doWrite(ctx, ctx, writeMode{alone: true, patience: &patience}, fn)
}

// Yielding says how a long transaction gives way to other writes on SQLite, and how often it is tried.
type Yielding struct {
	// Patience is for the first attempt. Each further attempt doubles Background, so that a transaction of any length
	// succeeds on a server that has only background work besides. It also doubles Owner, up to MaxOwner.
	Patience Patience
	MaxOwner time.Duration
	// Attempts is the maximum number of attempts. Before the second one there is a pause of FirstPause. Each further
	// pause is twice as long, up to MaxPause.
	Attempts             int
	FirstPause, MaxPause time.Duration
}

// DefaultYielding makes the writes of other stores wait for about 250 ms: the patience, the time until the
// interrupted statement returns, and the rollback or the COMMIT. If they write all the time, it gives up after about a
// minute. Writes of the same store may wait longer.
func DefaultYielding() Yielding {
	return Yielding{
		Patience: Patience{Others: 100 * time.Millisecond, Owner: time.Second, Background: 20 * time.Second},
		MaxOwner: 8 * time.Second, Attempts: 16, FirstPause: 200 * time.Millisecond, MaxPause: 5 * time.Second,
	}
}

// Retry calls try, with the patience of each attempt, until it returns something else than ErrYielded. After
// the last attempt Retry returns ErrYielded.
func (y Yielding) Retry(ctx context.Context, try func(patience Patience) error) error {
	patience, pause := y.Patience, y.FirstPause
	for attempt := 1; ; attempt++ {
		err := try(patience)
		if !errors.Is(err, ErrYielded) || attempt >= y.Attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, y.MaxPause)
		patience.Owner = min(2*patience.Owner, y.MaxOwner)
		patience.Background *= 2
	}
}

// WriteLong is for the writes of requests that may be long. On SQLite it retries WriteYielding, and returns ErrYielded
// if all attempts had to give way. On PostgreSQL it is WriteSoon.
func (db *DB) WriteLong(ctx context.Context, y Yielding, fn func(Querier) error) error {
	if db.name == Postgres {
		return db.WriteSoon(ctx, true, fn)
	}
	return y.Retry(ctx, func(patience Patience) error { return db.WriteYielding(ctx, patience, fn) })
}

type (
	backgroundKey struct{}
	ownerKey      struct{}
)

// WithOwner returns a context for writes on behalf of an owner, which must be comparable.
func WithOwner(ctx context.Context, owner any) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// InBackground returns a context for background work. Its writes have Patience.Background with transactions that yield.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

func isInBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// waitingWrites counts the writes that have not started.
type waitingWrites struct {
	mu         sync.Mutex
	foreground int
	background int
	byOwner    map[any]int // writes of foreground that have an owner
	short      int         // writes of foreground that do not run alone
	// longRuns is true while a long write runs, and shortWaited is when a short write last came during one.
	longRuns    bool
	shortWaited time.Time
}

func (n *waitingWrites) add(job *writeJob, delta int) {
	n.mu.Lock()
	defer n.mu.Unlock()

	if job.background {
		n.background += delta
		return
	}

	n.foreground += delta

	if !job.alone {
		n.short += delta
		if n.longRuns && delta > 0 {
			n.shortWaited = time.Now()
		}
	}

	if job.owner == nil {
		return
	}

	if n.byOwner == nil {
		n.byOwner = map[any]int{}
	}

	if n.byOwner[job.owner] += delta; n.byOwner[job.owner] == 0 {
		delete(n.byOwner, job.owner)
	}
}

// counts returns the numbers of waiting writes as seen by a transaction of this owner.
func (n *waitingWrites) counts(owner any) (others, own, background int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	own = n.byOwner[owner]
	return n.foreground - own, own, n.background
}

func (n *waitingWrites) setLong(runs bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.longRuns = runs
	if n.short > 0 {
		n.shortWaited = time.Now()
	}
}

// ShortWritesWait reports whether a short write of a client waits for the writes that run or are queued. A long write
// can then end early. It is always false on PostgreSQL, where writes do not wait for each other.
func (db *DB) ShortWritesWait() bool {
	e, ok := db.engine.(*sqliteEngine)
	if !ok {
		return false
	}
	n := &e.writer.waiting
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.short > 0
}

// ShortWritesWaited reports whether a short write of a client has waited for a long write during the last time d.
func (db *DB) ShortWritesWaited(d time.Duration) bool {
	e, ok := db.engine.(*sqliteEngine)
	if !ok {
		return false
	}
	n := &e.writer.waiting
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.shortWaited.IsZero() && time.Since(n.shortWaited) <= d
}

// callYielding calls the job's function. If the job yields, and another write has waited for too long, it interrupts
// the job's statements and returns ErrYielded.
func (w *sqliteWriter) callYielding(job *writeJob) error {
	if job.patience == nil {
		return w.callFn(job)
	}

	ctx, yield := context.WithCancel(context.Background())
	defer yield()

	watch := yieldWatch{waiting: &w.waiting, owner: job.owner, patience: *job.patience}
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
	owner    any
	patience Patience
	// For each field of patience, the time of the first check in a row at which such writes were waiting.
	othersSince, ownerSince, backgroundSince time.Time
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
	others, own, background := w.waiting.counts(w.owner)
	tooLong := waitTooLong(now, others, &w.othersSince, w.patience.Others)
	tooLong = waitTooLong(now, own, &w.ownerSince, w.patience.Owner) || tooLong
	return waitTooLong(now, background, &w.backgroundSince, w.patience.Background) || tooLong
}

func waitTooLong(now time.Time, waiting int, since *time.Time, patience time.Duration) bool {
	switch {
	case waiting == 0:
		*since = time.Time{}
		return false
	case since.IsZero():
		*since = now
	}
	return now.Sub(*since) >= patience
}
