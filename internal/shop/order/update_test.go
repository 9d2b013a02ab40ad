package order

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// update changes what the shop has added to an order.
func (s *fixture) update(o Order, u Update, pre fault.Precondition) (after Order, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		after, err = s.Update(s.Context(), tx.By(store.Actor{Kind: store.ByOperator, Name: "ann"}, s.Clock.Now()),
			s.Store, o.ID, u, pre, "")
		return err
	})
	return after, err
}

// mustUpdate is update without a precondition, which succeeds.
func (s *fixture) mustUpdate(o Order, u Update) Order {
	s.Helper()
	after, err := s.update(o, u, nil)
	if err != nil {
		s.Fatal(err)
	}
	return after
}

// stored returns an order as the database has it.
func (s *fixture) stored(o Order) (stored Order) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		stored, err = s.Order(s.Context(), tx, s.Store, o.ID, Caller{AllOrders: true})
		return err
	})
	return stored
}

func TestUpdate_changesWhatIsSentAndEmitsAnEvent(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		o := s.createSubmitted(line(s.createProduct("Shirt", 100000, nil), 1))
		paid := s.Clock.Now().Truncate(time.Microsecond)
		s.mustUpdate(o, Update{Tracking: &Tracking{Number: " RB 1 ", URL: "https://c.example/1"}, PaidAt: &paid})
		s.mustUpdate(o, Update{Tags: &[]string{"Gift ", "gift", "to  call", ""}})

		after := s.stored(o)
		got := fmt.Sprint(after.Tracking, after.PaidAt.Equal(paid), after.Tags, after.Version-o.Version)
		if want := "{RB 1  https://c.example/1} true [Gift to call] 2"; got != want {
			s.Errorf("the order has %s, want %s", got, want)
		}
		if n := s.Count("events WHERE type = 'order.updated'"); n != 2 {
			s.Errorf("%d events", n)
		}

		s.mustUpdate(o, Update{PaidAt: &time.Time{}, Tracking: &Tracking{}, Tags: &[]string{}})
		if after = s.stored(o); after.PaidAt != nil || after.Tags != nil || after.Tracking != (Tracking{}) {
			s.Errorf("the order still has %v %v %v", after.PaidAt, after.Tags, after.Tracking)
		}
		if n := s.Count("audit_entries WHERE action = 'order.updated'"); n != 3 {
			s.Errorf("%d entries in the log", n)
		}
	})
}

// A note is the shop's own affair: no event tells of it.
func TestUpdate_aNoteEmitsNoEvent(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		o := s.createSubmitted(line(s.createProduct("Shirt", 100000, nil), 1))
		s.mustUpdate(o, Update{Note: new(" Call first \n")})
		s.mustUpdate(o, Update{Note: new("Call first")}) // the same
		after := s.stored(o)
		if after.Note != "Call first" || after.Version != o.Version+1 {
			s.Errorf("note %q in version %d after %d", after.Note, after.Version, o.Version)
		}
		if n := s.Count("events WHERE type = 'order.updated'"); n != 0 {
			s.Errorf("%d events", n)
		}
		if n := s.Count("audit_entries WHERE action = 'order.noted'"); n != 1 {
			s.Errorf("%d entries in the log", n)
		}
	})
}

func TestUpdate_refusesDraftsOldVersionsAndBrokenRules(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 100000, nil)
		o := s.createSubmitted(line(p, 1))
		draft := s.createDraft(line(p, 1))
		if _, err := s.update(draft, Update{Note: new("x")}, nil); faultSummary(err) != "wrong_state" {
			s.Errorf("a draft: %v", err)
		}
		old := func(version int64) bool { return version == o.Version-1 }
		if _, err := s.update(o, Update{Note: new("x")}, old); fault.KindOf(err) != fault.Stale {
			s.Errorf("an old version: %v", err)
		}

		many := make([]string, MaxTags+1)
		for i := range many {
			many[i] = fmt.Sprint("t", i)
		}
		for want, u := range map[string]Update{
			"note":            {Note: new(strings.Repeat("x", MaxNote+1))},
			"tags":            {Tags: &many},
			"tracking.url":    {Tracking: &Tracking{URL: "javascript:alert(1)"}},
			"tracking.number": {Tracking: &Tracking{Number: strings.Repeat("x", MaxTracking+1)}},
		} {
			if _, err := s.update(o, u, nil); !strings.HasSuffix(faultSummary(err), " "+want) {
				s.Errorf("%s: %v", want, err)
			}
		}
		for _, tag := range []string{"a,b", strings.Repeat("x", MaxTag+1)} {
			if _, err := s.update(o, Update{Tags: &[]string{tag}}, nil); fault.KindOf(err) != fault.Invalid {
				s.Errorf("tag %s: %v", tag, err)
			}
		}
		if after := s.stored(o); after.Version != o.Version {
			s.Errorf("a refused update raised the version to %d", after.Version)
		}
	})
}

func TestList_filtersByTag(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 100000, nil)
		var orders []Order
		for range 4 {
			orders = append(orders, s.submitAs(s.createDraft(line(p, 1)), "Ann", "+49123456789", ""))
		}
		for _, n := range []int{0, 1, 3} {
			s.mustUpdate(orders[n], Update{Tags: &[]string{"other", "Gift"}})
		}
		if err := s.changeState(orders[1], Cancelled); err != nil {
			s.Fatal(err)
		}

		for want, f := range map[string]Filter{
			"4 2 1":  {Submitted: true, Tag: "gift"},
			"4 1":    {Submitted: true, Tag: "GIFT", State: Submitted},
			"2":      {Submitted: true, Tag: "gift", State: Cancelled},
			"2 1":    {Submitted: true, Tag: "gift", SubmittedBefore: *orders[2].SubmittedAt},
			"":       {Submitted: true, Tag: "gif"},
			"4 2 1 ": {Submitted: true, Tag: "other", Search: "ann"},
		} {
			if got := numbers(s.list(f, nil, 10)); got != strings.TrimSpace(want) {
				s.Errorf("%+v: %s, want %s", f, got, want)
			}
		}

		f := Filter{Submitted: true, Tag: "gift"}
		first := s.list(f, nil, 1)
		second := s.list(f, first.Older, 1)
		if got := numbers(first) + " " + numbers(second) + " " + numbers(s.list(f, second.Newer, 1)); got != "4 2 4" {
			s.Errorf("the parts have %s", got)
		}
		if got := s.totals(f); got.Orders != 3 || len(got.Sums) != 1 || got.Sums[0].Total != 200000 {
			s.Errorf("the totals are %+v", got)
		}

		s.mustUpdate(orders[3], Update{Tags: &[]string{"other"}})
		if got := numbers(s.list(f, nil, 10)); got != "2 1" {
			s.Errorf("after a tag was removed: %s", got)
		}
	})
}

func TestErase_forgetsWhatTheShopHasAdded(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		o := s.createSubmitted(line(s.createProduct("Shirt", 100000, nil), 1))
		s.mustUpdate(o, Update{Note: new("Anna"), Tags: &[]string{"Anna"}, Tracking: &Tracking{Number: "42"}})

		var erased Erased
		s.Write(func(tx store.Tx) (err error) {
			erased, err = Erase(s.Context(), tx, []int64{o.Key}, 0, s.Clock.Now())
			return err
		})

		after := s.stored(o)
		if after.Note != "" || after.Tags != nil || after.Tracking != (Tracking{}) || s.Count("order_tags") != 0 {
			s.Errorf("the order still has %q %v %v", after.Note, after.Tags, after.Tracking)
		}
		if len(erased.Events) != 2 { // of the submission and of the update
			s.Errorf("%d events are to be redacted", len(erased.Events))
		}
	})
}
