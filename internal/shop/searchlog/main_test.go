package searchlog

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

type fixture struct {
	*catalogtest.Catalog
	*Log
}

func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) { fn(&fixture{catalogtest.New(f), newLog(f)}) })
}

func newLog(f *storetest.Fixture) *Log {
	return New(Deps{DB: f.DB, Now: f.Clock.Now, Log: slog.New(slog.DiscardHandler)})
}

// flush stores what is due after some time.
func (s *fixture) flushAfter(d time.Duration) {
	s.Helper()
	s.Clock.Advance(d)
	if err := s.Flush(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// today returns the number of the present day in the store.
func (s *fixture) today() int64 { return dayOf(s.Store, s.Clock.Now()) }

// list returns the queries of all days, as "day query count/found/clicks/orders" with the day counted from today.
func (s *fixture) list(f Filter) (lines []string) {
	s.Helper()
	if f.To == 0 {
		f.From, f.To = s.today()-RetentionDays, s.today()
	}
	s.Read(func(tx store.Tx) error {
		lines = nil

		list, total, err := List(s.Context(), tx, f, 100, 0)
		if total != int64(len(list)) {
			s.Errorf("the total is %d, and there are %d queries", total, len(list))
		}
		for _, q := range list {
			lines = append(lines, s.line(q))
		}

		return err
	})
	return lines
}

func (s *fixture) line(q Query) string {
	return fmt.Sprintf("%d %s %d/%d/%d/%d", q.Day-s.today(), q.Query, q.Count, q.Found, q.Clicks, q.Orders)
}

func (s *fixture) wantList(f Filter, want ...string) {
	s.Helper()
	if got := s.list(f); !slices.Equal(got, want) {
		s.Errorf("the queries are %q, want %q", got, want)
	}
}

func (s *fixture) product(name string) catalog.ProductID {
	s.Helper()
	return s.CreateProduct(name, 1, catalog.ProductEdit{}).ID
}
