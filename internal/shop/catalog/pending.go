package catalog

import (
	"context"

	"vitrine/internal/shop/store"
)

type PendingKind string

// The kinds of pending references: from a product to a category, from a product to a value of a feature, from a variant
// to a value of an option, and from a category to its parent.
const (
	PendingCategory PendingKind = "category"
	PendingFeature  PendingKind = "feature"
	PendingOption   PendingKind = "option"
	PendingParent   PendingKind = "parent"
)

// pendingKindOf returns the kind of pending references to attributes of the given kind. Both kinds are the same string.
func pendingKindOf(kind Kind) PendingKind { return PendingKind(kind) }

// PendingReference is a reference from a pushed product, variant or category to a target that does not exist yet. ref
// has the accounting system's ids of the target.
type PendingReference struct {
	Kind  PendingKind
	Ref   ReferencePush // for a category, Attribute is its id and Value is empty
	Owner int64         // key of the product, variant or category that refers to the target
	// Canonical says that a category is to be the canonical one of the product.
	Canonical bool
}

// Target returns the reference without its owner.
func (p PendingReference) Target() PendingReference {
	return PendingReference{Kind: p.Kind, Ref: p.Ref}
}

// setsExternalID reports whether the edit sets an external id, which may be the target of pending references.
func (e CategoryEdit) setsExternalID() bool { return e.ExternalID != nil && *e.ExternalID != "" }

// lockPendingOwners does nothing unless the edit sets an external id. Otherwise it calls LockPushes and locks the rows
// that linkPending writes. It locks the named categories, and the categories with pending references to the external
// id, against deletion. It locks the products with such references for update. Lock order: it runs before
// lockCategoryEdit locks the tree, since a transaction that has locked the tree must not wait for any of these rows.
func lockPendingOwners(ctx context.Context, tx store.Tx, e CategoryEdit, named ...CategoryID) error {
	if !e.setsExternalID() {
		return nil
	}
	if err := LockPushes(ctx, tx); err != nil {
		return err
	}
	keys := make(map[CategoryID]int64, len(named))
	for _, i := range named {
		keys[i] = 0
	}
	if err := lockCategories(ctx, tx, keys); err != nil {
		return err
	}
	return lockOwnersOfPending(ctx, tx, *e.ExternalID)
}

// linkPending links the pending references to a category whose external id the edit has set. The caller has called
// lockPendingOwners and has locked the tree.
func (s *Categories) linkPending(ctx context.Context, tx store.Tx, c *Category, e CategoryEdit) error {
	if !e.setsExternalID() {
		return nil
	}
	arrived := pendingArrival{externalID: *c.ExternalID, key: c.Key}
	l := &pendingLinker{tx: tx}
	for _, kind := range []PendingKind{PendingParent, PendingCategory} {
		l.kind = kind
		if err := l.linkAll(ctx, arrived); err != nil {
			return err
		}
	}
	return s.RecordChangedProducts(ctx, tx, l.products)
}
