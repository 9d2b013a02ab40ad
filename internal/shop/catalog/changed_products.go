package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/store"
)

// maxListedChanges is the maximum number of changed products that a long-running change records by key. With more,
// readers may as well reload all products, and the keys need not be held in memory.
const maxListedChanges = 10_000

// changedProducts collects the keys of the products that a long-running change touches, up to maxListedChanges.
type changedProducts struct{ keys map[int64]bool }

func (t *changedProducts) add(productKeys []int64) {
	if t.keys == nil {
		t.keys = map[int64]bool{}
	}
	for _, key := range productKeys {
		if t.unlisted() {
			return
		}
		t.keys[key] = true
	}
}

// unlisted reports whether there are too many products to list.
func (t *changedProducts) unlisted() bool { return len(t.keys) > maxListedChanges }

// recordChangedProducts calls recordChanges with the collected products, or recordUnlistedChanges if they are too many.
func (c *core) recordChangedProducts(ctx context.Context, tx store.Tx, t changedProducts) error {
	if t.unlisted() {
		return c.recordUnlistedChanges(ctx, tx)
	}
	return c.recordChanges(ctx, tx, slices.Sorted(maps.Keys(t.keys))...)
}
