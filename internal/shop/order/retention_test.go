package order

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// serviceAfter returns a service whose clock is ahead by d and whose DraftRetention is 30 days.
func (s *fixture) serviceAfter(d time.Duration) *Service {
	later := s.Now().Add(d)
	return New(Deps{
		DB: s.DB, Catalog: s.Catalog, Events: s.Events, Now: func() time.Time { return later },
		DraftRetention: 30 * 24 * time.Hour,
	})
}

// runRetention calls deleteExpiredDrafts and returns the remaining numbers of drafts, of other orders and of items.
func (s *fixture) runRetention(service *Service) string {
	s.Helper()
	if err := service.deleteExpiredDrafts(s.Context()); err != nil {
		s.Fatal(err)
	}
	return fmt.Sprint(s.Count("orders WHERE state = 'draft'"), " ",
		s.Count("orders WHERE state <> 'draft'"), " ", s.Count("order_items"))
}

func TestDeleteExpiredDrafts_deletesUnchangedDraftsOnly(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const month = 30 * 24 * time.Hour
		p := s.createProduct("Shirt", 1, remaindersIn([]catalog.Stock{s.catalog.CreateStock("near")}, 10))
		for _, to := range []State{Submitted, Confirmed, Completed, Cancelled} {
			o := s.createSubmitted(line(p, 1))
			for _, next := range map[State][]State{
				Confirmed: {Confirmed}, Completed: {Confirmed, Completed}, Cancelled: {Cancelled},
			}[to] {
				if err := s.changeState(o, next); err != nil {
					s.Fatal(err)
				}
			}
		}

		edited := s.createDraft(line(p, 1))

		s.Write(func(tx store.Tx) error {
			for range 2*deleteDraftsBatch + 1 { // one draft more than two batches
				if _, _, err := s.Create(
					s.Context(), tx, s.Store, Edit{Items: &[]Line{line(p, 1)}}, Caller{},
				); err != nil {
					return err
				}
			}
			return nil
		})

		s.Write(func(tx store.Tx) error {
			_, err := s.serviceAfter(time.Microsecond).Edit(
				s.Context(), tx, s.Store, edited.ID, Edit{Comment: new("Soon")}, Caller{AllOrders: true}, nil)
			return err
		})
		unlimited := s.serviceAfter(100 * month)
		unlimited.DraftRetention = 0
		for _, c := range []struct {
			name    string
			service *Service
			want    string
		}{
			{"retention is unlimited", unlimited, "202 4 206"},
			{"no draft has expired", s.serviceAfter(month), "202 4 206"},
			{"all drafts but one have expired", s.serviceAfter(month + time.Microsecond), "1 4 5"},
			{"all drafts have expired", s.serviceAfter(month + 2*time.Microsecond), "0 4 4"},
			{"there are no drafts", s.serviceAfter(100 * month), "0 4 4"},
		} {
			if got := s.runRetention(c.service); got != c.want {
				s.Errorf("%s: %s drafts, other orders and items are left, want %s", c.name, got, c.want)
			}
		}
	})
}

// A draft that is edited or submitted between the SELECT and the DELETE is not deleted.
func TestDeleteDrafts_keepsDraftsChangedSinceTheSelect(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		edited := s.createDraft(line(p, 1))
		submitted := s.createDraft(line(p, 1))
		unchanged := s.createDraft(line(p, 1))
		later := s.serviceAfter(31 * 24 * time.Hour)
		var drafts []expiredDraft
		s.WriteUnscoped(func(q database.Querier) (err error) {
			drafts, err = selectDraftsBefore(s.Context(), q, later.Now(), deleteDraftsBatch)
			return err
		})
		if len(drafts) != 3 {
			s.Fatalf("%d drafts have expired, want 3", len(drafts))
		}

		s.Write(func(tx store.Tx) error {
			_, _, err := later.AddItem(s.Context(), tx, s.Store, edited.ID, line(p, 1), Caller{AllOrders: true})
			return err
		})
		if _, err := s.submit(submitted); err != nil {
			s.Fatal(err)
		}

		s.WriteUnscoped(func(q database.Querier) error { return deleteDrafts(s.Context(), q, drafts) })
		list := s.listOrders(Filter{})
		if len(list) != 2 || list[0].ID != submitted.ID || list[1].ID != edited.ID {
			s.Errorf("the orders left are %v; the unchanged draft was %s", list, unchanged.ID)
		}

		s.Write(func(tx store.Tx) error {
			return s.FillItems(s.Context(), tx, s.Store, list)
		})
		if len(list[0].Items) != 1 || len(list[1].Items) != 1 || list[1].Items[0].Quantity != 2000 {
			s.Errorf("the orders left have the items %v and %v", list[0].Items, list[1].Items)
		}
	})
}

func TestRun_deletesExpiredDraftsUntilContextEnds(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.createDraft()
		stop := s.Start(s.serviceAfter(31 * 24 * time.Hour).Run)
		s.Eventually("the expired draft is deleted", func() bool { return s.Count("orders") == 0 })
		stop()
	})
}
