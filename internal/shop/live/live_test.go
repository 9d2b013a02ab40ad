package live

import (
	"os"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

func everything(access.Scope) bool { return true }

// A subscription gets the names of what changed in its store, merged, and only of what its reader may see.
func TestHub_tellsWhatChangedInTheStore(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		h := New(f.DB)
		s, ok := h.Subscribe(f.Store.ID, id.New[access.Operator]())
		if !ok {
			f.Fatal("the subscription was refused")
		}
		h.Emitted(id.New[store.Store](), event.OrderSubmitted)
		select {
		case <-s.Changed():
			f.Error("a change of another store was told")
		default:
		}

		h.Emitted(f.Store.ID, event.OrderSubmitted)
		h.Emitted(f.Store.ID, event.FeedbackSubmitted)
		<-s.Changed()
		topics := s.Take()
		if got, want := topics.Names(everything), "orders inquiries deliveries"; got != want {
			f.Errorf("the names are %q, want %q", got, want)
		}
		onlyOrders := func(scope access.Scope) bool { return scope == access.OrdersRead }
		if got := topics.Names(onlyOrders); got != "orders" {
			f.Errorf("who sees orders alone is told %q", got)
		}
		if got := s.Take(); got != 0 {
			f.Errorf("told twice: %v", got)
		}

		h.Emitted(f.Store.ID, event.ExchangeCompleted)
		other := New(f.DB)
		remote, _ := other.Subscribe(f.Store.ID, id.New[access.Operator]())
		for payload := h.nextPayload(); payload != ""; payload = h.nextPayload() {
			other.receive(payload + " nonsense x=y")
		}
		if got, want := remote.Take().Names(everything), "orders inquiries runs deliveries"; got != want {
			f.Errorf("another node is told %q, want %q", got, want)
		}

		h.Close()
		<-s.Changed() // of the run
		if _, open := <-s.Changed(); open {
			f.Error("the subscription outlives the hub")
		}
		s.Close()
		if _, ok := h.Subscribe(f.Store.ID, id.New[access.Operator]()); ok {
			f.Error("a closed hub has a new subscription")
		}
	})
}

func TestSubscribe_isBounded(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		h := New(f.DB)
		operator := id.New[access.Operator]()

		var last *Subscription
		for range MaxPerOperator {
			s, ok := h.Subscribe(f.Store.ID, operator)
			if !ok {
				f.Fatal("refused too early")
			}
			last = s
		}
		if _, ok := h.Subscribe(f.Store.ID, operator); ok {
			f.Error("an operator has more subscriptions than allowed")
		}

		last.Close()
		for n := MaxPerOperator - 1; n < MaxInAll; n++ {
			if _, ok := h.Subscribe(f.Store.ID, id.New[access.Operator]()); !ok {
				f.Fatalf("subscription %d was refused", n)
			}
		}
		if _, ok := h.Subscribe(f.Store.ID, id.New[access.Operator]()); ok {
			f.Error("there are more subscriptions than allowed")
		}
	})
}
