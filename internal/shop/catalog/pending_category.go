package catalog

import (
	"context"

	"vitrine/internal/shop/store"
)

// bringsExternalID reports whether the edit brings an external id, which references may wait for.
func (e CategoryEdit) bringsExternalID() bool { return e.ExternalID != nil && *e.ExternalID != "" }

// lockPendingOwners locks the pushes, and then what a write of a category that brings an external id will link: the categories that it names are
// shared, those that wait for it as their parent too, and the products that wait for it are held. Nobody may wait for any of them while
// holding the tree, so this goes before lockCategoryTree.
func lockPendingOwners(ctx context.Context, tx store.Tx, e CategoryEdit, named ...CategoryID) error {
	if !e.bringsExternalID() {
		return nil
	}
	if err := lockPushes(ctx, tx); err != nil {
		return err
	}
	keys := make(map[CategoryID]int64, len(named))
	for _, i := range named {
		keys[i] = 0
	}
	if err := lockCategories(ctx, tx, keys); err != nil {
		return err
	}
	err := eachPending(ctx, tx, pendingParent, *e.ExternalID, func(keys []int64) error {
		return shareLockPendingCategories(ctx, tx, keys)
	})
	if err != nil {
		return err
	}
	return eachPending(ctx, tx, pendingCategory, *e.ExternalID, func(keys []int64) error {
		return lockPendingProducts(ctx, tx, keys)
	})
}

// linkPending links what waited for a category whose external id the edit brought. The caller has called lockPendingOwners before, and holds the
// tree.
func (s *Categories) linkPending(ctx context.Context, tx store.Tx, c *Category, e CategoryEdit) error {
	if !e.bringsExternalID() {
		return nil
	}
	arrived := arrival{externalID: *c.ExternalID, key: c.Key}
	parents := &linker{tx: tx, kind: pendingParent}
	if err := parents.linkAll(ctx, arrived); err != nil {
		return err
	}
	products := &linker{tx: tx, kind: pendingCategory}
	if err := products.linkAll(ctx, arrived); err != nil {
		return err
	}
	return s.recordChangedProducts(ctx, tx, products.products)
}
