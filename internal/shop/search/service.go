package search

import (
	"context"
	"errors"
	"iter"
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
	// maxRetries limits the retries when the columns are newer than the snapshot. The last retry accepts newer ones.
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

// Service answers queries. It is safe for concurrent use. Run maintains the columns; without it, SQL answers.
type Service struct {
	Deps
	mu       sync.Mutex
	indexes  map[store.ID]*searchIndex
	uses     atomic.Int64 // logical clock for searchIndex.lastUse
	wake     chan struct{}
	sqlSlots chan struct{}
	counters struct{ columns, sql, builds, filters, words atomic.Int64 } // the values of Stats
}

// Stats are the metrics of the service.
type Stats struct {
	// Columns and SQL count the queries that each of them answered; Builds counts the builds of columns.
	Columns, SQL, Builds int64
	// Filters and Words are bytes of memory: Words those of the product texts, Filters those of the other columns.
	Filters, Words int64
}

// Stats returns the counters since the start and the current memory.
func (s *Service) Stats() Stats {
	c := &s.counters
	return Stats{c.columns.Load(), c.sql.Load(), c.builds.Load(), c.filters.Load(), c.words.Load()}
}

// New returns a service without columns.
func New(deps Deps) *Service {
	return &Service{Deps: deps, indexes: map[store.ID]*searchIndex{}, wake: make(chan struct{}, 1),
		sqlSlots: make(chan struct{}, maxSQLQueries)}
}

// Lookup runs a query on a snapshot. current are the Versions of that snapshot. It returns fault.Invalid for filters by
// unknown attributes, values or categories, and by features that are not filterable. If ShouldRetry reports true for
// its error, the next attempt should be made.
type Lookup func(ctx context.Context, tx store.Tx, current Versions) (Result, error)

// Attempts yields the lookups that can answer a query, in the order in which to try them. For each of them the caller
// takes a snapshot, reads its Versions, runs the lookup, and reads the other data of the response from the same
// snapshot. The caller tries the next lookup if ShouldRetry reports true for the error. The first lookup uses the
// columns, unless archived products are requested. While a lookup finds the columns newer than its snapshot, the next
// one uses the columns, too. If they are not ready, the last one uses SQL. Attempts waits for a free SQL slot before it
// yields that one, so that a waiting query holds no connection. It yields fault.Unavailable if no slot becomes free in
// time.
func (s *Service) Attempts(ctx context.Context, query Query) iter.Seq2[Lookup, error] {
	return func(yield func(Lookup, error) bool) {
		last := errNotReady
		if query.Archived == catalog.Live {
			for attempt := 0; attempt == 0 || errors.Is(last, errColumnsNewer); attempt++ {
				lookup := func(ctx context.Context, tx store.Tx, current Versions) (found Result, err error) {
					defer fault.AddContext(&err, "find products of store %s", tx.StoreID())
					found, last = s.findInColumns(ctx, tx, query, current, attempt == maxRetries)
					return found, last
				}
				if !yield(lookup, nil) {
					return
				}
			}
		}
		if !errors.Is(last, errNotReady) {
			return
		}
		if err := s.acquireSQLSlot(ctx); err != nil {
			yield(nil, err)
			return
		}
		defer func() { <-s.sqlSlots }()
		yield(func(ctx context.Context, tx store.Tx, _ Versions) (found Result, err error) {
			defer fault.AddContext(&err, "find products of store %s in the database", tx.StoreID())
			f, err := resolveSearchFilter(ctx, tx, query)
			if err != nil {
				return Result{}, err
			}
			s.counters.sql.Add(1)
			return findBySQL(ctx, tx, f, query)
		}, nil)
	}
}

// ShouldRetry reports whether the next attempt may succeed: the columns were not ready, or newer than the snapshot.
func ShouldRetry(err error) bool {
	return errors.Is(err, errNotReady) || errors.Is(err, errColumnsNewer)
}

// acquireSQLSlot waits for one of maxSQLQueries slots. It returns fault.Unavailable after sqlSlotTimeout.
func (s *Service) acquireSQLSlot(ctx context.Context) error {
	timeout := time.NewTimer(sqlSlotTimeout)
	defer timeout.Stop()
	select {
	case s.sqlSlots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return fault.New(fault.Unavailable, "search_busy", "Many lists of products are being read from the database "+
			"just now. Try again shortly.").After(5 * time.Second)
	}
}

// Versions returns the versions of the store's catalogue on the snapshot of tx.
func (s *Service) Versions(ctx context.Context, tx store.Tx) (v Versions, err error) {
	defer fault.AddContext(&err, "read the catalogue versions of store %s", tx.StoreID())
	return readVersions(ctx, tx)
}

func (s *Service) findInColumns(
	ctx context.Context, tx store.Tx, query Query, current Versions, allowNewer bool,
) (Result, error) {
	f, err := resolveSearchFilter(ctx, tx, query)
	if err != nil {
		return Result{}, err
	}
	found, err := s.index(tx.StoreID()).find(ctx, tx, f, query, current, allowNewer)
	switch {
	case err == nil:
		s.counters.columns.Add(1)
	case errors.Is(err, errNotReady):
		s.wakeBuilder()
	}
	return found, err
}

func (s *Service) index(storeID store.ID) *searchIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	idx := s.indexes[storeID]
	if idx == nil {
		idx = &searchIndex{storeID: storeID}
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
