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
	counters struct{ columns, sql, builds, loads, saves, filters, words, chains atomic.Int64 }
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
	// Builds counts the builds of columns from the database, Chains the chains of price lists that were added to
	// columns, Loads and Saves the reads and writes of their files.
	Builds, Chains, Loads, Saves int64
	// Filters and Words are bytes of memory. Words is for the product texts and the index of their words, Filters for
	// the other columns.
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
	st := Stats{Columns: c.columns.Load(), SQL: c.sql.Load(), Builds: c.builds.Load(), Chains: c.chains.Load(),
		Loads: c.loads.Load(), Saves: c.saves.Load(), Filters: c.filters.Load(), Words: c.words.Load(),
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
// unknown attributes, values or categories, and by features that are not filterable. Other errors are for Find: a
// function that gets a Lookup returns its error as it is, or wrapped.
type Lookup func(ctx context.Context, tx store.Tx, current Versions) (Result, error)

// Admit waits until a query may run in the database. Its caller calls release afterwards. The error is a fault if there
// are too many such queries, or the error of ctx.
type Admit func(ctx context.Context) (release func(), err error)

// Find calls respond with a Lookup that answers the query, and returns the error of respond. The function respond takes
// a snapshot, reads its Versions, runs the lookup, and reads the other data of the response from the same snapshot. It
// must have no effect if it returns an error, because Find may call it several times: on a new snapshot while the
// columns are newer than the snapshot, and when columns that were not ready have become ready.
//
// If the columns are not ready but are being made, Find waits for them, and returns a fault.Unavailable if that takes
// too long. A query that the database can answer with little work does not wait, unless the store is small. It uses
// SQL, and so does every query if no columns are made: without Run, for a store that exceeds the memory, for archived
// products, and for an origin. Find calls admit before it calls respond with a lookup in SQL, so that a waiting query
// holds no connection. If the columns become ready in the meantime, they are tried again. If admit refuses the query,
// Find waits for columns that are being made. Otherwise it returns the error of admit. A nil admit admits every query.
func (s *Service) Find(ctx context.Context, query Query, admit Admit, respond func(Lookup) error) error {
	if admit == nil {
		admit = func(context.Context) (func(), error) { return func() {}, nil }
	}

	if !query.isInColumns() {
		return s.respondFromSQL(ctx, query, admit, respond)
	}

	wait := columnWait{service: s}
	for round := 0; ; round++ {
		err := s.respondFromColumns(query, respond)
		missing, ok := errors.AsType[*columnsMissing](err)
		if !ok {
			return err
		}

		wait.missing = missing
		err = wait.insteadOfSQL(ctx)
		if err == nil && round < maxRetries {
			err = s.respondFromSQL(ctx, query, wait.unlessReady(admit), respond)
		} else if err == nil {
			err = s.respondFromSQL(ctx, query, admit, respond)
		}

		if !errors.Is(err, errColumnsReady) {
			return err
		}
	}
}

// respondFromColumns calls respond with a lookup in the columns. It repeats the call while the columns are newer than
// the snapshot. If the columns are not ready, it returns columnsMissing.
func (s *Service) respondFromColumns(query Query, respond func(Lookup) error) error {
	for attempt := 0; ; attempt++ {
		allowNewer := attempt == maxRetries
		err := respond(func(ctx context.Context, tx store.Tx, current Versions) (Result, error) {
			return s.lookUpInColumns(ctx, tx, query, current, allowNewer)
		})
		if !errors.Is(err, errColumnsNewer) {
			return err
		}
	}
}

// respondFromSQL calls respond with a lookup in the database, after admit.
func (s *Service) respondFromSQL(ctx context.Context, query Query, admit Admit, respond func(Lookup) error) error {
	release, err := admit(ctx)
	if err != nil {
		return err
	}
	defer release()
	return respond(func(ctx context.Context, tx store.Tx, current Versions) (Result, error) {
		return s.lookUpInSQL(ctx, tx, query, current)
	})
}

// columnsMissing is the error of a lookup that found the columns not ready.
type columnsMissing struct {
	index *searchIndex
	// changed is closed when the columns change after the lookup began.
	changed <-chan struct{}
	// cheap says that the database can answer the query with little work.
	cheap bool
}

func (*columnsMissing) Error() string { return errNotReady.Error() }

// lookUpInColumns is the Lookup of respondFromColumns. Only with allowNewer it accepts columns that are newer than the
// snapshot.
func (s *Service) lookUpInColumns(
	ctx context.Context, tx store.Tx, query Query, current Versions, allowNewer bool,
) (found Result, err error) {
	defer fault.AddContext(&err, "find products of store %s", tx.StoreID())
	idx := s.index(tx.StoreID())
	changed := idx.changes.wait()
	found, err = s.findInColumns(ctx, tx, query, current, allowNewer)
	if !errors.Is(err, errNotReady) {
		return found, err
	}

	cheap, err := s.prefersSQL(ctx, tx, idx, query, current.State)
	if err != nil {
		return found, err
	}
	return found, &columnsMissing{index: idx, changed: changed, cheap: cheap}
}

// lookUpInSQL is the Lookup of respondFromSQL.
func (s *Service) lookUpInSQL(
	ctx context.Context, tx store.Tx, query Query, current Versions,
) (found Result, err error) {
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
	return s.running.Load() && (s.buildsSoon(idx) || refreshed || idx.addsChain())
}

// InMemory is the name of the spans of searches in the columns.
const InMemory = "search in memory"

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
