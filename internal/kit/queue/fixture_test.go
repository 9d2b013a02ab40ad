package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

// fixture is a database on which nodes run. All nodes share one clock, which follows the real time.
type fixture struct {
	*storetest.Fixture
}

// eachEngine runs fn as a parallel subtest on each engine.
func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	storetest.EachEngine(t, func(f *storetest.Fixture) { fn(newFixture(f)) })
}

func newFixture(f *storetest.Fixture) *fixture {
	f.Clock.FollowRealTime()
	return &fixture{f}
}

// bytesKind is a kind whose payloads are not decoded.
type (
	bytesKind = Kind[[]byte, NoOutput]
	bytesTask = TaskOf[[]byte, NoOutput]
)

func decodeBytes(b []byte) ([]byte, error) { return b, nil }

// node returns a queue with short intervals, which polls many times a second.
func (f *fixture) node(kinds ...bytesKind) *Queue {
	q := New(Deps{DB: f.DB, Now: f.Clock.Now})
	for _, k := range kinds {
		k.Decode = decodeBytes
		q.Register(k)
	}
	q.timings.pollInterval = 20 * time.Millisecond
	q.timings.renewInterval = 20 * time.Millisecond
	q.timings.batchDelay = time.Millisecond
	q.timings.countInterval = 10 * time.Millisecond
	q.timings.handoverTimeout = 50 * time.Millisecond
	q.timings.deathGrace = 0
	return q
}

// run runs the queue until stop is called or the test ends.
func (f *fixture) run(q *Queue) (stop func()) {
	return f.Start(q.Run)
}

func (f *fixture) add(q *Queue, jobs ...Job) {
	f.Helper()
	f.WriteUnscoped(func(tx database.Querier) error { return q.Add(f.Context(), tx, jobs...) })
	q.Wake()
}

func (f *fixture) waitUntilNoJobs() {
	f.Helper()
	f.Eventually("no jobs are left", func() bool { return f.Count("jobs") == 0 })
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
func (g attemptGate) waitForAttempt(t testing.TB) {
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

func (r *recorder) want(t testing.TB, want ...string) {
	t.Helper()
	if got := r.all(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
