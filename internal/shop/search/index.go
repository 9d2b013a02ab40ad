package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/shop/store"
)

// errNotReady reports that the columns cannot answer a query, so that SQL must answer it.
var errNotReady = errors.New("the search columns are not ready")

const (
	// maxInlineChanges is the number of changed products, or of changed attribute values, up to which a request
	// refreshes the columns itself. That takes a few tenths of a second; SQL may take longer to answer.
	maxInlineChanges = 20_000
	// inlineRefreshTimeout limits a refresh by a request.
	inlineRefreshTimeout = 20 * time.Second
)

// searchIndex holds the columns of one store. It is created before its columns are built.
type searchIndex struct {
	storeID store.ID
	lastUse atomic.Int64
	// refreshing is true while a long refresh holds mu. Requests then use SQL instead of waiting for mu.
	refreshing atomic.Bool
	// needsBuild requests a build or rebuild of the columns.
	needsBuild atomic.Bool
	// wantedSince is the Unix time, in nanoseconds, since which needsBuild is set.
	wantedSince atomic.Int64
	// filterBytes and wordBytes are the memory of the columns; see Stats.
	filterBytes, wordBytes atomic.Int64
	// suspendedUntil is the Unix time until which no build is tried, after a failure or an eviction.
	suspendedUntil atomic.Int64
	// tooLarge is set while the last build found that the columns do not fit into the memory.
	tooLarge atomic.Bool
	changes  broadcast // of new and refreshed columns
	// chains are the chains of price lists that the columns lack.
	chains chainRequests
	// requested is set when a request needs the columns and they are not there.
	requested atomic.Bool
	// waiting is the number of queries that wait for the columns.
	waiting atomic.Int64
	// behind is set while there are more changes than a request refreshes. The worker refreshes the columns then.
	behind atomic.Bool
	// unchecked is set when refreshIndexes must refresh the columns, whether or not it learns of a change.
	unchecked atomic.Bool
	// products is the number of products, at most smallStore+1; 0 if it is not known. It is
	// updated with the columns.
	products atomic.Int64
	// touched is the lastUse that was recorded in the file, and its time. Only saveIndexes uses it.
	touched struct {
		use int64
		at  time.Time
	}

	mu    sync.RWMutex
	cols  *searchColumns
	saved savedColumns
}

func (idx *searchIndex) requestBuild() {
	if !idx.needsBuild.Load() {
		idx.wantedSince.Store(time.Now().UnixNano()) // first, so that Stats never reads an older time
		idx.needsBuild.Store(true)
	}
}

// addsChain reports whether the prices of a chain are to be added to the columns. Chains of columns that were dropped
// wait for the columns.
func (idx *searchIndex) addsChain() bool { return idx.bytes() > 0 && idx.chains.pending() }

// broadcast wakes the goroutines that wait for an event. The zero value is ready to use.
type broadcast struct {
	mu   sync.Mutex
	next chan struct{} // nil if nobody waits
}

// wait returns a channel that is closed at the next event.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// send wakes all who wait.
func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// find answers from the columns. The parameter current has the versions of the snapshot of tx. If the columns are
// older, find refreshes them first. If they are newer, it returns errColumnsNewer unless allowNewer is set.
func (idx *searchIndex) find(
	ctx context.Context, tx store.Tx, f *searchFilter, query Query, current Versions, allowNewer bool,
) (Result, error) {
	if idx.refreshing.Load() {
		return Result{}, errNotReady
	}

	idx.mu.RLock()

	for idx.cols == nil || idx.cols.state.OlderThan(current.State) || idx.cols.state.DivergedFrom(current.State) {
		idx.mu.RUnlock()
		if err := idx.refreshForRequest(ctx, tx, current); err != nil {
			return Result{}, err
		}
		idx.mu.RLock()
	}
	defer idx.mu.RUnlock()

	newer := !idx.cols.state.sameAs(current.State)
	if newer && !allowNewer {
		return Result{}, errColumnsNewer
	}

	prices := idx.cols.pricesFor(&query)
	if prices == nil {
		idx.chains.want(query.Prices)
		return Result{}, errNotReady
	}

	prices.lastUse.Store(idx.lastUse.Load())
	found := idx.cols.find(f, prices, query)
	found.Newer = newer
	return found, nil
}

// refreshForRequest calls refresh with the limits of a request. It ignores the cancellation of
// ctx, because a refresh that fails drops the columns.
func (idx *searchIndex) refreshForRequest(ctx context.Context, tx store.Tx, current Versions) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), inlineRefreshTimeout)
	defer cancel()
	return idx.refresh(ctx, tx, current, maxInlineChanges)
}

// refresh updates the columns to the versions of the snapshot of tx, current, unless they are newer already. It returns
// errNotReady if the columns must be built or if more than maxChanges products changed.
func (idx *searchIndex) refresh(ctx context.Context, tx store.Tx, current Versions, maxChanges int) error {
	idx.mu.Lock()
	defer idx.mu.Unlock()

	if idx.cols == nil {
		idx.requestBuild()
		return errNotReady
	}

	if idx.cols.state.DivergedFrom(current.State) { // the database was restored
		idx.dropLocked()
		idx.requestBuild()
		return errNotReady
	}

	if !idx.cols.state.OlderThan(current.State) {
		return nil
	}

	if current.OlderThan(idx.cols.state) {
		// Columns and snapshot are each newer in one version. That cannot happen with snapshots of one database.
		return errNotReady
	}

	err := idx.cols.refresh(ctx, tx, current, maxChanges)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTooManyChanges):
		idx.behind.Store(true)
		return errNotReady // the worker refreshes the columns
	case errors.Is(err, errRebuild):
		idx.requestBuild()
		return errNotReady
	case isUnchanged(err):
		return err
	default:
		idx.dropLocked() // the columns are partly refreshed
		idx.requestBuild()
		return err
	}
}

// find answers from the columns. prices is the result of pricesFor.
func (c *searchColumns) find(f *searchFilter, prices *priceColumn, query Query) Result {
	found, _ := c.findText(f, prices, query)
	return found
}

// findText is find that also returns what the words of the query match, or nil if it has none.
func (c *searchColumns) findText(
	f *searchFilter, prices *priceColumn, query Query,
) (found Result, text *textMatch) {
	s := newScan(c, f, prices, query.WithFacets)
	rows, release := c.borrowRows()
	defer release()

	s.matched = *rows
	s.run()
	*rows = s.matched
	found.Total = int64(len(s.matched))

	if query.WithFacets {
		found.Facets = s.facets()
	}

	if query.WithNavigation {
		found.Navigation = c.navigation()
	}

	order := c.rowOrder(query.Sort, prices)
	if s.text != nil {
		if query.maxRanked > 0 {
			s.matched = s.text.candidates(s.matched, query.maxRanked)
		}
		rank := s.rankText(prices, query)
		if query.Sort == ByRelevance && rank != nil {
			order = rank.order()
		}
		defer func() { found.Text = s.explainText(rank, &found, query) }()
	}

	if f.named != nil && query.Sort == ByKey {
		keys := make([]int64, len(s.matched))
		for i, row := range s.matched {
			keys[i] = c.keys[row]
		}
		found.Keys = f.orderByName(keys, query.Limit, query.Offset)
		return found, s.text
	}

	found.Keys = c.page(s.matched, order, query)
	return found, s.text
}

// borrowRows returns an empty list from the pool. The caller appends to it and calls release when it is done with it.
func (c *searchColumns) borrowRows() (rows *[]uint32, release func()) {
	rows, ok := c.rowPool.Get().(*[]uint32)
	if !ok {
		rows = new([]uint32)
	}
	*rows = (*rows)[:0]
	return rows, func() { c.rowPool.Put(rows) }
}
