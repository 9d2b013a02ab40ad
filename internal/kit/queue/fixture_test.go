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

// fixture is a database on which nodes run. All nodes share one clock.
type fixture struct {
	*testing.T
	db *database.DB
	// clockOffset is added to the real time, in nanoseconds.
	clockOffset *atomic.Int64
}

// eachEngine runs fn as a parallel subtest on each engine.
func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		fn(&fixture{t, db, &atomic.Int64{}})
	})
}

func (f *fixture) now() time.Time { return time.Now().Add(time.Duration(f.clockOffset.Load())) }

func (f *fixture) advanceClock(d time.Duration) { f.clockOffset.Add(int64(d)) }

// bytesKind is a kind whose payloads are not decoded.
type (
	bytesKind = Kind[[]byte, NoOutput]
	bytesTask = TaskOf[[]byte, NoOutput]
)

func decodeBytes(b []byte) ([]byte, error) { return b, nil }

// node returns a queue with short intervals, which polls many times a second.
func (f *fixture) node(kinds ...bytesKind) *Queue {
	q := New(Deps{DB: f.db, Now: f.now})
	for _, k := range kinds {
		k.Decode = decodeBytes
		q.Register(k)
	}
	q.timings.pollInterval, q.timings.renewInterval, q.timings.batchDelay, q.timings.countInterval,
		q.timings.handoverTimeout = 20*time.Millisecond, 20*time.Millisecond, time.Millisecond, 10*time.Millisecond,
		50*time.Millisecond
	return q
}

// run runs the queue until stop is called or the test ends.
func (f *fixture) run(q *Queue) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := q.Run(ctx); err != nil {
			f.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		ended.Wait()
	})
	f.Cleanup(stop)
	return stop
}

func (f *fixture) write(fn func(tx database.Querier) error) {
	f.Helper()
	if err := f.db.Write(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) add(q *Queue, jobs ...Job) {
	f.Helper()
	f.write(func(tx database.Querier) error { return q.Add(f.Context(), tx, jobs...) })
	q.Wake()
}

// countRows counts the rows of a table. The text may include a WHERE clause.
func (f *fixture) countRows(table string) (n int) {
	f.Helper()
	err := f.db.Read(f.Context(), func(tx database.Querier) error {
		return database.QueryRow(f.Context(), tx, "SELECT COUNT(*) FROM "+table, nil, &n)
	})
	if err != nil {
		f.Fatal(err)
	}
	return n
}

func (f *fixture) eventually(what string, ok func() bool) {
	f.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("timed out waiting until %s", what)
		}
	}
}

func (f *fixture) waitUntilNoJobs() {
	f.Helper()
	f.eventually("no jobs are left", func() bool { return f.countRows("jobs") == 0 })
}

// attemptGate blocks attempts until the test releases them.
type attemptGate struct {
	began   chan struct{}
	release chan error
}

func newAttemptGate() attemptGate { return attemptGate{make(chan struct{}), make(chan error)} }

// wait reports to the test that an attempt has begun, and returns the error with which the test releases it.
func (g attemptGate) wait(ctx context.Context) error {
	select {
	case g.began <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-g.release:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitForAttempt waits until an attempt has begun.
func (g attemptGate) waitForAttempt(t *testing.T) {
	t.Helper()
	select {
	case <-g.began:
	case <-time.After(30 * time.Second):
		t.Fatal("timed out waiting for an attempt to begin")
	}
}

// recorder records lines about attempts.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) record(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

func (r *recorder) want(t *testing.T, want ...string) {
	t.Helper()
	if got := r.all(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
