package app

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/search"
)

const (
	// warmUpTimeout limits how long a node stays out of the balancer because it reads columns.
	warmUpTimeout = time.Minute
	// warmUpPoll is how often it looks whether they are there.
	warmUpPoll = 100 * time.Millisecond
	// recentUse is how long ago a store was last read if it is in use, and maxRecentStores how many of them are read.
	recentUse       = time.Hour
	maxRecentStores = 50
)

// hasNeighbours reports whether other nodes serve. Only then it makes sense to leave the requests to them for a while.
func (a *App) hasNeighbours(ctx context.Context) bool {
	if a.DB.Engine() == database.SQLite {
		return false
	}
	nodes, err := a.DB.RunningNodes(ctx)
	if err != nil {
		a.log.WarnContext(ctx, "cannot tell whether other nodes serve", "error", err)
	}
	return len(nodes) > 0
}

// warmUp is a worker that runs once. It reads the search columns of the stores that were used lately, which a new
// container has no files of. The node is not ready meanwhile if others are.
func (a *App) warmUp(ctx context.Context) error {
	if !a.warming.Load() {
		return nil
	}
	defer a.warming.Store(false)

	stores, err := a.Access.RecentStores(ctx, a.Now().Add(-recentUse), maxRecentStores)
	if err != nil {
		a.log.WarnContext(ctx, "cannot read which stores are in use", "error", err)
		return nil
	}

	start := time.Now()
	slices.Reverse(stores)
	search.Request(a.search, stores)
	for a.search.Stats().StoresPending > 0 && time.Since(start) < warmUpTimeout {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(warmUpPoll):
		}
	}

	a.log.InfoContext(ctx, "read the search columns of the stores in use", "stores", len(stores),
		"duration_ms", time.Since(start).Milliseconds(), "missing", a.search.Stats().StoresPending)
	return nil
}
