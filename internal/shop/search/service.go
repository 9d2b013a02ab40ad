package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// errColumnsNewer reports that the columns are newer than the caller's snapshot.
var errColumnsNewer = errors.New("the search columns are newer than the snapshot")

const (
	// maxRetries limits the retries when the columns are newer than the snapshot. The last retry accepts newer ones.
	maxRetries = 3
	// defaultMaxWait is the default of Deps.MaxWait, and maxColumnWaiters is how many queries wait for columns at once,
	// of which maxStoreWaiters may be for the same store. busyRetryAfter is what a client is told to wait that got no
	// answer.
	defaultMaxWait   = 10 * time.Second
	maxColumnWaiters = 512
	maxStoreWaiters  = maxColumnWaiters / 2
	busyRetryAfter   = 2 * time.Second
	// smallStore is the number of products up to which every query waits for the columns. They are built within a
	// second.
	smallStore = 50_000
)

// Deps are the dependencies of the service.
type Deps struct {
	DB       *database.DB
	Products *catalog.Products
	Log      *slog.Logger
	// Memory limits the bytes of the columns of all stores together; 0 disables the columns.
	Memory int64
	// Dir is the directory for the files of the columns, which Run creates. If it is empty, there are none. Database is
	// the id of DB, by which a node recognizes its files.
	Dir      string
	Database store.DatabaseID
	// FreeDisk returns the free bytes of the disk of Dir. If it is nil, the disk has no limit.
	FreeDisk func() int64
	// MaxWait is how long a query waits for columns that are being made. 0 stands for 10 seconds.
	MaxWait time.Duration
}

// Service answers queries. It is safe for concurrent use. Run maintains the columns; without it, SQL answers.
type Service struct {
	Deps
	mu      sync.Mutex
	indexes map[store.ID]*searchIndex
	uses    atomic.Int64 // logical clock for searchIndex.lastUse
	filters *filterCache
	wake    chan struct{}
	// waiting is the number of queries that wait for columns. running is true from Prepare until Run ends.
	waiting atomic.Int64
	running atomic.Bool
	// counters are the values of Stats.
	counters struct{ columns, sql, builds, loads, saves, filters, words atomic.Int64 }
	// files are set by Run before it starts the workers.
	files  columnFiles
	saving savingLimits
	polled changePoll // only the refresher uses it
	// maxSQLFacets has the constant of the same name, unless a test changes it.
	maxSQLFacets int64
	saveFailed   atomic.Bool // the last save failed
}

// Stats are the metrics of the service.
type Stats struct {
	// Columns and SQL count the queries that each of them answered.
	Columns, SQL int64
	// Builds counts the builds of columns from the database, Loads and Saves the reads and writes of their files.
	Builds, Loads, Saves int64
	// Filters and Words are bytes of memory: Words those of the product texts and of the index of their words, Filters
	// those of the other columns.
	Filters, Words int64
	// Waiting is the number of queries that wait for columns.
	Waiting int64
	// FileAge is the age of the oldest file of the columns in memory.
	FileAge time.Duration
	// These count the stores that were searched since the start or have a file: those with columns, those whose columns
	// are to be built, those whose columns were evicted and not needed since, and those whose columns do not fit into
	// the memory. They are 0 if columns are disabled.
	StoresReady, StoresPending, StoresEvicted, StoresTooLarge int64
	// PendingAge is how long the columns of a pending store have been wanted, of the store that waits longest.
	PendingAge time.Duration
}

// Stats returns the counters since the start and the current memory.
func (s *Service) Stats() Stats {
	c := &s.counters
	st := Stats{Columns: c.columns.Load(), SQL: c.sql.Load(), Builds: c.builds.Load(), Loads: c.loads.Load(),
		Saves: c.saves.Load(), Filters: c.filters.Load(), Words: c.words.Load(),
		Waiting: s.waiting.Load()}
	if s.Memory == 0 {
		return st
	}
	for _, idx := range s.storeIndexes() {
		idx.mu.RLock()
		if idx.cols != nil && idx.saved != (savedColumns{}) {
			st.FileAge = max(st.FileAge, time.Since(idx.saved.at))
		}
		switch {
		case idx.cols != nil:
			st.StoresReady++
		case idx.tooLarge.Load():
			st.StoresTooLarge++
		case idx.needsBuild.Load():
			st.StoresPending++
			st.PendingAge = max(st.PendingAge, time.Since(time.Unix(0, idx.wantedSince.Load())))
		default:
			st.StoresEvicted++
		}
		idx.mu.RUnlock()
	}
	return st
}

// New returns a service without columns.
func New(deps Deps) *Service {
	return &Service{Deps: deps, indexes: map[store.ID]*searchIndex{}, wake: make(chan struct{}, 1),
		saving: savingLimits{minSavedProducts, saveLock, maxSaveLock}, filters: newFilterCache(),
		maxSQLFacets: maxSQLFacets}
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
// columns, unless archived products or an origin are requested. While a lookup finds the columns newer than its
// snapshot, the next one uses the columns, too.
//
// If the columns are not ready but are being made, the query waits for them, and Attempts yields a fault.Unavailable if
// that takes too long. A query that the database can answer with little work does not wait, unless the store is small.
// It uses SQL, and so does every query if no columns are made: without Run, for a store that exceeds the memory, for
// archived products, and for an origin. Attempts calls admit before it yields the lookup with SQL, so that a waiting
// query holds no connection. If the columns become ready in the meantime, they are tried again. If admit refuses the
// query, it waits for columns that are being made. Otherwise Attempts yields the error of admit.
func (s *Service) Attempts(ctx context.Context, query Query, admit Admit) iter.Seq2[Lookup, error] {
	return func(yield func(Lookup, error) bool) {
		c := columnAttempts{service: s, query: query, last: errNotReady}
		for round := 0; ; round++ {
			if query.isInColumns() && !c.yieldAll(yield) {
				return
			}
			if !errors.Is(c.last, errNotReady) {
				return
			}
			release, err := func() {}, s.waitInsteadOfSQL(ctx, &c)
			if err == nil {
				release, err = s.admitSQL(ctx, &c, admit, round >= maxRetries)
			}
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
	// cheap is set by the lookups if the database can answer the query with little work.
	cheap   bool
	timeout <-chan time.Time // ends the waits of the query; nil before the first one
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
			if errors.Is(c.last, errNotReady) {
				if c.cheap, err = c.service.prefersSQL(ctx, tx, c.index, c.query, current.State); err != nil {
					return found, err
				}
			}
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
		if err := s.checkFacets(ctx, tx, f, query); err != nil {
			return Result{}, err
		}
		s.counters.sql.Add(1)
		return findBySQL(ctx, tx, f, query)
	}
}

// prefersSQL reports whether SQL can answer a query with little work and the store is not small.
func (s *Service) prefersSQL(
	ctx context.Context, tx store.Tx, idx *searchIndex, query Query, state State,
) (bool, error) {
	if !s.columnsSoon(idx) {
		return false, nil // nobody asks
	}
	if err := idx.measure(ctx, tx); err != nil || idx.products.Load() <= smallStore {
		return false, err
	}
	f, err := s.resolveSearchFilter(ctx, tx, query, state)
	if err != nil {
		return false, err
	}
	return isCheapInSQL(ctx, tx, f, query)
}

// columnsSoon reports whether the columns of a store are being made or refreshed, or will be.
func (s *Service) columnsSoon(idx *searchIndex) bool {
	refreshed := idx.bytes() > 0 && (idx.refreshing.Load() || idx.behind.Load())
	return s.running.Load() && (s.buildsSoon(idx) || refreshed)
}

// waitInsteadOfSQL waits for the columns if they are being made and the query is expensive in SQL. It returns
// errColumnsReady when they are there, a fault if they are not in time, and nil if the query should use SQL.
func (s *Service) waitInsteadOfSQL(ctx context.Context, c *columnAttempts) error {
	if c.index == nil || c.cheap {
		return nil
	}
	soon := s.columnsSoon(c.index) // before isClosed: the workers end with both, in the other order
	if !s.running.Load() || (!soon && !isClosed(c.changed)) {
		return nil
	}
	return s.waitForColumns(ctx, c, errSearchBusy())
}

func errSearchBusy() error {
	return fault.New(fault.Unavailable, "search_busy",
		"The products of this store are being read into memory. Try again in a few seconds.").After(busyRetryAfter)
}

// errColumnsReady reports that the columns became ready while a query waited.
var errColumnsReady = errors.New("the search columns became ready")

// admitSQL calls admit. It returns errColumnsReady if the columns change while the query waits, and also if they change
// within MaxWait after admit has refused the query. In the last round it does not wait for columns.
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
// if too many queries wait for them or for those of other stores, it returns refusal.
func (s *Service) waitForColumns(ctx context.Context, c *columnAttempts, refusal error) error {
	defer c.index.waiting.Add(-1)
	if c.index.waiting.Add(1) > maxStoreWaiters {
		return refusal
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxColumnWaiters {
		return refusal
	}
	if c.timeout == nil {
		c.timeout = time.After(cmp.Or(s.MaxWait, defaultMaxWait))
	}
	wait := trace.Current(ctx).StartInterval()
	defer func() { wait.End("wait for the search columns") }()
	select {
	case <-c.changed:
		return errColumnsReady
	case <-ctx.Done():
		return ctx.Err()
	case <-c.timeout:
		return refusal
	}
}

// InMemory is the name of the spans of searches in the columns.
const InMemory = "search in memory"

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
	interval := trace.Current(ctx).StartInterval()
	found, err := s.index(tx.StoreID()).find(ctx, tx, f, query, current, allowNewer)
	interval.End(InMemory)
	switch {
	case err == nil:
		s.counters.columns.Add(1)
	case errors.Is(err, errNotReady):
		s.index(tx.StoreID()).requested.Store(true)
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
