package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// errNotReady says that SQL must answer.
var errNotReady = errors.New("the search columns are not ready")

const (
	// maxInlineChanges is up to how many changed products, or values of attributes, a request waits until the columns have followed: some tenths
	// of a second, where SQL may take longer than that to answer.
	maxInlineChanges = 20_000
	// inlineRefreshTimeout is how long that may take.
	inlineRefreshTimeout = 20 * time.Second
)

// storeIndex is the columns of one store, or the place where they will be.
type storeIndex struct {
	storeID store.ID
	lastUse atomic.Int64
	// refreshing says that the columns are held for long: who cannot wait asks SQL.
	refreshing atomic.Bool
	// needsBuild says that they are to be built.
	needsBuild atomic.Bool
	// filterBytes and words are what the columns take, in bytes.
	filterBytes, wordBytes atomic.Int64
	// suspendedUntil is until when the store is left to SQL, in Unix time: its columns do not fit into memory, or could not be read.
	suspendedUntil atomic.Int64

	mu   sync.RWMutex
	cols *columns
}

// find answers from the columns at the state now, to which it brings them first.
func (idx *storeIndex) find(ctx context.Context, q database.Querier, f *filter, query Query, current versions, allowNewer bool) (Found, error) {
	if idx.refreshing.Load() {
		return Found{}, errNotReady
	}
	idx.mu.RLock()
	for idx.cols == nil || current.products > idx.cols.versions.products || current.categories > idx.cols.versions.categories || current.attributes > idx.cols.versions.attributes {
		idx.mu.RUnlock()
		if err := idx.refreshForRequest(ctx, q, current); err != nil {
			return Found{}, err
		}
		idx.mu.RLock()
	}
	defer idx.mu.RUnlock()
	newer := !idx.cols.versions.equal(current)
	if newer && !allowNewer {
		return Found{}, errColumnsNewer
	}
	found := idx.cols.find(f, query)
	found.Newer = newer
	return found, nil
}

// refreshForRequest is follow for a request. It goes on when the client is gone: half of it would be worth nothing.
func (idx *storeIndex) refreshForRequest(ctx context.Context, q database.Querier, current versions) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), inlineRefreshTimeout)
	defer cancel()
	return idx.refresh(ctx, q, current, maxInlineChanges)
}

// refresh brings the columns to the state now of a snapshot, if they are not past it already. It returns errNotReady where they must be
// built or more than most products have changed.
func (idx *storeIndex) refresh(ctx context.Context, q database.Querier, current versions, maxChanges int) error {
	idx.mu.Lock()
	defer idx.mu.Unlock()
	if idx.cols == nil {
		idx.needsBuild.Store(true)
		return errNotReady
	}
	if !idx.cols.versions.olderThan(current) {
		return nil
	}
	if current.olderThan(idx.cols.versions) {
		return errNotReady // neither is later, which snapshots of one database never are
	}
	err := idx.cols.refresh(&loader{ctx, q, idx.storeID}, current, maxChanges)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTooManyChanges):
		return errNotReady // Run will follow
	case errors.Is(err, errRebuild):
		idx.needsBuild.Store(true)
		return errNotReady
	default:
		idx.dropLocked() // half of it was done
		idx.needsBuild.Store(true)
		return err
	}
}

// find answers a query whose filter was looked up.
func (c *columns) find(f *filter, query Query) Found {
	s := newScan(c, f, query.WithFacets)
	if rows, ok := c.rowPool.Get().(*[]uint32); ok {
		s.matched = (*rows)[:0]
	}
	s.run()
	defer func() {
		rows := s.matched // not the scan with all its tables
		c.rowPool.Put(&rows)
	}()
	found := Found{Total: int64(len(s.matched))}
	if query.WithFacets {
		found.Facets = s.facets()
	}
	found.Keys = c.page(s.matched, query.Sort, query.Limit, query.Offset)
	return found
}
