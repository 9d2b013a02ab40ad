// Package firstslug gives slugs to products and categories that have none: those that were made before the program knew
// slugs, and those that nodes of such a program make beside this one. Everything else gets its slug when it is made.
package firstslug

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

const (
	// interval is the time between two searches for things without a slug.
	interval = 10 * time.Second
	// chunkSize is the number of things that one transaction gives slugs to. It takes about 20 ms on SQLite, where all
	// other writes wait.
	chunkSize = 200
	// progressEvery is the time between two messages about the progress in a large store.
	progressEvery = 10 * time.Second
)

// Worker gives slugs to things without one. What it has done is stored with each chunk, so that a node goes on where
// another one was killed.
type Worker struct {
	db   *database.DB
	core *catalog.Core
	log  *slog.Logger
}

// New returns a worker.
func New(db *database.DB, c *catalog.Service, log *slog.Logger) *Worker {
	return &Worker{db: db, core: c.Core(), log: log}
}

// Run looks for things without a slug until ctx is cancelled.
func (w *Worker) Run(ctx context.Context) error {
	return periodic.Run(ctx, w.log, periodic.Task{
		Name: "give slugs to products and categories that have none", Every: interval,
		Do: func(ctx context.Context) error { return w.Complete(database.InBackground(ctx)) },
	})
}

// Complete gives slugs to all things without one, of all stores, in short transactions.
func (w *Worker) Complete(ctx context.Context) (err error) {
	defer fault.AddContext(&err, "give slugs to things without one")
	for _, kind := range []slug.Kind{slug.Category, slug.Product} { // products are shown with their categories
		for after := (store.ID{}); ; {
			storeID, found, err := w.nextStore(ctx, kind, after)
			if err != nil {
				return err
			}
			if !found {
				break
			}

			if err := w.completeStore(ctx, kind, storeID); err != nil {
				return err
			}
			after = storeID
		}
	}
	return nil
}

// completeStore gives slugs to all things of a kind of a store. It begins each chunk after the last key: see
// docs/planner.md on dead index entries.
func (w *Worker) completeStore(ctx context.Context, kind slug.Kind, storeID store.ID) error {
	last, total := int64(0), 0
	reported := time.Now()
	for {
		var n int
		var next int64
		err := w.db.Write(ctx, func(q database.Querier) (err error) {
			next, n, err = w.completeChunk(ctx, store.In(q, storeID), kind, last)
			return err
		})
		if err != nil {
			return err
		}

		total += n
		last = next
		if n < chunkSize || time.Since(reported) > progressEvery {
			reported = time.Now()
			w.log.InfoContext(ctx, "things have got slugs", slog.String("store_id", storeID.String()),
				slog.String("kind", string(kind)), slog.Int("count", total), slog.Bool("done", n < chunkSize))
		}
		if n < chunkSize {
			return nil
		}
	}
}

// completeChunk gives slugs to the next things after a key. It returns the last of their keys and their number. Lock
// order: that of a push, products or categories by key before their slugs, and the versions last; the tree of
// categories comes before its rows only in this transaction, which locks no other rows.
func (w *Worker) completeChunk(
	ctx context.Context, tx store.Tx, kind slug.Kind, after int64,
) (last int64, n int, err error) {
	claims, err := lockThings(ctx, tx, kind, after)
	if err != nil || len(claims) == 0 {
		return after, 0, err
	}

	if err := slug.Choose(ctx, tx, kind, claims); err != nil {
		return 0, 0, err
	}
	if err := setFirst(ctx, tx, kind, claims); err != nil {
		return 0, 0, err
	}
	keys := make([]int64, len(claims))
	for i, c := range claims {
		keys[i] = c.Key
	}
	if err := slug.Save(ctx, tx, kind, claims); err != nil { // sorts the claims
		return 0, 0, err
	}

	last = keys[len(keys)-1]
	if kind == slug.Category {
		return last, len(keys), catalog.RaiseCategoriesVersion(ctx, tx)
	}
	return last, len(keys), w.core.RecordChanges(ctx, tx, keys...)
}
