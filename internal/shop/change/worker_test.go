package change

import (
	"testing"
	"time"

	"vitrine/internal/shop/catalog"
)

func TestRun_announcesAtMostOnceASecond(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.listen("catalog.changed")
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		chair := s.CreateProduct("Chair", 20, catalog.ProductEdit{})
		s.run(s.worker)
		if got := s.events(); len(got) != 1 || got[0].Products.Count != 2 || len(got[0].Tags) != 3 {
			s.Fatalf("the events are %+v, want one with two products", got)
		}

		for price := range 5 {
			s.reprice(lamp, 11)
			s.reprice(chair, 21)
			s.reprice(lamp, 12)
			s.run(s.worker)
			if got := s.events(); len(got) != 1 {
				s.Fatalf("after %d more changes the events are %+v", price, got)
			}
			s.Clock.Advance(100 * time.Millisecond)
		}

		s.Clock.Advance(time.Second)
		s.run(s.worker)
		s.run(s.worker)
		got := s.events()
		if len(got) != 2 || got[1].Products.Count != 2 || !got[1].PricesOnly || got[1].Version <= got[0].Version {
			s.Errorf("the events are %+v, want a second one with both products", got)
		}
	})
}

// Nodes that see the same change send one event. One that was killed after the commit is replaced by another one, and
// so is one that was killed after a reader had collected the change.
func TestRun_announcesEachChangeOnce(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.listen("*")
		second, third := s.newNode().newWorker(), s.newNode().newWorker()
		s.run(second)
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		s.since(0) // a reader collects
		s.run(s.worker)
		s.run(second)
		s.run(third)
		if got := s.events(); len(got) != 1 {
			s.Errorf("three nodes sent %+v", got)
		}

		s.Clock.Advance(time.Minute)
		s.reprice(lamp, 11)
		s.since(0)
		s.run(s.newNode().newWorker())
		if got := s.events(); len(got) != 2 {
			s.Errorf("a new node sent %+v, want a second event", got)
		}
	})
}

// A store without receivers gets no events, its changes are collected before the log forgets them, and a later receiver
// is not told of earlier ones.
func TestRun_collectsWithoutReceivers(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.run(s.worker)
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		s.run(s.worker)
		if n := s.Count("change_heads"); n != 0 {
			s.Errorf("changes of a store without receivers were collected at once")
		}
		s.Clock.Advance(quietDelay)
		s.run(s.worker)
		if n := s.Count("change_heads"); n != 1 {
			s.Errorf("changes of a store without receivers were not collected")
		}

		s.listen("order.*")
		s.listen("catalog.changed")
		s.run(s.worker)
		s.Clock.Advance(time.Minute)
		s.reprice(lamp, 11)
		s.run(s.worker)
		if got := s.events(); len(got) != 1 || got[0].Products.Count != 1 || !got[0].PricesOnly {
			s.Errorf("the events are %+v, want one with the price", got)
		}
	})
}
