package memory

import (
	"errors"
	"sync"
	"testing"

	"vitrine/internal/kit/fault"
)

func TestShare_refusesWhatDoesNotFit(t *testing.T) {
	s := NewShare("bodies", "request bodies", 100)
	a := s.Open(Owner{Store: "a"})
	b := s.Open(Owner{Address: "1"})
	c := s.Open(Owner{Store: "c", Address: "3"})
	if err := errors.Join(a.Grow(50), b.Grow(40)); err != nil {
		t.Fatal(err)
	}

	for _, refused := range []struct {
		grant *Grant
		total int64
		kind  fault.Kind
	}{
		{a, 51, fault.TooMany}, {c, 11, fault.Unavailable}, {s.Open(Owner{Store: "d", Address: "1"}), 1, fault.TooMany},
		{s.Open(Owner{Store: "a", Address: "4"}), 1, fault.TooMany},
	} {
		err := refused.grant.Grow(refused.total)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != refused.kind || f.RetryAfter <= 0 {
			t.Errorf("%+v growing to %d got %v", refused.grant.owner, refused.total, err)
		}
	}

	if process, owner := s.Refused(); process != 1 || owner != 3 || s.Used() != 90 {
		t.Errorf("%d and %d refusals, %d bytes in use", process, owner, s.Used())
	}

	a.Release()
	if err := c.Grow(37); err != nil {
		t.Errorf("after a release: %v", err)
	}

	b.Release()
	c.Release()

	if s.Used() != 0 || len(s.byStore) != 0 || len(s.byAddress) != 0 {
		t.Errorf("%d bytes in use, stores %v, addresses %v", s.Used(), s.byStore, s.byAddress)
	}
}

func TestShare_limitsAddressesUnlessToldOtherwise(t *testing.T) {
	b := NewBudget(Config{Limit: 128 << 20, Spool: 1000, AnyAddress: true})
	if err := b.Spool.Open(Owner{Address: "1"}).Grow(1000); err != nil {
		t.Error(err)
	}
	if err := b.Spool.Open(Owner{}).Grow(1); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a used-up share: %v", err)
	}
}

// One address could use up all that its store may hold, so that no other visitor of the store was served.
func TestShare_anAddressLeavesRoomInItsStore(t *testing.T) {
	s := NewShare("bodies", "request bodies", 800)
	visitor := Owner{Store: "a", Address: "1", Visitor: true}
	other := Owner{Store: "a", Address: "2", Visitor: true}

	own := Owner{Store: "a", Address: "1"} // the shop's own client at the address of the first visitor
	for _, c := range []struct {
		owner   Owner
		bytes   int64
		refused bool
	}{
		{visitor, 60, false}, {visitor, 40, false}, {visitor, 1, true}, {own, 200, false}, {own, 50, false},
		{own, 51, true}, {other, 50, false}, {Owner{Store: "b", Address: "1", Visitor: true}, 1, true},
		{Owner{Store: "b", Address: "1"}, 50, false},
	} {
		err := s.Open(c.owner).Grow(c.bytes)
		if (err != nil) != c.refused || c.refused && fault.KindOf(err) != fault.TooMany {
			t.Errorf("%+v growing to %d got %v, want it refused: %v", c.owner, c.bytes, err, c.refused)
		}
	}
}

// An estimate took all that its owner may hold: no other body of the store was accepted beside it, and it was not
// accepted beside any other.
func TestGrant_estimateLeavesRoomForOtherWork(t *testing.T) {
	s := NewShare("bodies", "request bodies", 800)
	owner := Owner{Store: "a", Address: "1"}
	small, large := s.Open(owner), s.Open(owner)
	if err := errors.Join(small.Grow(50), large.GrowAtMost(100_000), small.Grow(100)); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(owner).GrowAtMost(100_000); fault.KindOf(err) != fault.TooMany {
		t.Errorf("a second large estimate got %v", err)
	}

	visitor := Owner{Store: "b", Address: "2", Visitor: true}
	first, second := s.Open(visitor), s.Open(visitor)
	if err := second.Grow(1); err != nil {
		t.Fatal(err)
	}
	if err := first.GrowAtMost(101); fault.KindOf(err) != fault.TooMany {
		t.Errorf("an estimate above the part of a visitor who holds something else got %v", err)
	}

	second.Release()
	if err := first.GrowAtMost(101); err != nil {
		t.Errorf("an estimate above the part of a visitor who holds nothing else got %v", err)
	}
}

// Temporary files leave a part of the disk free, so that they cannot make the server unavailable.
func TestH7_spoolLeavesRoomOnTheDisk(t *testing.T) {
	free := int64(spoolReserve + 1000)
	b := NewBudget(Config{Limit: 128 << 20, Spool: 1 << 40, FreeDisk: func() int64 { return free }})
	g := b.Spool.Open(Owner{})
	if err := g.Grow(1000); err != nil {
		t.Error(err)
	}
	free -= 1000
	if err := g.Grow(1001); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a disk without room: %v", err)
	}
}

func TestBudget_sharesFitIntoTheLimit(t *testing.T) {
	for _, limit := range []int64{128 << 20, 512 << 20, 2 << 30, 64 << 30} {
		b := NewBudget(Config{Limit: limit, Search: -1, Spool: 1 << 30})
		total := int64(0)
		for _, s := range b.Shares() {
			if s != b.Spool {
				total += s.Limit()
			}
		}
		if total > limit*9/10 || b.HeapLimit() >= limit {
			t.Errorf("the shares of %d are %d, and the heap has %d", limit, total, b.HeapLimit())
		}
	}
}

func TestShare_nilAdmitsEverything(t *testing.T) {
	var s *Share
	g := s.Open(Owner{Store: "a"})
	if err := errors.Join(g.Grow(1<<40), (*Grant)(nil).Grow(1), g.GrowAtMost(1)); err != nil {
		t.Error(err)
	}
	g.Release()
	(*Grant)(nil).Release()
}

func TestShare_isSafeForConcurrentUse(t *testing.T) {
	s := NewShare("bodies", "request bodies", 1000)
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			g := s.Open(Owner{Store: string(rune('a' + i%3)), Address: "x"})
			for range 1000 {
				if g.Grow(100) == nil {
					g.Shrink(50)
				}
				g.Release()
			}
		})
	}

	running.Wait()
	if s.Used() != 0 || len(s.byStore)+len(s.byAddress) > 0 {
		t.Errorf("%d bytes are still held", s.Used())
	}
}
