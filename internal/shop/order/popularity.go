package order

import (
	"context"
	"errors"
	"math"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// popularityPeriod is how long an order counts in the popularity of its products.
	popularityPeriod = 90 * 24 * time.Hour
	// popularityInterval is the time between two searches for orders that change the popularity of products.
	popularityInterval = 2 * time.Second
	// ordersPerPopularityBatch is the maximum number of orders whose items one transaction counts, of each kind: new,
	// cancelled, reopened and old.
	ordersPerPopularityBatch = 200
)

// popularityCounter is the worker that counts the popularity of products: what was ordered in the last 90 days,
// without cancelled orders. The counter follows the numbers of the orders, and Service.Update what changes in their
// items: it adds new and reopened orders, and subtracts orders that were cancelled or got old. The same transaction
// records what is counted. Submissions leave it to the counter, because they would wait for each other at the popular
// products.
type popularityCounter struct {
	db  *database.DB
	now func() time.Time
	// batch is ordersPerPopularityBatch, unless a test changes it.
	batch int
}

// countedOrders are the orders of a store that the popularity counts: those with the numbers from first to last, unless
// they are removed. There are none if first is greater than last.
type countedOrders struct {
	first, last int64
	// oldest is not after the submission of the first order; nil if there are none.
	oldest *time.Time
}

// numberedOrder is a submitted order. removed says that it was cancelled and is not counted any more.
type numberedOrder struct {
	key, number int64
	submittedAt time.Time
	removed     bool
}

// count brings the popularity of the products of all stores up to date.
func (c *popularityCounter) count(ctx context.Context) error {
	ctx = database.InBackground(ctx)
	since := c.now().Add(-popularityPeriod)
	stores, err := database.Read(ctx, c.db, func(q database.Querier) ([]store.ID, error) {
		return storesToCount(ctx, q, since)
	})
	if err != nil {
		return err
	}

	var failures []error
	for _, storeID := range stores {
		if err := c.countStore(ctx, storeID, since); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// countStore brings the popularity of the products of a store up to date.
func (c *popularityCounter) countStore(ctx context.Context, storeID store.ID, since time.Time) error {
	for {
		more, err := database.Write(ctx, c.db, func(q database.Querier) (bool, error) {
			return c.countBatch(ctx, store.In(q, storeID), since)
		})
		if err != nil || !more {
			return err
		}
	}
}

// countBatch counts the next orders of a store: those that are new, cancelled, reopened, or older than the time since.
// It reports whether there may be more.
//
// Lock order: the store's row of popularity_progress, orders that it skips if they are locked, products by key, the
// store's row of catalog_versions.
func (c *popularityCounter) countBatch(ctx context.Context, tx store.Tx, since time.Time) (more bool, err error) {
	counted, err := lockCountedOrders(ctx, tx, since)
	if err != nil {
		return false, err
	}

	changes := database.NewBatch(database.BigInt, database.BigInt) // key of an order, and 1 or -1
	added, err := c.addNew(ctx, tx, &counted, changes)
	if err != nil {
		return false, err
	}
	cancelled, err := c.removeCancelled(ctx, tx, counted, changes)
	if err != nil {
		return false, err
	}
	reopened, err := c.addReopened(ctx, tx, counted, changes)
	if err != nil {
		return false, err
	}
	old, err := c.removeOld(ctx, tx, &counted, since, changes)
	if err != nil {
		return false, err
	}

	if err := updateCountedOrders(ctx, tx, counted); err != nil {
		return false, err
	}
	return max(added, cancelled, reopened, old) >= c.batch, changePopularity(ctx, tx, changes)
}

// addNew adds the orders after the last counted one. Cancelled ones are added, too, and removed like others that are
// cancelled later. It returns the number of orders that it has read, as the functions below do.
func (c *popularityCounter) addNew(
	ctx context.Context, tx store.Tx, counted *countedOrders, changes *database.Batch,
) (read int, err error) {
	list, err := selectNumbered(ctx, tx, counted.last+1, math.MaxInt64, c.batch)
	for _, o := range list {
		counted.last = o.number
		changes.Add(o.key, int64(1))
	}
	return len(list), err
}

// removeCancelled removes counted orders that were cancelled.
func (c *popularityCounter) removeCancelled(
	ctx context.Context, tx store.Tx, counted countedOrders, changes *database.Batch,
) (read int, err error) {
	list, err := lockCancelled(ctx, tx, counted.last, c.batch)
	if err != nil || len(list) == 0 {
		return 0, err
	}

	keys := database.NewBatch(database.BigInt)
	for _, o := range list {
		keys.Add(o.key)
		if o.number >= counted.first { // others were subtracted when they got old, or never added
			changes.Add(o.key, int64(-1))
		}
	}
	return len(list), setRemoved(ctx, tx, keys, true)
}

// addReopened adds orders again that were removed when they were cancelled, and were reopened.
func (c *popularityCounter) addReopened(
	ctx context.Context, tx store.Tx, counted countedOrders, changes *database.Batch,
) (read int, err error) {
	list, err := lockReopened(ctx, tx, c.batch)
	if err != nil || len(list) == 0 {
		return 0, err
	}

	keys := database.NewBatch(database.BigInt)
	for _, o := range list {
		keys.Add(o.key)
		if o.number >= counted.first {
			changes.Add(o.key, int64(1))
		}
	}
	return len(list), setRemoved(ctx, tx, keys, false)
}

// removeOld subtracts the orders that were submitted before the time since, as long as the first one was.
func (c *popularityCounter) removeOld(
	ctx context.Context, tx store.Tx, counted *countedOrders, since time.Time, changes *database.Batch,
) (read int, err error) {
	list, err := selectNumbered(ctx, tx, counted.first, counted.last, c.batch)
	if err != nil {
		return 0, err
	}

	counted.oldest = nil
	for i, o := range list {
		counted.oldest = &o.submittedAt
		if !o.submittedAt.Before(since) {
			return i, nil
		}

		counted.first = o.number + 1
		if !o.removed {
			changes.Add(o.key, int64(-1))
		}
	}

	if counted.first > counted.last {
		counted.oldest = nil
	}
	return len(list), nil
}
