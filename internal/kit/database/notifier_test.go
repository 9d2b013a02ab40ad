package database_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// notifierNode is a node that sends and receives payloads.
type notifierNode struct {
	*database.Notifier
	mu               sync.Mutex
	outgoing, gotten []string
	connections      atomic.Int32
	stop             func()
}

// startNotifier starts a notifier that runs until stop is called or the test ends.
func startNotifier(t *testing.T, db *database.DB, timeout time.Duration) *notifierNode {
	t.Helper()
	n := &notifierNode{}

	n.Notifier = db.NewNotifier(database.NotifierConfig{
		Channel: "Test", Connected: func() { n.connections.Add(1) },
		Outgoing: func() (payload string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			if len(n.outgoing) > 0 {
				payload = n.outgoing[0]
				n.outgoing = n.outgoing[1:]
			}
			return payload
		},
		Incoming: func(payload string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.gotten = append(n.gotten, payload)
		},
	})

	n.SetTimings(time.Millisecond, timeout)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { n.Run(ctx) })
	n.stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(n.stop)

	return n
}

func (n *notifierNode) send(payloads ...string) {
	n.mu.Lock()
	n.outgoing = append(n.outgoing, payloads...)
	n.mu.Unlock()
	n.Wake()
}

func (n *notifierNode) received() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.gotten)
}

func (n *notifierNode) waitUntilConnected(t *testing.T, times int32) {
	t.Helper()
	storetest.Eventually(t, "the notifier is connected", func() bool { return n.connections.Load() >= times })
}

func TestNotifier_sendsToOtherNodesOnly(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Postgres)
	first := startNotifier(t, db, time.Minute)
	second := startNotifier(t, db, time.Minute)
	first.waitUntilConnected(t, 1)
	second.waitUntilConnected(t, 1)
	first.send("a", "b")
	storetest.EventuallyEqual(t, "the second node has received", []string{"a", "b"}, second.received)
	second.send("c")
	storetest.EventuallyEqual(t, "the first node has received", []string{"c"}, first.received)
	first.send("last")
	first.stop()
	storetest.EventuallyEqual(t, "the second node has received", []string{"a", "b", "last"}, second.received)
}

func TestNotifier_connectsAgain(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Postgres)
	first := startNotifier(t, db, time.Minute)
	second := startNotifier(t, db, time.Minute)
	first.waitUntilConnected(t, 1)
	second.waitUntilConnected(t, 1)
	if n := queryInt(t, db, `SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'UNLISTEN%'`); n != 2 {
		t.Fatalf("%d connections were terminated, want 2", n)
	}
	first.waitUntilConnected(t, 2)
	second.waitUntilConnected(t, 2)
	first.send("a")
	storetest.EventuallyEqual(t, "the second node has received", []string{"a"}, second.received)
}

// A pooler in transaction mode accepts LISTEN but loses the notifications. Then the nodes poll.
func TestNotifier_noticesThatNotificationsAreLost(t *testing.T) {
	t.Parallel()

	direct := databasetest.NewMigratedURL(t, database.Postgres)
	p, pooled := startProxy(t, direct)
	p.dropNotifications.Store(true)
	n := startNotifier(t, openDB(t, database.Config{URL: pooled}), time.Second)
	storetest.Eventually(t, "the notifier has tried again", func() bool { return p.notificationsDropped.Load() >= 2 })
	if n.connections.Load() > 0 {
		t.Error("the notifier counts as connected, although notifications do not arrive")
	}
	// Either the pooler changes its mode, or the notifier gets a connection that bypasses it.
	bypass := startNotifier(t, openDB(t, database.Config{URL: pooled, ListenURL: direct}), time.Minute)
	bypass.waitUntilConnected(t, 1)
	p.dropNotifications.Store(false)
	n.waitUntilConnected(t, 1)
	bypass.send("a")
	storetest.EventuallyEqual(t, "the other node has received", []string{"a"}, n.received)
}

func TestNotifier_doesNothingOnSQLite(t *testing.T) {
	t.Parallel()
	n := startNotifier(t, databasetest.Open(t, database.SQLite), time.Minute)
	n.send("a")
	n.stop()
	if len(n.outgoing) != 1 || n.connections.Load() > 0 {
		t.Errorf("%d payloads are left after %d connections, want 1 and 0", len(n.outgoing), n.connections.Load())
	}
}
