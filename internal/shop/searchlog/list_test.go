package searchlog

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/shop/store"
)

// ask counts a query several times.
func (s *fixture) ask(query string, times int, found int64) {
	s.Helper()
	for range times {
		s.Record(s.Store, query, found)
	}
}

func TestSum_addsUpDays(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.ask("lamp", 2, 0)
		s.ask("torch", 3, 4)
		s.flushAfter(24 * time.Hour)
		s.ask("lamp", 2, 5)
		s.ask("chair", 1, 0)
		s.ask("table", 1, 0)
		s.flushAfter(0)

		for _, c := range []struct {
			from, to int64
			want     []string
		}{
			{s.today() - 1, s.today(), []string{"0 lamp 4/5/0/0", "-1 torch 3/4/0/0", "0 chair 1/0/0/0",
				"0 table 1/0/0/0"}},
			{s.today() - 1, s.today() - 1, []string{"-1 torch 3/4/0/0", "-1 lamp 2/0/0/0"}},
			{s.today() + 1, s.today() + 2, nil},
		} {
			var got []string
			s.Read(func(tx store.Tx) error {
				got = nil
				sums, more, err := Sum(s.Context(), tx, c.from, c.to)
				for _, q := range sums {
					got = append(got, s.line(q))
				}
				if more {
					s.Error("Sum says that there are more queries")
				}
				return err
			})
			if !slices.Equal(got, c.want) {
				s.Errorf("from %d to %d: the sums are %q, want %q", c.from, c.to, got, c.want)
			}
		}
	})
}

func TestPopular_hasWhatFoundSomethingAndWasAskedOften(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.ask("old", 9, 1)
		s.flushAfter(24 * time.Hour)
		s.ask("lamp", 2, 0)
		s.ask("gone", 3, 5)
		s.flushAfter((popularDays - 1) * 24 * time.Hour)
		s.ask("lamp", 2, 5)
		s.ask("gone", 1, 0)
		s.ask("rare", 2, 1)
		s.ask("nothing", 5, 0)
		s.ask("torch", 4, 1)
		s.ask("chair", 3, 1)
		s.flushAfter(0)

		want := []PopularQuery{{"lamp", 4}, {"torch", 4}, {"chair", 3}}
		for limit := 1; limit <= len(want)+1; limit++ {
			s.Read(func(tx store.Tx) error {
				got, err := Popular(s.Context(), tx, s.today(), limit)
				if diff := cmp.Diff(want[:min(limit, len(want))], got); diff != "" {
					s.Errorf("at most %d:\n%s", limit, diff)
				}
				return err
			})
		}
	})
}

func TestPrune_deletesExpiredDays(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.product("Lamp")
		for range 2 {
			s.ask("lamp", 1, 1)
			s.Click(s.Store, "lamp", lamp)
			s.flushAfter(clickDelay)
			s.Clock.Advance(24 * time.Hour)
		}

		s.Clock.Advance((RetentionDays - 1) * 24 * time.Hour)
		for _, want := range []int64{1, 0} {
			if err := s.Prune(s.Context()); err != nil {
				s.Fatal(err)
			}
			for _, table := range []string{"search_queries", "search_clicks", "search_days"} {
				if n := s.Count(table); n != want {
					s.Errorf("%s has %d rows, want %d", table, n, want)
				}
			}
			s.Clock.Advance(24 * time.Hour)
		}
	})
}

// A day with more rows than a transaction deletes is deleted as a whole.
func TestPruneOldest_deletesInChunks(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for _, query := range []string{"a", "b", "c", "d", "e"} {
			s.ask(query, 1, 1)
		}
		s.flushAfter(0)

		var left []int64
		for more := true; more; {
			s.Write(func(tx store.Tx) (err error) {
				more, err = pruneOldest(s.Context(), tx.Unscoped(), s.today()+1, 2)
				return err
			})
			left = append(left, s.Count("search_queries"), s.Count("search_days"))
		}
		if want := []int64{3, 1, 1, 1, 0, 0, 0, 0}; !slices.Equal(left, want) {
			s.Errorf("rows left: %v, want %v", left, want)
		}
	})
}
