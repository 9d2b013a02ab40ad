package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

// silentNode returns a queue that polls only when it is woken.
func (f *fixture) silentNode(kinds ...bytesKind) *Queue {
	q := f.node(kinds...)
	q.timings.pollInterval = time.Hour
	q.timings.handoverTimeout = time.Hour
	q.timings.idleTimeout = time.Hour
	return q
}

// runSilently runs a silent node and waits until it has connected to the other nodes and has polled since: from then on
// only notifications make it poll.
func (f *fixture) runSilently(q *Queue) (stop func()) {
	f.Helper()
	var connected atomic.Bool
	wake := q.peers.notifier.Connected
	q.peers.notifier.Connected = func() {
		wake()
		connected.Store(true)
	}
	stop = f.run(q)
	f.Eventually("the node has connected", connected.Load)
	f.add(q, Job{Kind: "kind", Lane: fmt.Sprintf("lane of node %p", q)})
	f.waitUntilNoJobs()
	f.Eventually("the node has nothing left to poll for", func() bool { return len(q.wake)+len(q.refill) == 0 })
	return stop
}

// runningNodes starts two silent nodes that record the jobs that they run, as "node lane". The first one leases the
// lane a and another one, which is its share of three lanes.
func runningNodes(f *fixture, rec *recorder) (first, second *Queue) {
	f.Helper()
	kind := func(node string) bytesKind {
		return bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: func(_ context.Context, t *bytesTask) error {
			rec.record("%s %s", node, t.Lane)
			return nil
		}}
	}
	first = f.silentNode(kind("first"))
	second = f.silentNode(kind("second"))
	f.runSilently(first)
	f.runSilently(second)
	f.add(first, Job{Kind: "kind", Lane: "a"})
	f.waitUntilNoJobs()
	rec.mu.Lock()
	rec.lines = nil
	rec.mu.Unlock()

	return first, second
}

func TestAdd_wakesTheNodeThatLeasesTheLane(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	var rec recorder
	_, second := runningNodes(f, &rec)
	for range 3 {
		f.add(second, Job{Kind: "kind", Lane: "a"})
		f.waitUntilNoJobs()
	}
	rec.want(f, "first a", "first a", "first a")
}

// A node that has its share of the lanes leaves a new one to the others.
func TestAdd_wakesTheNodeThatShouldClaimTheLane(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	var rec recorder
	first, _ := runningNodes(f, &rec)
	f.add(first, Job{Kind: "kind", Lane: "c"})
	f.waitUntilNoJobs()
	rec.want(f, "second c")
}

func TestRun_wakesOtherNodesAtShutdown(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	gate := newAttemptGate()
	var rec recorder

	kind := func(node string) bytesKind {
		return bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: func(ctx context.Context, t *bytesTask) error {
			if t.Lane != "a" {
				return nil
			}
			rec.record("%s", node)
			if node == "first" {
				return gate.wait(ctx)
			}
			return nil
		}}
	}

	first := f.silentNode(kind("first"))
	second := f.silentNode(kind("second"))
	stop := f.runSilently(first)
	f.runSilently(second)
	f.add(first, Job{Kind: "kind", Lane: "a"})
	gate.waitForAttempt(f)
	stop()
	f.waitUntilNoJobs()
	rec.want(f, "first", "second")
}

func TestResumeLane_resumesOnTheNodeThatLeasesTheLane(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	var broken atomic.Bool
	var rec recorder

	kind := func(node string) bytesKind {
		return bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1, Retries: []time.Duration{time.Hour},
			Run: func(_ context.Context, t *bytesTask) error {
				if broken.Load() {
					return PauseLane(time.Hour, errors.New("refused"))
				}
				if t.Lane == "a" {
					rec.record("%s", node)
				}
				return nil
			}}
	}

	first := f.silentNode(kind("first"))
	second := f.silentNode(kind("second"))
	f.runSilently(first)
	f.runSilently(second)
	broken.Store(true)
	f.add(first, Job{Kind: "kind", Lane: "a", UniqueName: "job"})
	f.Eventually("the job has failed", func() bool { return f.Count("jobs WHERE again") == 1 })
	broken.Store(false)
	f.WriteUnscoped(func(tx database.Querier) error {
		_, err := second.RunNow(f.Context(), tx, "kind", "a", []string{"job"})
		return err
	})
	f.waitUntilNoJobs()
	rec.want(f, "first")
}

func TestNextNotification_namesLanesUntilTheyAreTooMany(t *testing.T) {
	q := New(Deps{Now: time.Now}, bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1,
		Decode: decodeBytes, Run: func(context.Context, *bytesTask) error { return nil }})
	s := &scheduler{kindState: q.kinds["kind"]}
	s.addTasks("mine", 1, 0)
	want := func(what, payload string) {
		t.Helper()
		if got := q.peers.nextNotification(); got != payload {
			t.Errorf("%s: got %q, want %q", what, got, payload)
		}
	}
	want("nothing happened", "")
	q.peers.notifyAdded([]laneName{{"kind", "mine"}})
	want("this node leases the lane", "")
	q.peers.notifyAdded([]laneName{{"kind", "a"}})
	q.peers.notifyAdded([]laneName{{"kind", "a"}})
	q.ResumeLane("kind", "b")
	want("two lanes", `{"added":[["kind","a"]],"resumed":[["kind","b"]]}`)
	want("they were sent", "")
	q.peers.notifyAdded([]laneName{{"kind", strings.Repeat("x", database.MaxPayload)}})
	want("a long name", notifyAllLanes)
	q.peers.notifyAdded([]laneName{{"kind", "\xff"}})
	want("a name that is not UTF-8", notifyAllLanes)

	for i := range 1000 {
		q.peers.notifyAdded([]laneName{{"kind", fmt.Sprint(i)}})
	}

	if n := len(q.peers.pending.added); n > 2*maxNotifiedLanes {
		t.Errorf("%d lanes are kept for a notification that may never be sent", n)
	}

	want("many lanes", notifyAllLanes)
}

// A fetch that is running when the notification arrives must not make the node miss the new job.
func TestNotified_readsTheLaneAgainAfterARunningFetch(t *testing.T) {
	q := New(Deps{Now: time.Now}, bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1,
		Decode: decodeBytes, Run: func(context.Context, *bytesTask) error { return nil }})
	s := &scheduler{kindState: q.kinds["kind"]}
	s.addTasks("a", 0, 0)
	s.lanes["a"].first.rewind()
	requests, lanes := q.poller.jobRequests()
	q.peers.notified(`{"added":[["kind","a"],["kind","other"],["unknown","a"]]}`)
	q.poller.enqueue(requests, lanes, nil)

	if again, _ := q.poller.jobRequests(); len(again) > 0 {
		t.Fatal("the lane is read again before the next poll, so the test proves nothing")
	}

	select {
	case <-q.refill:
	default:
		t.Error("the notification did not request a poll")
	}

	q.mu.Lock()
	q.peers.rewindNotified()
	q.mu.Unlock()

	if again, _ := q.poller.jobRequests(); len(again) == 0 {
		t.Error("the lane is not read again")
	}

	select {
	case <-q.wake:
		t.Error("new jobs in a leased lane requested a poll of all lanes")
	default:
	}

	for _, payload := range []string{notifyAllLanes, "not JSON"} {
		q.peers.notified(payload)
		select {
		case <-q.wake:
		default:
			t.Errorf("%s did not request a poll of all lanes", payload)
		}
	}
}
