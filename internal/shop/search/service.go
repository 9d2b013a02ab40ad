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
	// columnsTimeout is how long a query that SQL cannot answer waits for columns that are being built, and
	// maxColumnWaiters is how many queries wait for them at once.
	columnsTimeout   = 10 * time.Second
	maxColumnWaiters = 512
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
	filters  *filterCache
	wake     chan struct{}
	waiting  atomic.Int64                                                // queries that wait for columns
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
		filters: newFilterCache()}
}

// Lookup runs a query on a snapshot. current are the Versions of that snapshot. It returns fault.Invalid for filters by
// unknown attributes, values or categories, and by features that are not filterable. If ShouldRetry reports true for
// its error, the next attempt should be made.
type Lookup func(ctx context.Context, tx store.Tx, current Versions) (Result, error)

// Admit waits until a query may run in the database. Its caller calls release afterwards. The error is a fault if there
// are too many such queries, or the error of ctx.
type Admit func(ctx context.Context) (release func(), err error)

// Attempts yields the lookups that can answer a query, in the order in which to try them. For each of them the caller
// takes a snapshot, reads its Versions, runs the lookup, and reads the other data of the response from the same
// snapshot. The caller tries the next lookup if ShouldRetry reports true for the error. The first lookup uses the
// columns, unless archived products are requested. While a lookup finds the columns newer than its snapshot, the next
// one uses the columns, too. If they are not ready, the last one uses SQL. Attempts calls admit before it yields that
// one, so that a waiting query holds no connection. If the columns become ready in the meantime, they are tried again.
// If admit refuses the query, it waits for columns that are being built. Otherwise Attempts yields the error of admit.
func (s *Service) Attempts(ctx context.Context, query Query, admit Admit) iter.Seq2[Lookup, error] {
	return func(yield func(Lookup, error) bool) {
		c := columnAttempts{service: s, query: query, last: errNotReady}
		for round := 0; ; round++ {
			if query.Archived == catalog.Live && !c.yieldAll(yield) {
				return
			}
			if !errors.Is(c.last, errNotReady) {
				return
			}
			release, err := s.admitSQL(ctx, &c, admit, round == maxRetries)
			if errors.Is(err, errColumnsReady) {
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			defer release()
			yield(s.sqlLookup(query), nil)
			return
		}
	}
}

// columnAttempts are the lookups of one query that use the columns.
type columnAttempts struct {
	service *Service
	query   Query
	last    error // the error of the last lookup
	// index and changed are set by the lookups. changed is closed when the columns change after the last lookup began.
	index   *searchIndex
	changed <-chan struct{}
}

// yieldAll yields lookups while they find the columns newer than their snapshots. It returns false if the caller wants
// no more lookups.
func (c *columnAttempts) yieldAll(yield func(Lookup, error) bool) bool {
	for attempt := 0; attempt == 0 || errors.Is(c.last, errColumnsNewer); attempt++ {
		lookup := func(ctx context.Context, tx store.Tx, current Versions) (found Result, err error) {
			defer fault.AddContext(&err, "find products of store %s", tx.StoreID())
			c.index = c.service.index(tx.StoreID())
			c.changed = c.index.changes.wait()
			found, c.last = c.service.findInColumns(ctx, tx, c.query, current, attempt == maxRetries)
			return found, c.last
		}
		if !yield(lookup, nil) {
			return false
		}
	}
	return true
}

func (s *Service) sqlLookup(query Query) Lookup {
	return func(ctx context.Context, tx store.Tx, current Versions) (found Result, err error) {
		defer fault.AddContext(&err, "find products of store %s in the database", tx.StoreID())
		f, err := s.resolveSearchFilter(ctx, tx, query, current.State)
		if err != nil {
			return Result{}, err
		}
		s.counters.sql.Add(1)
		return findBySQL(ctx, tx, f, query)
	}
}

// errColumnsReady reports that the columns became ready while a query waited.
var errColumnsReady = errors.New("the search columns became ready")

// admitSQL calls admit. It returns errColumnsReady if the columns change while the query waits, and also if they change
// within columnsTimeout after admit has refused the query. In the last round it does not wait for columns.
func (s *Service) admitSQL(
	ctx context.Context, c *columnAttempts, admit Admit, lastRound bool,
) (release func(), err error) {
	switch {
	case admit == nil:
		return func() {}, nil
	case c.index == nil || lastRound:
		return admit(ctx)
	}
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	changed := c.changed // the next lookup may replace it before the goroutine runs
	go func() {
		select {
		case <-changed:
			cancel(errColumnsReady)
		case <-waiting.Done():
		}
	}()
	release, err = admit(waiting)
	soon := s.buildsSoon(c.index) // before isClosed: buildIndex ends with both, in the other order
	switch {
	case err == nil:
		return release, nil
	case errors.Is(context.Cause(waiting), errColumnsReady) || isClosed(changed):
		return nil, errColumnsReady
	case ctx.Err() != nil || !soon:
		return nil, err
	}
	return nil, s.waitForColumns(ctx, c, err)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waitForColumns waits for columns that are being built and returns errColumnsReady. If they are not ready in time, or
// if too many queries wait for them, it returns refusal.
func (s *Service) waitForColumns(ctx context.Context, c *columnAttempts, refusal error) error {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxColumnWaiters {
		return refusal
	}
	timeout := time.NewTimer(columnsTimeout)
	defer timeout.Stop()
	select {
	case <-c.changed:
		return errColumnsReady
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return refusal
	}
}

// ShouldRetry reports whether the next attempt may succeed: the columns were not ready, or newer than the snapshot.
func ShouldRetry(err error) bool {
	return errors.Is(err, errNotReady) || errors.Is(err, errColumnsNewer)
}

// Versions returns the versions of the store's catalogue on the snapshot of tx.
func (s *Service) Versions(ctx context.Context, tx store.Tx) (v Versions, err error) {
	defer fault.AddContext(&err, "read the catalogue versions of store %s", tx.StoreID())
	return readVersions(ctx, tx)
}

func (s *Service) findInColumns(
	ctx context.Context, tx store.Tx, query Query, current Versions, allowNewer bool,
) (Result, error) {
	f, err := s.resolveSearchFilter(ctx, tx, query, current.State)
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
