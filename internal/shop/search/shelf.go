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
var errNotReady = errors.New("the columns are not ready")

const (
	// followAtOnce is up to how many changed products, or values of attributes, a request waits until the columns have followed: some tenths
	// of a second, where SQL may take longer than that to answer.
	followAtOnce = 20_000
	// followTime is how long that may take.
	followTime = 20 * time.Second
)

// shelf is the columns of one store, or the place where they will be.
type shelf struct {
	storeID store.ID
	used    atomic.Int64
	// busy says that the columns are held for long: who cannot wait asks SQL.
	busy atomic.Bool
	// wanted says that they are to be built.
	wanted atomic.Bool
	// filters and words are what the columns take, in bytes.
	filters, words atomic.Int64
	// refused is until when the store is left to SQL, in Unix time: its columns do not fit into memory, or could not be read.
	refused atomic.Int64

	mu   sync.RWMutex
	cols *columns
}

// find answers from the columns at the state now, to which it brings them first.
func (sh *shelf) find(ctx context.Context, q database.Querier, f *filter, query Query, now versions, mayBeNewer bool) (Found, error) {
	if sh.busy.Load() {
		return Found{}, errNotReady
	}
	sh.mu.RLock()
	for sh.cols == nil || now.products > sh.cols.at.products || now.categories > sh.cols.at.categories || now.attributes > sh.cols.at.attributes {
		sh.mu.RUnlock()
		if err := sh.followFor(ctx, q, now); err != nil {
			return Found{}, err
		}
		sh.mu.RLock()
	}
	defer sh.mu.RUnlock()
	newer := !sh.cols.at.same(now)
	if newer && !mayBeNewer {
		return Found{}, errMoved
	}
	found := sh.cols.find(f, query)
	found.Newer = newer
	return found, nil
}

// followFor is follow for a request. It goes on when the client is gone: half of it would be worth nothing.
func (sh *shelf) followFor(ctx context.Context, q database.Querier, now versions) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), followTime)
	defer cancel()
	return sh.follow(ctx, q, now, followAtOnce)
}

// follow brings the columns to the state now of a snapshot, if they are not past it already. It returns errNotReady where they must be
// built or more than most products have changed.
func (sh *shelf) follow(ctx context.Context, q database.Querier, now versions, most int) error {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.cols == nil {
		sh.wanted.Store(true)
		return errNotReady
	}
	if !sh.cols.at.before(now) {
		return nil
	}
	if now.before(sh.cols.at) {
		return errNotReady // neither is later, which snapshots of one database never are
	}
	err := sh.cols.follow(&loader{ctx, q, sh.storeID}, now, most)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errFar):
		return errNotReady // Run will follow
	case errors.Is(err, errBuild):
		sh.wanted.Store(true)
		return errNotReady
	default:
		sh.forget() // half of it was done
		sh.wanted.Store(true)
		return err
	}
}

// find answers a query whose filter was looked up.
func (c *columns) find(f *filter, query Query) Found {
	s := newScan(c, f, query.WithFacets)
	if rows, ok := c.spare.Get().(*[]uint32); ok {
		s.matched = (*rows)[:0]
	}
	s.run()
	defer func() {
		rows := s.matched // not the scan with all its tables
		c.spare.Put(&rows)
	}()
	found := Found{Total: int64(len(s.matched))}
	if query.WithFacets {
		found.Facets = s.facets()
	}
	found.Keys = c.page(s.matched, query.Sort, query.Limit, query.Offset)
	return found
}
