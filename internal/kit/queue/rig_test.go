package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// rig is a database with nodes on it that look often.
type rig struct {
	*testing.T
	db *database.DB
	// ahead is how far the nodes' clock is ahead of the true one.
	ahead *atomic.Int64
}

// each runs fn on each engine.
func each(t *testing.T, fn func(r *rig)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		fn(&rig{t, db, &atomic.Int64{}})
	})
}

func (r *rig) now() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }

func (r *rig) pass(d time.Duration) { r.ahead.Add(int64(d)) }

// node makes a node that looks for work many times a second.
func (r *rig) node(kinds ...Kind) *Queue {
	q := New(Deps{DB: r.db, Now: r.now}, kinds...)
	q.timings.pollInterval, q.timings.renewInterval, q.timings.batchDelay, q.timings.countInterval, q.timings.handoverTimeout = 20*time.Millisecond, 20*time.Millisecond, time.Millisecond, 10*time.Millisecond, 50*time.Millisecond
	return q
}

// run lets a node work until stop is called, or the test ends.
func (r *rig) run(q *Queue) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := q.Run(ctx); err != nil {
			r.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		ended.Wait()
	})
	r.Cleanup(stop)
	return stop
}

func (r *rig) write(fn func(tx database.Querier) error) {
	r.Helper()
	if err := r.db.Write(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) add(q *Queue, jobs ...Job) {
	r.Helper()
	r.write(func(tx database.Querier) error { return q.Add(r.Context(), tx, jobs...) })
	q.Wake()
}

// rows counts what a table holds.
func (r *rig) rows(table string) (n int) {
	r.Helper()
	err := r.db.Read(r.Context(), func(tx database.Querier) error {
		return database.QueryRow(r.Context(), tx, "SELECT COUNT(*) FROM "+table, nil, &n)
	})
	if err != nil {
		r.Fatal(err)
	}
	return n
}

func (r *rig) until(what string, ok func() bool) {
	r.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("in vain waited until %s", what)
		}
	}
}

func (r *rig) untilEmpty() {
	r.Helper()
	r.until("no jobs are left", func() bool { return r.rows("jobs") == 0 })
}

// gate is where attempts wait for the test.
type gate struct {
	began chan struct{}
	goOn  chan error
}

func newGate() gate { return gate{make(chan struct{}), make(chan error)} }

// pass tells the test that an attempt has begun, and returns what it is let on with.
func (g gate) pass(ctx context.Context) error {
	select {
	case g.began <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-g.goOn:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await waits until an attempt has begun.
func (g gate) await(t *testing.T) {
	t.Helper()
	select {
	case <-g.began:
	case <-time.After(30 * time.Second):
		t.Fatal("in vain waited for an attempt to begin")
	}
}

// ledger notes what ran.
type ledger struct {
	mu   sync.Mutex
	runs []string
}

func (l *ledger) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, fmt.Sprintf(format, args...))
}

func (l *ledger) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.runs)
}

func (l *ledger) want(t *testing.T, want ...string) {
	t.Helper()
	if got := l.all(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
