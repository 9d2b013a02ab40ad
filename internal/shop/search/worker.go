package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
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

// Run builds columns on request, refreshes them and keeps them within the memory limit. It returns nil when ctx ends.
func (s *Service) Run(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return s.runBuilder(ctx) })
	group.Go(func() error { return s.runRefresher(ctx) })
	return group.Wait()
}

func (s *Service) storeIndexes() []*searchIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.indexes))
}

// runBuilder builds the columns that requests asked for, one store at a time.
func (s *Service) runBuilder(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		for _, idx := range s.storeIndexes() {
			if s.buildsSoon(idx) && ctx.Err() == nil {
				s.buildIndex(ctx, idx)
			}
		}
	}
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
	var built *searchColumns
	err := s.DB.ReadWith(limited, database.Long, true, func(q database.Querier) (err error) {
		built, err = buildColumns(limited, store.In(q, idx.storeID), s.Memory)
		return err
	})
	switch {
	case errors.Is(err, errTooLarge):
		s.Log.WarnContext(ctx, "store does not fit into the search memory, answering from SQL; raise --search-memory",
			"store_id", idx.storeID, "memory", s.Memory)
		idx.suspend(tooLargePause)
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
	idx.mu.Lock()
	idx.cols = built
	idx.updateSize()
	idx.mu.Unlock()
	idx.changes.send() // before needsBuild is false, so that no query misses it
	idx.needsBuild.Store(false)
	s.evict(idx)
}

// evict drops the least recently used columns until the rest fits into the memory limit. It never drops
// the columns of the index keep.
func (s *Service) evict(keep *searchIndex) {
	list := s.storeIndexes()
	slices.SortFunc(list, func(a, b *searchIndex) int { return cmp.Compare(a.lastUse.Load(), b.lastUse.Load()) })
	total := func() (n int64) {
		for _, idx := range list {
			n += idx.bytes()
		}
		return n
	}
	for _, idx := range list {
		if idx != keep && idx.bytes() > 0 && total() > s.Memory {
			idx.suspend(retryPause) // without a pause, two stores that do not fit together would be rebuilt in turn
			idx.drop()
		}
	}
	var filters, words int64
	for _, idx := range list {
		filters, words = filters+idx.filterBytes.Load(), words+idx.wordBytes.Load()
	}
	s.counters.filters.Store(filters)
	s.counters.words.Store(words)
}

func (idx *searchIndex) bytes() int64 { return idx.filterBytes.Load() + idx.wordBytes.Load() }

// updateSize updates filterBytes and wordBytes. The caller holds idx.mu, for reading at least.
func (idx *searchIndex) updateSize() {
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

// dropLocked does the same as drop. The caller holds idx.mu for writing.
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

// refreshIndexes refreshes the columns of all stores that have columns, and evicts those beyond the memory limit.
func (s *Service) refreshIndexes(ctx context.Context) error {
	var err error
	for _, idx := range s.storeIndexes() {
		err = errors.Join(err, s.refreshIndex(ctx, idx))
	}
	s.evict(nil)
	return err
}

// refreshIndex refreshes the columns of one store, or requests a rebuild if that is cheaper.
func (s *Service) refreshIndex(ctx context.Context, idx *searchIndex) error {
	idx.mu.RLock()
	if idx.cols == nil {
		idx.mu.RUnlock()
		return nil
	}
	state, rows := idx.cols.state, idx.cols.rowCount()
	idx.mu.RUnlock()
	err := s.DB.Snapshot(ctx, func(q database.Querier) error {
		tx := store.In(q, idx.storeID)
		current, err := readVersions(ctx, tx)
		if err != nil || current.State == state {
			return err
		}
		keys, err := changedProducts(ctx, tx, state.products, current.products, maxInlineChanges+1)
		if err != nil {
			return err
		}
		if len(keys) > maxInlineChanges { // too long for a request to wait
			idx.refreshing.Store(true)
			defer idx.changes.send()
			defer idx.refreshing.Store(false)
		}
		err = idx.refresh(ctx, tx, current, max(maxRefreshChanges, rows/refreshFraction))
		if errors.Is(err, errNotReady) {
			idx.needsBuild.Store(true)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	idx.mu.RLock()
	if idx.cols != nil {
		idx.updateSize()
		if idx.cols.needsRebuild() {
			idx.needsBuild.Store(true)
		}
	}
	idx.mu.RUnlock()
	if idx.needsBuild.Load() {
		s.wakeBuilder()
	}
	return nil
}
