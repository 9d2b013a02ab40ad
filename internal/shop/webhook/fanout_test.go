package webhook_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// change is a transaction that emits some events and then commits, fails or is canceled.
type change struct {
	events []string // event types
	end    string

	// began and ended are times of a logical clock; began also identifies the change. committed says whether the write
	// succeeded.
	began, ended int64
	committed    bool
}

const (
	commits   = "commits"
	fails     = "fails"
	abandoned = "is canceled"
)

func drawChange(r *rapid.T) *change {
	types := rapid.SampledFrom([]string{event.OrderSubmitted, event.OrderCancelled, event.FeedbackSubmitted})
	return &change{
		events: rapid.SliceOfN(types, 0, 3).Draw(r, "events"),
		end:    rapid.SampledFrom([]string{commits, commits, commits, fails, abandoned}).Draw(r, "end"),
	}
}

// An event exists if and only if its change committed. Sequences have no gaps and follow the order of the commits. A
// reader of the feed never sees a later event before an earlier one. Every receiver gets the events that it wants, and
// no others. The test runs random concurrent transactions.
func TestEmit_existsIfAndOnlyIfItsChangeCommitted(t *testing.T) {
	given := false // whether the command line sets -rapid.checks, which then takes precedence
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "12"); err != nil {
			t.Fatal(err)
		}
	}

	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		r := newFixture(storetest.New(t, db))
		r.Service, r.stop = r.startNode()
		undone := 0

		rapid.Check(t, func(rt *rapid.T) {
			r.Store = r.NewStore(store.Edit{})
			all := r.newReceiver(nil)
			orders := r.newReceiver(nil, "order.*")

			authors := make([][]*change, rapid.IntRange(2, 5).Draw(rt, "authors"))
			for i := range authors {
				authors[i] = rapid.SliceOfN(rapid.Custom(drawChange), 1, 6).Draw(rt, "changes")
			}

			read := r.runChanges(authors)
			undone += r.checkFeed(slices.Concat(authors...), read)
			r.checkReceived(all, read, func(string) bool { return true })
			r.checkReceived(orders, read, func(eventType string) bool { return eventType != event.FeedbackSubmitted })
		})
		if undone == 0 {
			t.Error("no change was rolled back, so the test proves nothing")
		}
	})
}

// runChanges runs the lists of changes concurrently, each list in order. It returns the events that a concurrent reader
// of the feed saw.
func (r *fixture) runChanges(authors [][]*change) (read []event.Event) {
	r.Helper()
	var clock atomic.Int64
	var writers, reader sync.WaitGroup
	done := make(chan struct{})

	for _, list := range authors {
		writers.Go(func() {
			for _, c := range list {
				c.began = clock.Add(1)
				err := r.runChange(c)
				c.committed, c.ended = err == nil, clock.Add(1)
				if c.committed == (c.end == fails) || err != nil && !errors.Is(err, errRollback) &&
					!errors.Is(err, context.Canceled) {
					r.Errorf("a change that %s returned %v", c.end, err)
				}
			}
		})
	}

	reader.Go(func() { read = r.readFeed(done) })
	writers.Wait()
	close(done)
	reader.Wait()

	return read
}

// payloadFormat is the payload of an event: its change and its number within the change.
const payloadFormat = `{"change": %d, "n": %d}`

var errRollback = errors.New("rollback")

// runChange runs the transaction of one change.
func (r *fixture) runChange(c *change) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()

	return r.DB.Write(ctx, func(q database.Querier) error {
		for i, eventType := range c.events {
			if err := emitterOn(r.Service).Emit(ctx, store.In(q, r.Store.ID), eventType,
				fmt.Appendf(nil, payloadFormat, c.began, i)); err != nil {
				return err
			}
		}

		switch c.end {
		case fails:
			return errRollback
		case abandoned:
			cancel()
		}

		return nil
	})
}

// readFeed polls the feed until done is closed and the feed has no more events. It checks that sequences have no gaps.
func (r *fixture) readFeed(done <-chan struct{}) (read []event.Event) {
	for last, ended := int64(0), false; ; {
		var page []event.Event
		err := r.TryRead(func(tx store.Tx) (err error) {
			page, _, err = event.Feed(r.Context(), tx, last, 3)
			return err
		})
		if err != nil {
			r.Error(err)
			return read
		}

		for _, e := range page {
			if last++; e.Sequence != last {
				r.Errorf("read event %d, want %d", e.Sequence, last)
				return read
			}
		}

		if read = append(read, page...); len(page) > 0 {
			continue
		}
		if ended {
			return read
		}

		select {
		case <-done:
			ended = true // read once more: events may have been committed since the last read
		default:
		}
	}
}

// checkFeed compares the events of the feed with the committed changes, and returns the number of changes that were
// rolled back.
func (r *fixture) checkFeed(changes []*change, read []event.Event) (undone int) {
	r.Helper()
	sequences := map[int64][]int64{} // the sequences of the events of each change, by its began
	for _, e := range read {
		var name int64
		var n int
		if _, err := fmt.Sscanf(string(e.Payload), payloadFormat, &name, &n); err != nil || n != len(sequences[name]) {
			r.Errorf("payload of event %d is %s: %v", e.Sequence, e.Payload, err)
		}
		sequences[name] = append(sequences[name], e.Sequence)
	}

	expected := 0
	for _, c := range changes {
		want := len(c.events)
		if !c.committed {
			undone++
			want = 0
		}

		expected += want
		if got := len(sequences[c.began]); got != want {
			r.Errorf("a change that %[2]s has %[1]d events, want %[3]d", got, c.end, want)
		}
	}

	if len(read) != expected {
		r.Errorf("the feed has %d events, want %d", len(read), expected)
	}

	for _, a := range changes {
		for _, b := range changes {
			first, second := sequences[a.began], sequences[b.began]
			if a.ended < b.began && len(first) > 0 && len(second) > 0 && slices.Max(first) > slices.Min(second) {
				r.Errorf("a change began after another had ended, but its sequences %v are not above %v", second, first)
			}
		}
	}

	return undone
}

// checkReceived waits until a receiver has received the events that it wants. It checks that it received each of them
// once and unchanged, and no other events.
func (r *fixture) checkReceived(k *testReceiver, list []event.Event, wants func(eventType string) bool) {
	r.Helper()
	want := map[string]string{} // body by event id
	for i := range list {
		if e := &list[i]; wants(e.Type) {
			want[e.ID.String()] = string(e.AppendEnvelope(nil, r.Store.ID))
		}
	}

	r.Eventually("all events are delivered",
		func() bool { return r.countDeliveries(k, webhook.Delivered) == len(want) })
	got := k.requests()
	for _, one := range got {
		if want[one.id] != one.body {
			r.Errorf("sent %s, want %s", one.body, want[one.id])
		}
	}

	if len(got) != len(want) || r.queryDeliveries(k, "COUNT(*)") != len(want) ||
		r.queryDeliveries(k, "COUNT(DISTINCT sequence)") != len(want) {
		r.Errorf("%d requests and %d deliveries for %d events", len(got), r.queryDeliveries(k, "COUNT(*)"), len(want))
	}
}

// Two nodes together create only one delivery of an event to a receiver, and make only one request.
func TestFanOut_createsOneDeliveryWithTwoNodes(t *testing.T) {
	t.Parallel()
	r := newFixture(storetest.Open(t, database.Postgres))
	first, _ := r.startNode()
	second, _ := r.startNode()
	r.Service = first
	const stores, emitters, rounds = 4, 4, 15
	type shop struct {
		store store.Store
		sinks [2]*testReceiver
	}

	shops := make([]shop, stores)
	for i := range shops {
		r.Store = r.NewStore(store.Edit{})
		shops[i] = shop{r.Store, [2]*testReceiver{r.newReceiver(nil), r.newReceiver(nil)}}
	}

	var wait sync.WaitGroup
	for i := range emitters {
		wait.Go(func() {
			for n := range rounds {
				err := r.DB.Write(r.Context(), func(q database.Querier) error {
					node := []*webhook.Service{first, second}[(n+i)%2]
					return emitterOn(node).Emit(r.Context(), store.In(q, shops[(n*emitters+i)%stores].store.ID),
						event.OrderSubmitted, []byte(`{"n": 1}`))
				})
				if err != nil {
					r.Error(err)
				}
			}
		})
	}

	wait.Wait()

	for _, one := range shops {
		r.Store = one.store
		list := r.readFeed(closedChannel())
		if len(list) != emitters*rounds/stores {
			r.Errorf("a store has %d events, want %d", len(list), emitters*rounds/stores)
		}
		for _, k := range one.sinks {
			r.checkReceived(k, list, func(string) bool { return true })
		}
	}
}

// A fan-out that fails creates no delivery and is retried until it succeeds.
func TestFanOut_isRetriedAfterAFailure(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		r := newFixture(f)
		logged := &safeList{}
		r.log = slog.New(slog.NewTextHandler(logged, nil))
		r.Service, r.stop = r.startNode()
		receivers := []*testReceiver{r.newReceiver(nil), r.newReceiver(nil)}

		// With this index a second delivery of the store cannot be inserted.
		r.Exec("CREATE UNIQUE INDEX one_delivery ON deliveries (store_id)")
		r.emit(event.OrderSubmitted, 3)
		r.Eventually("a failure is logged", func() bool {
			return strings.Contains(strings.Join(logged.all(), ""), "fan-out of events failed")
		})

		if n := r.Count("deliveries"); n != 0 {
			r.Errorf("there are %d deliveries after a failed fan-out", n)
		}

		r.Exec("DROP INDEX one_delivery")
		list := r.readFeed(closedChannel())
		if len(list) != 3 {
			r.Errorf("the feed has %d events, want 3", len(list))
		}

		for _, k := range receivers {
			r.checkReceived(k, list, func(string) bool { return true })
		}
	})
}

func closedChannel() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
