package searchlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

func TestLog_countsQueriesPerDay(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Record(s.Store, "Лампы", 5)
		s.Record(s.Store, " лампы ", 7)
		s.Record(s.Store, "iPhone15", 0)
		s.Record(s.Store, "iphone 15", 0)
		s.Record(s.Store, "iphone-15", 0)
		s.Record(s.Store, "?!", 0)
		s.Record(s.Store, strings.Repeat("a", MaxQuery+1), 0)
		s.Record(s.Store, strings.Repeat(" a", maxSent), 0)
		s.Record(s.Store, "anna@shop.example", 0)
		s.flushAfter(0)
		s.wantList(Filter{}, "0 iphone 15 3/0/0/0", "0 лампы 2/7/0/0")
		s.wantList(Filter{From: s.today(), To: s.today(), Unfound: true}, "0 iphone 15 3/0/0/0")

		s.Record(s.Store, "iphone 15", 2)
		s.flushAfter(time.Second)
		s.Record(s.Store, "лампы", 0)
		s.flushAfter(24 * time.Hour)
		s.wantList(Filter{}, "-1 iphone 15 4/2/0/0", "-1 лампы 3/0/0/0")
		s.wantList(Filter{From: s.today() - 1, To: s.today(), Unfound: true}, "-1 лампы 3/0/0/0")
		s.wantList(Filter{From: s.today(), To: s.today()})

		s.Record(s.Store, "стул", 1)
		s.flushAfter(0)
		s.wantList(Filter{}, "0 стул 1/1/0/0", "-1 iphone 15 4/2/0/0", "-1 лампы 3/0/0/0")
	})
}

// The day is that of the timezone of the store.
func TestLog_usesTimezoneOfStore(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		east := s.NewStore(store.Edit{Timezone: new("Pacific/Kiritimati")}) // UTC+14
		evening := s.Clock.Now().UTC().Truncate(24 * time.Hour).Add(23 * time.Hour)
		s.Clock.Advance(evening.Sub(s.Clock.Now()))
		s.Record(east, "lamp", 1)
		s.Record(s.Store, "lamp", 1)
		s.flushAfter(0)
		s.wantList(Filter{}, "0 lamp 1/1/0/0")
		s.inStore(east).wantList(Filter{From: s.today() + 1, To: s.today() + 1},
			"0 lamp 1/1/0/0")
	})
}

func (s *fixture) inStore(other store.Store) *fixture {
	c := *s.Catalog
	c.Fixture = s.WithStore(other)
	return &fixture{&c, s.Log}
}

// What several nodes count adds up, and found is what the last search found, whichever node is the first to store it.
func TestLog_addsUpNodes(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		other := newLog(s.Fixture)
		s.Record(s.Store, "lamp", 5)
		s.Clock.Advance(time.Second)
		other.Record(s.Store, "lamp", 0)
		if err := other.Flush(s.Context()); err != nil {
			s.Fatal(err)
		}
		s.flushAfter(0)
		s.wantList(Filter{}, "0 lamp 2/0/0/0")
		s.wantList(Filter{From: s.today(), To: s.today(), Unfound: true}, "0 lamp 2/0/0/0")
	})
}

func TestLog_countsClicksAndOrdersOfAskedQueries(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp, torch, unknown := s.product("Lamp"), s.product("Torch"), id.New[catalog.Product]()
		foreign := s.inStore(s.NewStore(store.Edit{})).product("Foreign")
		s.Record(s.Store, "lamp", 2)
		s.Record(s.Store, "light", 2)
		s.Click(s.Store, "Lamp", lamp)
		s.Click(s.Store, "lamp", lamp)
		s.Click(s.Store, "lamp", torch)
		s.Click(s.Store, "lamp", unknown)
		s.Click(s.Store, "lamp", foreign)
		s.Click(s.Store, "light", lamp)
		s.Click(s.Store, "never asked", lamp)

		s.flushAfter(0)
		s.wantList(Filter{}, "0 lamp 1/2/0/0", "0 light 1/2/0/0")
		s.flushAfter(clickDelay)
		s.wantList(Filter{}, "0 lamp 1/2/3/0", "0 light 1/2/1/0")

		s.Order(s.Store, []catalog.ProductID{lamp, torch})
		s.Order(s.Store, []catalog.ProductID{torch})
		s.Order(s.Store, []catalog.ProductID{foreign})
		s.Order(s.Store, nil)
		s.flushAfter(clickDelay)
		s.wantList(Filter{}, "0 lamp 1/2/3/0", "0 light 1/2/1/0")
		s.flushAfter(orderDelay)
		s.wantList(Filter{}, "0 lamp 1/2/3/2", "0 light 1/2/1/1")

		// Clicks count for orders of their own day only.
		s.Clock.Advance(24 * time.Hour)
		s.Order(s.Store, []catalog.ProductID{lamp})
		s.flushAfter(orderDelay)
		s.wantList(Filter{}, "-1 lamp 1/2/3/2", "-1 light 1/2/1/1")
	})
}

// A node that stops stores all it has, clicks after their searches and orders after their clicks.
func TestRun_storesRestAtEnd(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.product("Lamp")
		stop := s.Start(s.Run)
		s.Order(s.Store, []catalog.ProductID{lamp})
		s.Click(s.Store, "lamp", lamp)
		s.Record(s.Store, "lamp", 1)
		stop()
		s.wantList(Filter{}, "0 lamp 1/1/1/1")
	})
}

// A failed flush loses nothing and counts nothing twice.
func TestFlush_keepsWhatItCannotStore(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.product("Lamp")
		s.Record(s.Store, "lamp", 1)
		s.Click(s.Store, "lamp", lamp)
		s.Order(s.Store, []catalog.ProductID{lamp})
		s.Clock.Advance(orderDelay)
		used := s.buffer.bytes
		ended, end := context.WithCancel(s.Context())
		end()
		if err := s.Flush(ended); !errors.Is(err, context.Canceled) {
			s.Errorf("flush with an ended context: %v", err)
		}

		if s.buffer.bytes != used {
			s.Errorf("the buffer counts %d bytes after the failure, and had %d", s.buffer.bytes, used)
		}
		s.flushAfter(0)
		s.wantList(Filter{}, "0 lamp 1/1/1/1")
		if s.buffer.bytes != 0 {
			s.Errorf("the empty buffer counts %d bytes", s.buffer.bytes)
		}
	})
}

func TestLog_boundsItsMemory(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for i := range 200_000 {
			s.Record(s.Store, fmt.Sprint("query ", i), 1)
		}
		s.Record(s.Store, "query 1", 1)
		if n := len(s.buffer.searches); n < 10_000 || n > maxBufferBytes/entryBytes {
			s.Errorf("%d queries are in memory", n)
		}
		if got := s.buffer.searches[newQueryKey(s.Store, "query 1", s.Clock.Now())].count; got != 2 {
			s.Errorf("a known query has %d searches while the buffer is full, want 2", got)
		}
	})
}

// A day has room for a number of queries. Those that it has are still counted when it is full.
func TestFlush_boundsQueriesOfDay(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Record(s.Store, "known", 0)
		s.flushAfter(0)
		s.Exec("UPDATE search_days SET queries = $1, clicks = $2", MaxQueriesPerDay-1, maxClicksPerDay-1)
		lamp, torch := s.product("Lamp"), s.product("Torch")
		s.Record(s.Store, "b", 1)
		s.Record(s.Store, "a", 1)
		s.Record(s.Store, "known", 1)
		s.Click(s.Store, "known", lamp)
		s.Click(s.Store, "known", torch)
		s.flushAfter(clickDelay)

		if n := s.Count("search_queries"); n != 2 {
			s.Errorf("there are %d queries, want 2", n)
		}
		if n := s.Count("search_clicks"); n != 1 {
			s.Errorf("there are %d pairs of a query and a product, want 1", n)
		}
		want := fmt.Sprintf("%d 0 %d", MaxQueriesPerDay, maxClicksPerDay)
		if got := s.Texts("SELECT queries || ' ' || unfound || ' ' || clicks FROM search_days"); got[0] != want {
			s.Errorf("the day has %q, want %q", got, want)
		}
		if n := s.Count("search_queries WHERE query = 'known' AND count = 2 AND clicks = 2"); n != 1 {
			s.Error("the known query is not counted when the day is full")
		}
	})
}

// Searches of a store that is deleted before they are stored do not keep those of others from being stored.
func TestFlush_skipsDeletedStores(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		other := s.NewStore(store.Edit{})
		s.Record(other, "lamp", 1)
		s.Record(s.Store, "lamp", 1)
		s.WriteUnscoped(func(q database.Querier) error {
			_, err := q.Exec(s.Context(), "DELETE FROM stores WHERE id = $1", other.ID)
			return err
		})
		s.flushAfter(0)
		s.wantList(Filter{}, "0 lamp 1/1/0/0")
	})
}

func TestLog_nilCountsNothing(t *testing.T) {
	t.Parallel()
	var l *Log
	l.Record(store.Store{}, "lamp", 1)
	l.Click(store.Store{}, "lamp", catalog.ProductID{})
	l.Order(store.Store{}, []catalog.ProductID{{}})
}
