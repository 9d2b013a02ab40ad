package order

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/store"
)

// perDay returns the totals of the last days as text: orders/cancelled/revenue of each day.
func (s *fixture) perDay(days int) string {
	s.Helper()
	var list []string
	s.Read(func(tx store.Tx) error {
		list = nil
		totals, err := PerDay(s.Context(), tx, s.Store, s.Clock.Now().AddDate(0, 0, 1-days), s.Clock.Now())
		for _, d := range totals {
			list = append(list, fmt.Sprintf("%d/%d/%d", d.Orders, d.Cancelled, d.Revenue))
		}
		return err
	})
	return strings.Join(list, " ")
}

// withTimezone changes the timezone of the store.
func (s *fixture) withTimezone(zone string) (changed store.Store) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		changed, err = s.Stores.Update(s.Context(), tx, store.Edit{Timezone: &zone}, nil)
		return err
	})
	return changed
}

// Orders are counted on the day of their submission in the timezone of the store, and cancelled ones apart.
func TestPerDay_countsByDayOfTheStore(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		counts := store.NewDailyCounts(s.DB, s.Clock.Now, slog.New(slog.DiscardHandler))
		s.Counts = counts
		tee := s.createProduct("Tee", 100000, nil)
		s.Clock.Set(time.Date(2026, 3, 28, 18, 0, 0, 0, time.UTC)) // 23:45 in Kathmandu
		s.Fixture = s.WithStore(s.withTimezone("Asia/Kathmandu"))
		first := s.createSubmitted(line(tee, 1))
		s.Clock.Advance(15 * time.Minute) // midnight
		s.createSubmitted(line(tee, 2))
		third := s.createSubmitted(line(tee, 3))
		s.createDraft()
		s.createDraft(line(tee, 1))

		if err := s.changeState(first, Confirmed); err != nil {
			s.Fatal(err)
		}
		if got, want := s.perDay(3), "0/0/0 1/0/100000 2/0/500000"; got != want {
			s.Errorf("the days are %s, want %s", got, want)
		}

		s.Clock.Advance(24 * time.Hour)
		if err := s.changeState(third, Cancelled); err != nil {
			s.Fatal(err)
		}
		if got, want := s.perDay(3), "1/0/100000 1/1/200000 0/0/0"; got != want {
			s.Errorf("after a cancellation the days are %s, want %s", got, want)
		}
		if err := counts.Flush(s.Context()); err != nil {
			s.Fatal(err)
		}

		s.Read(func(tx store.Tx) error {
			today := store.DayNumber(s.Clock.Now().In(s.Store.Zone()))
			carts, err := store.CountsPerDay(s.Context(), tx, CartsCount, today-2, today)
			if len(carts) != 2 || carts[0].Count != 1 || carts[1].Count != 3 || carts[1].Day != today-1 {
				s.Errorf("the carts are %+v", carts)
			}
			return err
		})
	})
}
