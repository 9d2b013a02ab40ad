package order

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

func TestBestSellers_countsThePeriodWithoutCancelledOrders(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createProduct("Shirt", 1, nil)
		cup := s.createProduct("Cup", 1, nil)
		hat := s.createProduct("Hat", 1, nil)
		start := s.Clock.Now()
		s.createSubmitted(line(hat, 9))
		s.Clock.Advance(time.Hour)
		from := s.Clock.Now()
		s.createSubmitted(line(shirt, 2), line(cup, 1))
		s.createSubmitted(line(shirt, 2))
		s.change(s.createSubmitted(line(hat, 8)), Cancelled)
		s.createDraft(line(hat, 7))
		s.Clock.Advance(time.Hour)
		before := s.Clock.Now()
		s.createSubmitted(line(cup, 9))

		best := func(from, before time.Time, limit int) string {
			var words []string
			s.Read(func(tx store.Tx) error {
				list, err := BestSellers(s.Context(), tx, from, before, limit)
				for _, sold := range list {
					words = append(words, fmt.Sprint(sold.Name, " ", sold.Quantity/1000, " ", sold.Orders, " ",
						sold.Deleted))
				}
				return err
			})
			return strings.Join(words, ", ")
		}
		if got := best(from, before, 5); got != "Shirt 4 2 false, Cup 1 1 false" {
			s.Errorf("the best sellers of the period are %s", got)
		}
		if got := best(start, before.Add(time.Hour), 2); got != "Cup 10 2 false, Hat 9 1 false" {
			s.Errorf("the best sellers are %s", got)
		}

		s.Write(func(tx store.Tx) error { return s.catalog.Products.Delete(s.Context(), tx, hat.ID, nil) })
		if got := best(start, from, 5); got != "Hat 9 1 true" {
			s.Errorf("the best seller that was deleted is %s", got)
		}
	})
}

func TestWanted_isWhatIsSoldOutAndWasOrderedLately(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stock := []catalog.Stock{s.catalog.CreateStock("a")}
		shirt := s.createProduct("Shirt", 1, remaindersIn(stock, 1))
		s.createProduct("Hat", 1, remaindersIn(stock, 0))
		left := s.createProduct("Cup", 1, remaindersIn(stock, 5))
		s.createSubmitted(line(shirt, 1), line(left, 1))
		s.count()

		s.Read(func(tx store.Tx) error {
			n, err := view.CountWanted(s.Context(), tx, 100)
			if n != 1 {
				s.Errorf("%d variants are sold out and wanted, want 1", n)
			}
			if err != nil {
				return err
			}

			levels, err := view.ReadLevels(s.Context(), tx, view.LevelFilter{State: view.Wanted},
				view.LevelPage{Limit: 10})
			if len(levels.List) != 1 || levels.List[0].ID != shirt.Variants[0].ID {
				s.Errorf("the list of them has %d variants", len(levels.List))
			}
			return err
		})
	})
}
