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

// errColumnsNewer reports that the columns are newer than the caller's snapshot.
var errColumnsNewer = errors.New("the search columns are newer than the snapshot")

const (
	// maxRetries is how often a query is retried because the columns are newer than the snapshot. The last attempt
	// accepts newer columns.
	maxRetries = 3
	// maxSQLQueries limits the queries that SQL answers concurrently: in a large store one takes seconds and holds one
	// of few connections. sqlSlotTimeout is how long a query waits for a free slot.
	maxSQLQueries  = 2
	sqlSlotTimeout = 10 * time.Second
)

// Deps are the dependencies of the service.
type Deps struct {
	DB       *database.DB
	Products *catalog.Products
	Log      *slog.Logger
	// Memory limits the bytes of the columns of all stores together; 0 disables the columns.
	Memory int64
}

// Service answers queries. It is safe for concurrent use. Run builds and refreshes the columns; without Run, SQL
// answers every query.
type Service struct {
	Deps
	mu       sync.Mutex
	indexes  map[store.ID]*storeIndex
	uses     atomic.Int64 // logical clock for storeIndex.lastUse
	wake     chan struct{}
	sqlSlots chan struct{}
	counters counters
}

// counters holds the values of Stats.
type counters struct{ columns, sql, builds, filters, words atomic.Int64 }

// Stats are the metrics of the service.
type Stats struct {
	// Columns and SQL count the queries answered by each, Builds the builds of columns.
	Columns, SQL, Builds int64
	// Filters and Words are the memory of the columns in bytes: Words of the product texts, Filters of everything else.
	Filters, Words int64
}

// Stats returns the counters since the start and the current memory.
func (s *Service) Stats() Stats {
	c := &s.counters
	return Stats{c.columns.Load(), c.sql.Load(), c.builds.Load(), c.filters.Load(), c.words.Load()}
}

// NewService returns a service without columns.
func NewService(deps Deps) *Service {
	return &Service{Deps: deps, indexes: map[store.ID]*storeIndex{}, wake: make(chan struct{}, 1),
		sqlSlots: make(chan struct{}, maxSQLQueries)}
}

// Lookup runs a query on a snapshot. current are the Versions of that snapshot. It returns fault.Invalid for filters by
// unknown attributes, values or categories, and by features that are not filterable.
type Lookup func(ctx context.Context, q database.Querier, current Versions) (Result, error)

// Find answers a query. It calls read, which takes a snapshot, reads its Versions, runs the query on it and reads
// whatever else must be of the same state. Find may call read several times: again on a new snapshot if the columns
// were newer than the first one, and again if SQL has to answer. Find waits for an SQL slot before it calls read, so
// that a waiting query holds no connection. It returns the errors of read unchanged, and fault.Unavailable if no SQL
// slot becomes free in time.
func (s *Service) Find(ctx context.Context, storeID store.ID, query Query, read func(Lookup) error) error {
	err := errNotReady
	if query.Archived == catalog.Live {
		for attempt := 0; attempt == 0 || errors.Is(err, errColumnsNewer); attempt++ {
			err = read(func(ctx context.Context, q database.Querier, current Versions) (Result, error) {
				return s.findInColumns(ctx, store.In(q, storeID), query, current, attempt == maxRetries)
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
		return fault.New(fault.Unavailable, "search_busy",
			"Many lists of products are being read from the database just now. Try again shortly.").After(5 * time.Second)
	}
	return read(func(ctx context.Context, q database.Querier, _ Versions) (Result, error) {
		return s.findInDatabase(ctx, store.In(q, storeID), query)
	})
}

// Versions returns the versions of the store's catalogue on the snapshot q.
func (s *Service) Versions(ctx context.Context, tx store.Tx) (Versions, error) {
	return readVersions(ctx, tx)
}

func (s *Service) findInColumns(
	ctx context.Context, tx store.Tx, query Query, current Versions, allowNewer bool,
) (Result, error) {
	f, err := resolve(ctx, tx, query)
	if err != nil {
		return Result{}, err
	}
	found, err := s.index(tx.StoreID()).find(ctx, tx.Unscoped(), f, query, current, allowNewer)
	switch {
	case err == nil:
		s.counters.columns.Add(1)
	case errors.Is(err, errNotReady):
		s.wakeBuilder()
	}
	return found, err
}

func (s *Service) findInDatabase(
	ctx context.Context, tx store.Tx, query Query,
) (Result, error) {
	f, err := resolve(ctx, tx, query)
	if err != nil {
		return Result{}, err
	}
	s.counters.sql.Add(1)
	return findBySQL(ctx, tx, f, query)
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

// wakeBuilder wakes runBuilder. It does not block.
func (s *Service) wakeBuilder() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
