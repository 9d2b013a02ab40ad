package order

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
)

// after is the service of the shop so much later, which keeps drafts for 30 days.
func (s *shop) after(d time.Duration) *Service {
	then := s.now().Add(d)
	return NewService(Deps{DB: s.db, Catalog: s.goods, Events: s.events, Now: func() time.Time { return then }, DraftRetention: 30 * 24 * time.Hour})
}

// ended runs one search for old drafts and returns how many drafts, orders of another state and items are left.
func (s *shop) ended(by *Service) string {
	s.Helper()
	if err := by.endDrafts(s.Context()); err != nil {
		s.Fatal(err)
	}
	return fmt.Sprint(s.count("orders WHERE state = 'draft'"), " ", s.count("orders WHERE state <> 'draft'"), " ", s.count("order_items"))
}

func TestDrafts_thatNobodyTouchesEnd(t *testing.T) {
	eachShop(t, func(s *shop) {
		const month = 30 * 24 * time.Hour
		p := s.product("Shirt", 1, goodsOf([]catalog.Stock{s.stock("near")}, 10))
		for _, to := range []State{Submitted, Confirmed, Completed, Cancelled} {
			o := s.bought(line(p, 1))
			for _, next := range map[State][]State{Confirmed: {Confirmed}, Completed: {Confirmed, Completed}, Cancelled: {Cancelled}}[to] {
				if err := s.step(o, next); err != nil {
					s.Fatal(err)
				}
			}
		}
		touched := s.draft(line(p, 1))
		s.write(func(q database.Querier) error {
			for range 2*draftsAtOnce + 1 { // more than two rounds
				if _, _, err := s.Create(s.Context(), q, s.store, Edit{Items: &[]Line{line(p, 1)}}, Caller{}); err != nil {
					return err
				}
			}
			return nil
		})
		s.write(func(q database.Querier) error {
			_, err := s.after(time.Microsecond).Edit(s.Context(), q, s.store, touched.ID, Edit{Comment: new("Soon")}, Caller{All: true}, nil)
			return err
		})
		forever := s.after(100 * month)
		forever.draftRetention = 0
		for _, c := range []struct {
			name string
			by   *Service
			want string
		}{
			{"they are kept", forever, "202 4 206"},
			{"the time is not over", s.after(month), "202 4 206"},
			{"it is over for all but one", s.after(month + time.Microsecond), "1 4 5"},
			{"it is over for all", s.after(month + 2*time.Microsecond), "0 4 4"},
			{"there is none", s.after(100 * month), "0 4 4"},
		} {
			if got := s.ended(c.by); got != c.want {
				s.Errorf("%s: %s are left, want %s", c.name, got, c.want)
			}
		}
	})
}

// What happens to a draft between the search and the deletion counts.
func TestDrafts_thatAreTouchedAtTheLastMomentStay(t *testing.T) {
	eachShop(t, func(s *shop) {
		p := s.product("Shirt", 1, nil)
		edited, submitted, left := s.draft(line(p, 1)), s.draft(line(p, 1)), s.draft(line(p, 1))
		late := s.after(31 * 24 * time.Hour)
		var old []oldDraft
		s.write(func(q database.Querier) (err error) {
			old, err = draftsOlder(s.Context(), q, late.now(), draftsAtOnce)
			return err
		})
		if len(old) != 3 {
			s.Fatalf("%d drafts are old", len(old))
		}
		s.write(func(q database.Querier) error {
			_, _, err := late.AddItem(s.Context(), q, s.store, edited.ID, line(p, 1), Caller{All: true})
			return err
		})
		if _, err := s.submit(submitted); err != nil {
			s.Fatal(err)
		}
		s.write(func(q database.Querier) error { return deleteDrafts(s.Context(), q, old) })
		list := s.listed(Filter{})
		if len(list) != 2 || list[0].ID != submitted.ID || list[1].ID != edited.ID {
			s.Errorf("%v are left; the one that nobody touched is %s", list, left.ID)
		}
		s.write(func(q database.Querier) error { return s.FillItems(s.Context(), q, s.store, list) })
		if len(list[0].Items) != 1 || len(list[1].Items) != 1 || list[1].Items[0].Quantity != 2000 {
			s.Errorf("they have the items %v and %v", list[0].Items, list[1].Items)
		}
	})
}

func TestRun_endsDraftsAndEndsWithItsContext(t *testing.T) {
	eachShop(t, func(s *shop) {
		s.draft()
		ctx, cancel := context.WithCancel(s.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.after(31 * 24 * time.Hour).Run(ctx) }()
		for deadline := time.Now().Add(20 * time.Second); s.count("orders") > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				s.Fatal("the draft is still there")
			}
		}
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
}
