package search

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// errColumnsNewer says that the columns show a later state than the snapshot.
var errColumnsNewer = errors.New("the search columns are newer than the snapshot")

const (
	// maxRetries is how often a list is begun anew because the columns moved on; then it may be newer than the products read beside it.
	maxRetries = 3
	// maxSQLQueries is how many queries SQL answers at the same time: over a large store one may take seconds, and it holds one of few
	// connections. sqlSlotTimeout is how long another one waits for its turn.
	maxSQLQueries  = 2
	sqlSlotTimeout = 10 * time.Second
)

// Deps is what the service needs.
type Deps struct {
	DB      *database.DB
	Catalog *catalog.Service
	Log     *slog.Logger
	// Memory is how many bytes the columns of all stores may take together; without any there are none.
	Memory int64
}

// Service answers queries. Run keeps the columns; without it SQL answers all.
type Service struct {
	Deps
	mu       sync.Mutex
	indexes  map[store.ID]*storeIndex
	uses     atomic.Int64 // counts uses, to tell the least used
	wake     chan struct{}
	sqlSlots chan struct{}
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
	return &Service{Deps: deps, indexes: map[store.ID]*storeIndex{}, wake: make(chan struct{}, 1), sqlSlots: make(chan struct{}, maxSQLQueries)}
}

// Answer finds what a query asks for, as of the state of a snapshot. It returns fault.Invalid for filters that name what is not there or
// not filterable.
type Answer func(ctx context.Context, q database.Querier) (Found, error)

// Find lets read take a snapshot, ask for the answer on it, and read what else belongs to that. It may call read more than once: if the
// columns have moved past the snapshot in between, or if SQL must answer, whose turn is not waited for on a connection. Errors of read are
// returned as they are; fault.Unavailable says that too many are waiting for SQL.
func (s *Service) Find(ctx context.Context, storeID store.ID, query Query, read func(Answer) error) error {
	err := errNotReady
	if query.Archived == catalog.Live {
		for attempt := 0; attempt == 0 || errors.Is(err, errColumnsNewer); attempt++ {
			err = read(func(ctx context.Context, q database.Querier) (Found, error) {
				return s.findInColumns(ctx, q, storeID, query, attempt == maxRetries)
			})
		}
	}
	if !errors.Is(err, errNotReady) {
		return err
	}
	timeout := time.NewTimer(sqlSlotTimeout)
	defer timeout.Stop()
	select {
	case s.sqlSlots <- struct{}{}:
		defer func() { <-s.sqlSlots }()
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return fault.New(fault.Unavailable, "search_busy", "Many lists of products are being read from the database just now. Try again shortly.").After(5 * time.Second)
	}
	return read(func(ctx context.Context, q database.Querier) (Found, error) {
		return s.findInDatabase(ctx, q, storeID, query)
	})
}

// State says which state of the catalogue a snapshot shows: whatever is read of products, categories and attributes is the same at the same
// state.
type State struct{ products, categories, attributes int64 }

// State returns that of a snapshot.
func (s *Service) State(ctx context.Context, q database.Querier, storeID store.ID) (State, error) {
	v, err := readVersions(ctx, q, storeID)
	return State{v.products, v.categories, v.attributes}, err
}

func (s *Service) findInColumns(ctx context.Context, q database.Querier, storeID store.ID, query Query, allowNewer bool) (Found, error) {
	current, err := readVersions(ctx, q, storeID)
	if err != nil {
		return Found{}, err
	}
	f, err := resolve(ctx, q, storeID, query)
	if err != nil {
		return Found{}, err
	}
	found, err := s.index(storeID).find(ctx, q, f, query, current, allowNewer)
	switch {
	case err == nil:
		s.counters.columns.Add(1)
	case errors.Is(err, errNotReady):
		s.wakeBuilder()
	}
	return found, err
}

func (s *Service) findInDatabase(ctx context.Context, q database.Querier, storeID store.ID, query Query) (Found, error) {
	f, err := resolve(ctx, q, storeID, query)
	if err != nil {
		return Found{}, err
	}
	s.counters.sql.Add(1)
	return findBySQL(ctx, q, storeID, f, query)
}

func (s *Service) index(storeID store.ID) *storeIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	idx := s.indexes[storeID]
	if idx == nil {
		idx = &storeIndex{storeID: storeID}
		s.indexes[storeID] = idx
	}
	idx.lastUse.Store(s.uses.Add(1))
	return idx
}

// wakeBuilder wakes Run.
func (s *Service) wakeBuilder() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
