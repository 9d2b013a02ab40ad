package admission

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/kit/fault"
)

// request is a request of a test: it waits for a slot and holds it until the test calls end.
type request struct {
	key    Key
	cancel context.CancelFunc
	done   atomic.Bool // Acquire has returned; the fields below are set before
	err    error
	waited time.Duration
	free   func()
	ended  bool
}

// holds reports whether the request holds a slot.
func (r *request) holds() bool { return r.done.Load() && r.err == nil && !r.ended }

// fixture starts requests. It is used in a synctest bubble.
type fixture struct {
	*Class
	tb  testing.TB
	all []*request
}

// start starts a request and waits until it has a slot or is in the queue.
func (f *fixture) start(tenant, client string) *request {
	ctx, cancel := context.WithCancel(f.tb.Context())
	r := &request{key: Key{tenant, client}, cancel: cancel}
	f.all = append(f.all, r)
	go func() {
		began := time.Now()
		r.free, r.err = f.Acquire(ctx, r.key)
		r.waited = time.Since(began)
		r.done.Store(true)
	}()
	synctest.Wait()
	return r
}

// end ends a request that holds a slot, and waits until the slot is given to the next.
func (f *fixture) end(r *request) {
	f.tb.Helper()
	if !r.holds() {
		f.tb.Fatal("the request holds no slot")
	}
	r.free()
	r.ended = true
	synctest.Wait()
}

func (f *fixture) wantHolds(r *request, want bool) {
	f.tb.Helper()
	if r.holds() != want {
		f.tb.Errorf("the request of %v holds a slot: %v, want %v", r.key, !want, want)
	}
}

// inBubble runs a test with a class in a synctest bubble. At the end it ends all requests, and checks that the class
// has forgotten them.
func inBubble(t *testing.T, limits Limits, test func(t *testing.T, f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{Class: New(limits), tb: t}
		test(t, f)
		f.finish()
	})
}

func (f *fixture) finish() {
	for _, r := range f.all {
		r.cancel()
	}
	synctest.Wait()
	for _, r := range f.all {
		if r.holds() {
			f.end(r)
		}
	}
	if f.inProgress != 0 || f.queue.Len() != 0 || len(f.tenants) != 0 || len(f.clients) != 0 || len(f.queued) != 0 {
		f.tb.Errorf("after all requests: %d in progress, %d waiting, %d tenants, %d clients", f.inProgress,
			f.queue.Len(), len(f.tenants), len(f.clients))
	}
}

func TestAcquire_refusesAfterTheLongestWait(t *testing.T) {
	inBubble(t, Limits{Slots: 1, Waiting: 10, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
		first := f.start("a", "1")
		f.wantHolds(first, true)
		second := f.start("a", "1")
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		if second.done.Load() {
			t.Error("refused before its time")
		}

		time.Sleep(time.Millisecond)
		synctest.Wait()
		fe, ok := errors.AsType[*fault.Error](second.err)
		if !ok || fe.Kind != fault.Unavailable || fe.Code != "overloaded" || fe.RetryAfter <= 0 {
			t.Errorf("got %v, want 503 overloaded with a time to retry", second.err)
		}

		f.end(first)
		f.wantHolds(f.start("a", "1"), true)

		if s := f.Stats(); s.RefusedByLoad != 1 || s.RefusedByShare != 0 || s.Admitted != 2 || s.InProgress != 1 ||
			s.Waiting != 0 || s.Slots != 1 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestAcquire_endsWithItsContext(t *testing.T) {
	inBubble(t, Limits{Slots: 1, Waiting: 10, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
		first, second := f.start("a", "1"), f.start("a", "1")
		second.cancel()
		synctest.Wait()
		if !errors.Is(second.err, context.Canceled) {
			t.Errorf("got %v, want the context's error", second.err)
		}
		f.end(first)
		if s := f.Stats(); s.InProgress != 0 || s.Waiting != 0 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestAcquire_servesOldLongLinesNewestFirst(t *testing.T) {
	for _, c := range []struct {
		length int
		age    time.Duration
		newest bool
	}{
		{3, 200 * time.Millisecond, false}, {longQueue + 3, 50 * time.Millisecond, false},
		{longQueue + 3, 200 * time.Millisecond, true},
	} {
		inBubble(t, Limits{Slots: 1, Waiting: 100, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
			holder := f.start("a", "holder")
			var waiting []*request
			for i := range c.length {
				waiting = append(waiting, f.start("a", fmt.Sprint(i))) // visitors of one store
			}

			time.Sleep(c.age)
			want := []int{0, 1, 2}
			if c.newest {
				want = []int{c.length - 1, c.length - 2, c.length - 3}
			}

			var order []int
			for range want {
				f.end(holder)
				i := slices.IndexFunc(waiting, func(r *request) bool { return r.holds() })
				order = append(order, i)
				holder = waiting[i]
			}

			if !slices.Equal(order, want) {
				t.Errorf("a queue of %d after %v was served in the order %v, want %v", c.length, c.age, order, want)
			}
		})
	}
}

func TestAcquire_aFullQueueRefusesTheOldestOfTheLongest(t *testing.T) {
	inBubble(t, Limits{Slots: 1, Waiting: 4, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
		f.start("greedy", "1")
		quiet := f.start("quiet", "1")
		var greedy []*request
		for range 5 {
			greedy = append(greedy, f.start("greedy", "1"))
		}

		for i, r := range greedy {
			if refused := r.done.Load(); refused != (i < 2) {
				t.Errorf("request %d of the longest queue: refused %v", i, refused)
			}
		}

		if quiet.done.Load() {
			t.Error("the request of the other store was refused")
		}
	})
}

func TestAcquire_sharesTheSlotsBetweenTenantsAndClients(t *testing.T) {
	inBubble(t, Limits{Slots: 4, Waiting: 100, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
		var greedy []*request
		for range 30 {
			greedy = append(greedy, f.start("greedy", "1"))
		}

		other := []*request{f.start("other", "1"), f.start("other", "1")}
		visitor := f.start("greedy", "2")

		for _, r := range greedy[:2] { // the next two slots go to the tenant that has none
			f.end(r)
		}

		f.wantHolds(other[0], true)
		f.wantHolds(other[1], true)
		f.end(greedy[2])
		f.wantHolds(visitor, true) // and one of the greedy tenant's to its client that has none
		f.wantHolds(greedy[4], false)
	})
}

func TestAcquire_takesTurnsWhenNobodyHoldsASlot(t *testing.T) {
	inBubble(t, Limits{Slots: 1, Waiting: 100, MaxWait: time.Minute}, func(t *testing.T, f *fixture) {
		holder := f.start("greedy", "1")
		for range 10 {
			f.start("greedy", "1")
		}

		for range 3 {
			f.start("other", "1")
		}

		var order []string
		for range 6 {
			f.end(holder)
			holder = f.all[slices.IndexFunc(f.all, func(r *request) bool { return r.holds() })]
			order = append(order, holder.key.Tenant)
		}

		if got := strings.Join(order, " "); got != "other greedy other greedy other greedy" {
			t.Errorf("served %s", got)
		}
	})
}

func TestAcquire_limitsTheSlotsOfATenantAndOfAClient(t *testing.T) {
	limits := Limits{Slots: 4, TenantSlots: 2, ClientSlots: 3, Waiting: 100, MaxWait: time.Second}

	inBubble(t, limits, func(t *testing.T, f *fixture) {
		first := f.start("a", "1")
		f.start("a", "1")
		third := f.start("a", "1")
		f.wantHolds(third, false)
		f.wantHolds(f.start("b", "1"), true)
		fourth := f.start("c", "1") // the client holds three
		f.wantHolds(fourth, false)
		f.wantHolds(f.start("c", "2"), true)
		time.Sleep(500 * time.Millisecond)
		f.end(first)
		f.wantHolds(third, true)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()

		if fe, ok := errors.AsType[*fault.Error](fourth.err); !ok || fe.Kind != fault.TooMany ||
			fe.Code != "too_many_requests" || fe.RetryAfter <= 0 {
			t.Errorf("got %v, want 429 too_many_requests with a time to retry", fourth.err)
		}

		if s := f.Stats(); s.RefusedByShare != 1 || s.RefusedByLoad != 0 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestPrecheck_refusesEarlyInALongOverload(t *testing.T) {
	inBubble(t, Limits{Slots: 1, Waiting: 100, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
		wantRefused := func(client string, want bool) {
			t.Helper()
			if err := f.Precheck(client); (err != nil) != want {
				t.Errorf("a request of %s got %v, want it refused: %v", client, err, want)
			}
		}
		wantRefused("greedy", false)
		f.start("a", "greedy")
		fill := func() {
			for f.Stats().Waiting < longQueue {
				f.start("a", "greedy")
			}
		}
		fill()
		wantRefused("greedy", false) // it may be a burst
		time.Sleep(900 * time.Millisecond)
		f.start("a", "greedy") // the queue is never empty
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		wantRefused("greedy", false) // the queue is short
		fill()
		wantRefused("greedy", true)

		for _, r := range f.all[1:] { // the queue is empty for a moment
			r.cancel()
		}

		synctest.Wait()
		fill()
		wantRefused("greedy", true)
		wantRefused("quiet", false)
		f.start("a", "quiet")
		wantRefused("quiet", false)
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		wantRefused("greedy", false) // the queue is empty
		fill()
		wantRefused("greedy", false) // the overload is over
	})
}

func TestAcquire_aNilClassAdmitsEverything(t *testing.T) {
	var c *Class
	release, err := c.Acquire(t.Context(), Key{})
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := c.Precheck(""); err != nil {
		t.Error(err)
	}
	if s := c.Stats(); s.Slots != 0 || s.Admitted != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestStats_countsTheWaits(t *testing.T) {
	inBubble(t, Limits{Slots: 1, Waiting: 10, MaxWait: time.Second}, func(t *testing.T, f *fixture) {
		first, second := f.start("a", "1"), f.start("a", "1")
		time.Sleep(20 * time.Millisecond)
		f.end(first)
		f.wantHolds(second, true)
		s := f.Stats()
		waits := s.Waits()
		if waits[0] != 1 || waits[0.005] != 1 || waits[0.025] != 2 || waits[1] != 2 ||
			s.WaitTotal != 20*time.Millisecond {
			t.Errorf("waits %v, together %v", waits, s.WaitTotal)
		}
	})
}

// TestAcquire_keepsItsLimits runs random requests and checks after each step what holds for all classes.
func TestAcquire_keepsItsLimits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := Limits{
			Slots:       rapid.IntRange(1, 5).Draw(rt, "slots"),
			TenantSlots: rapid.IntRange(0, 5).Draw(rt, "tenant slots"),
			ClientSlots: rapid.IntRange(0, 5).Draw(rt, "client slots"),
			Waiting:     rapid.IntRange(0, 6).Draw(rt, "waiting"), MaxWait: time.Second,
		}
		type step struct {
			do, which      int
			tenant, client string
			pause          time.Duration
		}
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				rapid.IntRange(0, 9).Draw(rt, "do"), rapid.IntRange(0, 99).Draw(rt, "which"),
				rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "tenant"),
				rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "client"),
				time.Duration(rapid.IntRange(0, 400).Draw(rt, "pause")) * time.Millisecond,
			}
		}), 1, 60).Draw(rt, "steps")

		inBubble(t, limits, func(_ *testing.T, f *fixture) {
			for _, s := range steps {
				holding := slices.DeleteFunc(slices.Clone(f.all), func(r *request) bool { return !r.holds() })
				waiting := slices.DeleteFunc(slices.Clone(f.all), func(r *request) bool { return r.done.Load() })
				switch {
				case s.do < 5:
					f.start(s.tenant, s.client)
				case s.do < 8 && len(holding) > 0:
					f.end(holding[s.which%len(holding)])
				case s.do == 8 && len(waiting) > 0:
					waiting[s.which%len(waiting)].cancel()
				default:
					time.Sleep(s.pause)
				}

				synctest.Wait()
				f.checkLimits(rt, limits)
			}
		})
	})
}

func (f *fixture) checkLimits(rt *rapid.T, limits Limits) {
	inProgress, waiting := 0, 0
	tenants, clients := map[string]int{}, map[string]int{}
	for _, r := range f.all {
		switch {
		case r.holds():
			inProgress++
			tenants[r.key.Tenant]++
			clients[r.key.Client]++
		case !r.done.Load():
			waiting++
		}
	}

	full := func(key Key) bool {
		return limits.TenantSlots > 0 && tenants[key.Tenant] >= limits.TenantSlots ||
			limits.ClientSlots > 0 && clients[key.Client] >= limits.ClientSlots
	}
	s := f.Stats()
	if s.InProgress != inProgress || s.Waiting != waiting || inProgress > limits.Slots || waiting > limits.Waiting {
		rt.Fatalf("%d in progress, %d waiting, with %+v; stats %+v", inProgress, waiting, limits, s)
	}

	for tenant, n := range tenants {
		if limits.TenantSlots > 0 && n > limits.TenantSlots {
			rt.Fatalf("tenant %s holds %d slots", tenant, n)
		}
	}

	for client, n := range clients {
		if limits.ClientSlots > 0 && n > limits.ClientSlots {
			rt.Fatalf("client %s holds %d slots", client, n)
		}
	}

	for _, r := range f.all {
		switch {
		case r.done.Load() && r.waited > limits.MaxWait:
			rt.Fatalf("a request waited for %v", r.waited)
		case !r.done.Load() && inProgress < limits.Slots && !full(r.key):
			rt.Fatalf("a request of %v waits although a slot is free", r.key)
		}
	}
}

func BenchmarkAcquire(b *testing.B) {
	c := New(Limits{Slots: 8, Waiting: 8, MaxWait: time.Second})
	b.ReportAllocs()
	for b.Loop() {
		release, err := c.Acquire(b.Context(), Key{"store", "127.0.0.1"})
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}
