package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
)

const (
	// refreshEvery is how often columns that nobody asks are brought up to date, so that the next who asks has little to wait for.
	refreshEvery = 500 * time.Millisecond
	pruneEvery   = time.Minute
	// tooLargePause is how long a store that is too large for the memory is left to SQL before it is tried again, retryPause one that had to make
	// room for others or could not be read.
	tooLargePause = 10 * time.Minute
	retryPause    = 30 * time.Second
	// buildTimeout is how long a build may take.
	buildTimeout = 10 * time.Minute
	// A store of which more than this many products and a part of them changed is built anew rather than followed.
	maxRefreshChanges, refreshFraction = 100_000, 4
)

// Run builds the columns that are asked for, keeps all of them current and within their memory, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return s.runBuilder(ctx) })
	group.Go(func() error { return s.runRefresher(ctx) })
	return group.Wait()
}

func (s *Service) storeIndexes() []*storeIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*storeIndex, 0, len(s.indexes))
	for _, idx := range s.indexes {
		list = append(list, idx)
	}
	return list
}

// runBuilder makes columns, one store at a time.
func (s *Service) runBuilder(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		for _, idx := range s.storeIndexes() {
			if idx.needsBuild.Load() && s.Memory > 0 && time.Now().Unix() >= idx.suspendedUntil.Load() && ctx.Err() == nil {
				s.buildIndex(ctx, idx)
			}
		}
	}
}

// buildIndex makes the columns of one store while those that it has go on answering.
func (s *Service) buildIndex(ctx context.Context, idx *storeIndex) {
	limited, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	start := time.Now()
	var built *columns
	err := s.DB.Snapshot(limited, func(q database.Querier) (err error) {
		built, err = buildColumns(&loader{limited, q, idx.storeID}, s.Memory)
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
				"store_id", idx.storeID, "took", time.Since(start), "error", err)
		}
		idx.suspend(retryPause)
		return
	}
	s.counters.builds.Add(1)
	filters, words := built.size()
	s.Log.DebugContext(ctx, "built search columns",
		"store_id", idx.storeID, "products", built.rowCount(), "bytes", filters+words, "took", time.Since(start))
	idx.mu.Lock()
	idx.cols = built
	idx.updateSize()
	idx.mu.Unlock()
	idx.needsBuild.Store(false)
	s.evict(idx)
}

// evict drops the columns that were least used until the others fit into the memory; keep, which alone fits, is not among them.
func (s *Service) evict(keep *storeIndex) {
	list := s.storeIndexes()
	slices.SortFunc(list, func(a, b *storeIndex) int { return cmp.Compare(a.lastUse.Load(), b.lastUse.Load()) })
	total := func() (n int64) {
		for _, idx := range list {
			n += idx.bytes()
		}
		return n
	}
	for _, idx := range list {
		if idx != keep && idx.bytes() > 0 && total() > s.Memory {
			idx.suspend(retryPause) // two that do not fit together would otherwise be built in turn
			idx.drop()
		}
	}
	filters, words := int64(0), int64(0)
	for _, idx := range list {
		filters, words = filters+idx.filterBytes.Load(), words+idx.wordBytes.Load()
	}
	s.counters.filters.Store(filters)
	s.counters.words.Store(words)
}

// bytes is what the columns take.
func (idx *storeIndex) bytes() int64 { return idx.filterBytes.Load() + idx.wordBytes.Load() }

// updateSize notes what the columns take; the caller holds the lock.
func (idx *storeIndex) updateSize() {
	filters, words := idx.cols.size()
	idx.filterBytes.Store(int64(filters))
	idx.wordBytes.Store(int64(words))
}

// suspend leaves the store to SQL for a while.
func (idx *storeIndex) suspend(d time.Duration) { idx.suspendedUntil.Store(time.Now().Add(d).Unix()) }

// drop frees the columns.
func (idx *storeIndex) drop() {
	idx.mu.Lock()
	defer idx.mu.Unlock()
	idx.dropLocked()
}

// dropLocked is drop for who holds the lock.
func (idx *storeIndex) dropLocked() {
	idx.cols = nil
	idx.filterBytes.Store(0)
	idx.wordBytes.Store(0)
}

// runRefresher keeps columns current that others change, and forgets changes that everybody has seen.
func (s *Service) runRefresher(ctx context.Context) error {
	refresh, prune := time.NewTicker(refreshEvery), time.NewTicker(pruneEvery)
	defer refresh.Stop()
	defer prune.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-refresh.C:
			for _, idx := range s.storeIndexes() {
				err = errors.Join(err, s.refreshIndex(ctx, idx))
			}
			s.evict(nil)
		case <-prune.C:
			err = s.Catalog.ForgetChanges(ctx, s.DB)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot refresh search columns or delete old change records; retrying", "error", err)
		}
	}
}

// refreshIndex brings the columns of one store up to date, however much has changed, and has them built anew where that is better.
func (s *Service) refreshIndex(ctx context.Context, idx *storeIndex) error {
	idx.mu.RLock()
	if idx.cols == nil {
		idx.mu.RUnlock()
		return nil
	}
	built, rows := idx.cols.versions, idx.cols.rowCount()
	idx.mu.RUnlock()
	err := s.DB.Snapshot(ctx, func(q database.Querier) error {
		current, err := readVersions(ctx, q, idx.storeID)
		if err != nil || current.equal(built) {
			return err
		}
		keys, err := changedProducts(ctx, q, idx.storeID, built.products, current.products, maxInlineChanges+1)
		if err != nil {
			return err
		}
		if len(keys) > maxInlineChanges { // too long to wait for
			idx.refreshing.Store(true)
			defer idx.refreshing.Store(false)
		}
		err = idx.refresh(ctx, q, current, max(maxRefreshChanges, rows/refreshFraction))
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
