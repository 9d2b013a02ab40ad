package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/store"
)

// maxListedChanges is up to how many products a long change names as changed. Beyond, it is as well to read all of them anew, and they need not
// be remembered.
const maxListedChanges = 10_000

// changedProducts gathers the products that a long change touches, piece by piece, as long as they are few enough to be named.
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

// unlisted reports whether there are more than are named.
func (t *changedProducts) unlisted() bool { return len(t.keys) > maxListedChanges }

// recordChangedProducts is recordChanges for them, or recordUnlistedChanges.
func (c *core) recordChangedProducts(ctx context.Context, tx store.Tx, t changedProducts) error {
	if t.unlisted() {
		return c.recordUnlistedChanges(ctx, tx)
	}
	return c.recordChanges(ctx, tx, slices.Sorted(maps.Keys(t.keys))...)
}
