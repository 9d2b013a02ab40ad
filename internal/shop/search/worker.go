package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

const (
	// refreshEvery is the interval of background refreshes. They leave few changes for the next request to apply.
	refreshEvery = 500 * time.Millisecond
	pruneEvery   = time.Minute
	// tooLargePause is the time before a build is tried again for a store that does not fit into the memory. retryPause
	// is the same for a store that was evicted or could not be read.
	tooLargePause = 10 * time.Minute
	retryPause    = 30 * time.Second
	// buildTimeout limits one build.
	buildTimeout = 10 * time.Minute
	// Columns are rebuilt instead of refreshed if the number of changed products exceeds both maxRefreshChanges and the
	// number of rows divided by refreshFraction.
	maxRefreshChanges, refreshFraction = 100_000, 4
)

// Prepare announces that Run will be called: until it returns, queries wait for columns instead of using SQL. Run does
// the same, but may begin after the first query.
func (s *Service) Prepare() { s.running.Store(true) }

// Run reads the columns from their files, builds those that are missing on request, refreshes them, keeps them within
// the memory limit and writes them to files. It returns nil when ctx ends.
func (s *Service) Run(ctx context.Context) error {
	s.Prepare()
	defer s.running.Store(false)
	if s.Memory > 0 && s.Dir != "" {
		if err := s.openFiles(); err != nil {
			s.Log.WarnContext(ctx, "cannot use the files of search columns; they will be built from the database",
				"directory", s.Dir, "error", err)
		}
	}
	var group errgroup.Group
	group.Go(func() error { return s.runBuilder(ctx) })
	group.Go(func() error { return s.runRefresher(ctx) })
	group.Go(func() error { return s.runSaver(ctx) })
	return group.Wait()
}

// openFiles opens the directory of files and requests the columns of the stores that have one, those used last first.
func (s *Service) openFiles() error {
	files, err := openColumnFiles(s.Dir, s.Database)
	if err != nil {
		return err
	}
	list, err := files.list()
	if err != nil {
		return err
	}

	s.files = files
	fitting := 0
	room := s.Memory
	for _, file := range list {
		// The columns of a file that is not usable are built. Their size is not known.
		f, _, header, err := files.open(file.store)
		if err == nil {
			_ = f.Close()
			if room -= header.memory; room < 0 {
				break
			}
		}

		fitting++
	}

	for _, file := range slices.Backward(list[:fitting]) { // the last call of index is for the store used last
		s.index(file.store).requestBuild()
	}

	s.wakeBuilder()
	return nil
}

// Request makes s read the columns of stores before anybody searches there, the last of them first.
func Request(s *Service, stores []store.ID) {
	if s.Memory == 0 {
		return
	}
	for _, storeID := range stores {
		s.index(storeID).requestBuild()
	}
	s.wakeBuilder()
}

func (s *Service) storeIndexes() []*searchIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.indexes))
}

// runBuilder loads or builds the columns that are requested, one store at a time.
func (s *Service) runBuilder(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}

		for ctx.Err() == nil {
			if idx, chain, ok := s.nextChain(); ok {
				s.buildChain(ctx, idx, chain)
				continue
			}
			idx := s.nextBuild(ctx)
			if idx == nil {
				break
			}
			if !s.loadIndex(ctx, idx) {
				s.buildIndex(ctx, idx)
			}
		}
	}
}

// nextBuild returns the store whose columns are to be made next, or nil if there is none. Stores for which requests
// wait come first; among these, those whose columns are there soon: from a file, or because the store is small.
func (s *Service) nextBuild(ctx context.Context) *searchIndex {
	var list []*searchIndex
	for _, idx := range s.storeIndexes() {
		if s.buildsSoon(idx) {
			list = append(list, idx)
		}
	}

	if len(list) == 0 {
		return nil
	}
	if len(list) == 1 {
		return list[0]
	}

	cost := func(idx *searchIndex) int {
		switch {
		case s.files.exists(idx.storeID):
			return 0
		case s.isSmall(ctx, idx):
			return 1
		default:
			return 2
		}
	}

	costs := map[*searchIndex]int{}
	for _, idx := range list {
		costs[idx] = cost(idx)
	}

	return slices.MinFunc(list, func(a, b *searchIndex) int {
		return cmp.Or(compareBool(b.requested.Load(), a.requested.Load()), cmp.Compare(costs[a], costs[b]),
			cmp.Compare(b.lastUse.Load(), a.lastUse.Load()))
	})
}

// isSmall reports whether the store has at most smallStore products.
func (s *Service) isSmall(ctx context.Context, idx *searchIndex) bool {
	if idx.products.Load() == 0 {
		err := s.DB.Read(ctx, func(q database.Querier) error { return idx.measure(ctx, store.In(q, idx.storeID)) })
		if err != nil {
			return false
		}
	}
	return idx.products.Load() <= smallStore
}

// measure sets idx.products if it is not known.
func (idx *searchIndex) measure(ctx context.Context, tx store.Tx) error {
	if idx.products.Load() > 0 {
		return nil
	}
	n, err := countUpTo(ctx, tx, smallStore+1)
	if err == nil {
		idx.setProducts(n)
	}
	return err
}

func (idx *searchIndex) setProducts(n int64) { idx.products.Store(min(max(1, n), smallStore+1)) }

// loadIndex reads the columns of a store from its file and reports whether it is done with this store. It does not
// read the file if there are columns already: then changes could not be followed, and the file does not help.
func (s *Service) loadIndex(ctx context.Context, idx *searchIndex) bool {
	idx.mu.RLock()
	loaded := idx.cols != nil
	idx.mu.RUnlock()
	if loaded || !s.files.exists(idx.storeID) {
		return false
	}

	limited, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()

	start := time.Now()
	var c *searchColumns
	var saved savedColumns
	err := s.DB.ReadWith(limited, database.Long, true, func(q database.Querier) (err error) {
		c, saved, err = s.files.load(limited, store.In(q, idx.storeID), s.Memory)
		return err
	})

	switch {
	case err == nil:
	case errors.Is(err, database.ErrNoRows): // the store was deleted
		s.forget(ctx, idx)
		return true
	case ctx.Err() != nil:
		return true
	default:
		s.Log.InfoContext(ctx, "search columns are built from the database, not from their file",
			"store_id", idx.storeID, "reason", err)
		if errors.Is(err, errColumnsFile) {
			s.removeFile(ctx, idx)
		}
		return false
	}

	s.counters.loads.Add(1)
	s.Log.DebugContext(ctx, "read search columns from a file",
		"store_id", idx.storeID, "products", c.rowCount(), "changes", c.unsaved,
		"duration_ms", time.Since(start).Milliseconds())
	s.publish(idx, c, saved)

	return true
}

// publish makes columns available to queries. saved describes the file that they were read from, if any.
func (s *Service) publish(idx *searchIndex, c *searchColumns, saved savedColumns) {
	idx.mu.Lock()
	for chain, p := range c.chains {
		p.lastUse.Store(idx.lastUse.Load())
		if idx.cols != nil && idx.cols.chains[chain] != nil {
			p.lastUse.Store(idx.cols.chains[chain].lastUse.Load()) // a rebuild is no use
		}
		idx.chains.done(chain)
	}

	idx.cols = c
	if saved != (savedColumns{}) {
		idx.saved = saved
	}
	idx.updateSize()
	idx.mu.Unlock()

	idx.behind.Store(false)
	idx.unchecked.Store(true) // the store may have changed since the snapshot of the columns
	idx.tooLarge.Store(false)
	idx.requested.Store(false)
	idx.changes.send() // before needsBuild is false, so that no query misses it
	idx.needsBuild.Store(false)
	s.evict(idx, "")
}

// forget drops the columns of a store that was deleted, and its file.
func (s *Service) forget(ctx context.Context, idx *searchIndex) {
	s.mu.Lock()
	delete(s.indexes, idx.storeID)
	s.mu.Unlock()
	idx.drop()
	idx.needsBuild.Store(false)
	s.removeFile(ctx, idx)
	idx.changes.send()
}

func (s *Service) removeFile(ctx context.Context, idx *searchIndex) {
	if err := s.files.remove(idx.storeID); err != nil {
		s.Log.WarnContext(ctx, "cannot remove a file of search columns", "store_id", idx.storeID, "error", err)
	}
	idx.mu.Lock()
	defer idx.mu.Unlock()
	idx.saved = savedColumns{}
}

// buildsSoon reports whether the columns of a store are to be built.
func (s *Service) buildsSoon(idx *searchIndex) bool {
	return idx.needsBuild.Load() && s.Memory > 0 && time.Now().Unix() >= idx.suspendedUntil.Load()
}

// buildIndex builds the columns of one store. The old columns, if any, answer queries until the new ones are complete.
func (s *Service) buildIndex(ctx context.Context, idx *searchIndex) {
	limited, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	defer idx.changes.send()

	start := time.Now()
	built, err := s.readColumns(limited, idx, idx.usedChains())
	if errors.Is(err, errTooLarge) {
		built, err = s.readColumns(limited, idx, nil)
	}

	switch {
	case errors.Is(err, database.ErrNoRows): // the store was deleted
		s.forget(ctx, idx)
		return
	case errors.Is(err, errTooLarge):
		s.Log.WarnContext(ctx, "store does not fit into the search memory, answering from SQL; raise --search-memory",
			"store_id", idx.storeID, "memory", s.Memory)
		idx.suspend(tooLargePause)
		idx.tooLarge.Store(true)
		idx.drop()
		return

	case err != nil:
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot build search columns, answering from SQL",
				"store_id", idx.storeID, "duration_ms", time.Since(start).Milliseconds(), "error", err)
		}
		idx.suspend(retryPause)
		return
	}

	s.counters.builds.Add(1)
	filters, words := built.size()
	s.Log.DebugContext(ctx, "built search columns",
		"store_id", idx.storeID, "products", built.rowCount(), "bytes", filters+words,
		"duration_ms", time.Since(start).Milliseconds())
	built.unsaved = built.rowCount()
	s.publish(idx, built, savedColumns{})
}

// readColumns builds the columns of one store with the prices of the chains.
func (s *Service) readColumns(
	ctx context.Context, idx *searchIndex, chains []pricing.Chain,
) (built *searchColumns, err error) {
	err = s.DB.ReadWith(ctx, database.Long, true, func(q database.Querier) (err error) {
		built, err = buildColumns(ctx, store.In(q, idx.storeID), s.Memory, chains)
		return err
	})
	return built, err
}

// usedChains returns the chains that the columns have, and then those that are wanted, up to maxChains.
func (idx *searchIndex) usedChains() (chains []pricing.Chain) {
	idx.mu.RLock()
	if idx.cols != nil {
		chains = slices.Collect(maps.Keys(idx.cols.chains))
	}
	idx.mu.RUnlock()

	for _, chain := range idx.chains.list() {
		if len(chains) < maxChains && !slices.Contains(chains, chain) {
			chains = append(chains, chain)
		}
	}
	return chains
}

// evict drops what was used least recently until the rest fits into the memory limit: prices of chains, and columns of
// stores with all their chains. It never drops the columns of the index keep, nor its chain.
func (s *Service) evict(keep *searchIndex, chain pricing.Chain) {
	for {
		var filters, words int64
		for _, idx := range s.storeIndexes() {
			filters += idx.filterBytes.Load()
			words += idx.wordBytes.Load()
		}

		s.counters.filters.Store(filters)
		s.counters.words.Store(words)
		if filters+words <= s.Memory || !s.evictOldest(keep, chain) {
			return
		}
	}
}

// evictOldest drops the chain or the columns that were used least recently, and reports whether there were any. A chain
// is never used after the columns of its store, so the chains of a store go before its columns.
func (s *Service) evictOldest(keep *searchIndex, keptChain pricing.Chain) bool {
	var oldest *searchIndex
	var oldestChain pricing.Chain // "" for all columns of the store
	least := int64(math.MaxInt64)

	for _, idx := range s.storeIndexes() {
		idx.mu.RLock()
		if idx.cols != nil {
			kept := pricing.Chain("")
			if idx == keep {
				kept = keptChain
			}
			if chain, use := idx.cols.oldestChain(kept); chain != "" && use < least {
				oldest, oldestChain, least = idx, chain, use
			}
			if use := idx.lastUse.Load(); idx != keep && len(idx.cols.chains) == 0 && use < least {
				oldest, oldestChain, least = idx, "", use
			}
		}
		idx.mu.RUnlock()
	}

	switch {
	case oldest == nil:
		return false
	case oldestChain != "":
		oldest.dropChain(oldestChain)
	default:
		oldest.suspend(retryPause) // without a pause, two stores that do not fit together would be rebuilt in turn
		oldest.drop()
	}
	return true
}

func (idx *searchIndex) bytes() int64 { return idx.filterBytes.Load() + idx.wordBytes.Load() }

// updateSize updates products, filterBytes and wordBytes. The caller holds idx.mu, for reading at least.
func (idx *searchIndex) updateSize() {
	idx.setProducts(int64(idx.cols.liveCount()))
	filters, words := idx.cols.size()
	idx.filterBytes.Store(int64(filters))
	idx.wordBytes.Store(int64(words))
}

// suspend prevents builds of this store for the duration d.
func (idx *searchIndex) suspend(d time.Duration) { idx.suspendedUntil.Store(time.Now().Add(d).Unix()) }

func (idx *searchIndex) drop() {
	idx.mu.Lock()
	defer idx.mu.Unlock()
	idx.dropLocked()
}

// dropLocked removes the columns from memory. The caller holds idx.mu for writing.
func (idx *searchIndex) dropLocked() {
	idx.cols = nil
	idx.filterBytes.Store(0)
	idx.wordBytes.Store(0)
}

// runRefresher refreshes the columns, evicts those beyond the memory limit, and deletes old change records.
func (s *Service) runRefresher(ctx context.Context) error {
	return periodic.Run(ctx, s.Log,
		periodic.Task{Name: "refresh search columns", Every: refreshEvery, Do: s.refreshIndexes},
		periodic.Task{Name: "delete old change records", Every: pruneEvery, Do: func(ctx context.Context) error {
			return s.Products.PruneChanges(ctx, s.DB)
		}})
}

// refreshIndexes refreshes the columns of the stores that changed since its last call, and evicts those beyond the
// memory limit. If nothing has changed, its cost does not depend on the number of stores.
func (s *Service) refreshIndexes(ctx context.Context) error {
	changes, err := s.polled.next(ctx, s.DB)
	if err != nil {
		return err
	}

	refreshed := false
	for _, idx := range s.storeIndexes() {
		due := idx.unchecked.Swap(false) || idx.behind.Load() || changes.includes(idx.storeID)
		if !due {
			continue
		}

		refreshed = true

		if e := s.refreshIndex(ctx, idx); e != nil {
			idx.unchecked.Store(true)
			err = errors.Join(err, e)
		}
	}

	if refreshed {
		s.evict(nil, "")
	}

	return err
}

// refreshIndex refreshes the columns of one store, or requests a rebuild if that is cheaper.
func (s *Service) refreshIndex(ctx context.Context, idx *searchIndex) error {
	idx.mu.RLock()

	if idx.cols == nil {
		idx.mu.RUnlock()
		return nil
	}

	state := idx.cols.state
	rows := idx.cols.rowCount()
	idx.mu.RUnlock()

	err := s.DB.Snapshot(ctx, func(q database.Querier) error {
		tx := store.In(q, idx.storeID)
		current, err := readVersions(ctx, tx)
		switch {
		case err != nil:
			return err
		case state.sameAs(current.State):
			idx.behind.Store(false)
			return nil
		case current.OlderThan(state) || current.DivergedFrom(state):
			// The columns were read before this snapshot was taken, so the database was restored to an older state, or
			// a failover lost commits.
			s.dropLost(ctx, idx)
			return nil
		}

		keys, err := changedProducts(ctx, tx, state.products, current.products, maxInlineChanges+1)
		if err != nil {
			return err
		}

		if len(keys) > maxInlineChanges || len(keys) > 0 && keys[0] < 0 { // too long for a request to wait
			idx.refreshing.Store(true)
			defer idx.changes.send()
			defer idx.refreshing.Store(false)
		}
		defer idx.behind.Store(false)

		err = idx.refresh(ctx, tx, current, max(maxRefreshChanges, rows/refreshFraction))
		if errors.Is(err, errNotReady) {
			idx.requestBuild()
			return nil
		}

		return err
	})
	if errors.Is(err, database.ErrNoRows) { // the store was deleted
		s.forget(ctx, idx)
		return nil
	}

	if err != nil {
		return err
	}

	idx.mu.RLock()

	if idx.cols != nil {
		idx.updateSize()
		if idx.cols.needsRebuild() {
			idx.requestBuild()
		}
	}

	idx.mu.RUnlock()
	if idx.needsBuild.Load() {
		s.wakeBuilder()
	}

	return nil
}

// DropLost drops the columns of a store that are newer than the given state, or have another history. The caller has
// found that the database has lost changes.
func (s *Service) DropLost(ctx context.Context, storeID store.ID, current State) {
	idx := s.index(storeID)
	idx.mu.RLock()
	lost := idx.cols != nil && (current.OlderThan(idx.cols.state) || current.DivergedFrom(idx.cols.state))
	idx.mu.RUnlock()
	if lost {
		s.dropLost(ctx, idx)
		s.wakeBuilder()
	}
}

func (s *Service) dropLost(ctx context.Context, idx *searchIndex) {
	s.Log.WarnContext(ctx, "the database has lost changes of the catalogue; search columns are built again",
		"store_id", idx.storeID)
	idx.drop()
	idx.requestBuild()
	s.removeFile(ctx, idx)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
