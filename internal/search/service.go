package search

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/catalog"
	"vitrine/internal/database"
	"vitrine/internal/store"
)

// ErrMoved says that the columns show a later state than the caller's snapshot: with a new one the answer is of one state again.
var ErrMoved = errors.New("the catalogue has moved on since the snapshot was taken")

// sqlAtOnce is how many queries SQL answers at the same time: over a large store one may take a second, and others must not starve.
const sqlAtOnce = 4

// Deps is what the service needs.
type Deps struct {
	DB      *database.DB
	Catalog *catalog.Service
	Now     func() time.Time
	Log     *slog.Logger
	// Memory is how many bytes the columns of all stores may take together.
	Memory int64
}

// Service answers queries. Run keeps the columns; without it SQL answers all.
type Service struct {
	Deps
	mu       sync.Mutex
	shelves  map[store.ID]*shelf
	clock    atomic.Int64 // counts uses, to tell the least used
	wake     chan struct{}
	slots    chan struct{}
	counters counters
}

// counters counts what Stats tells.
type counters struct{ columns, sql, builds, filters, words atomic.Int64 }

// Stats is what operators want to see.
type Stats struct {
	// Columns and SQL are how many queries each has answered, Builds how often columns were built.
	Columns, SQL, Builds int64
	// Filters and Words are the bytes that the columns take: all that is filtered, sorted and counted by, and the words of the texts.
	Filters, Words int64
}

// Stats says what happened since the start, and what the columns take now.
func (s *Service) Stats() Stats {
	c := &s.counters
	return Stats{c.columns.Load(), c.sql.Load(), c.builds.Load(), c.filters.Load(), c.words.Load()}
}

// NewService makes the service.
func NewService(deps Deps) *Service {
	return &Service{Deps: deps, shelves: map[store.ID]*shelf{}, wake: make(chan struct{}, 1), slots: make(chan struct{}, sqlAtOnce)}
}

// Find answers a query on a snapshot of the caller, as of its state. It returns fault.Invalid for filters that name what is not there or
// not filterable, and ErrMoved, unless mayBeNewer, where others have moved the columns past the snapshot.
func (s *Service) Find(ctx context.Context, q database.Querier, storeID store.ID, query Query, mayBeNewer bool) (Found, error) {
	now, err := readVersions(ctx, q, storeID)
	if err != nil {
		return Found{}, err
	}
	f, err := resolve(ctx, q, storeID, query)
	if err != nil {
		return Found{}, err
	}
	if query.Archived == catalog.Live {
		found, err := s.shelf(storeID).find(ctx, q, f, query, now, mayBeNewer)
		if !errors.Is(err, errNotReady) {
			if err == nil {
				s.counters.columns.Add(1)
			}
			return found, err
		}
		s.nudge()
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return Found{}, ctx.Err()
	}
	s.counters.sql.Add(1)
	return findBySQL(ctx, q, storeID, f, query)
}

func (s *Service) shelf(storeID store.ID) *shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.shelves[storeID]
	if sh == nil {
		sh = &shelf{storeID: storeID}
		s.shelves[storeID] = sh
	}
	sh.used.Store(s.clock.Add(1))
	return sh
}

// nudge wakes Run.
func (s *Service) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
