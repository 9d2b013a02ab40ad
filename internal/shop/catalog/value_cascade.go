package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// ValueCascade removes values of options or features from the variants or products that have them, inside the caller's
// transaction. The variants and products themselves are not deleted.
type ValueCascade struct {
	Tx   store.Tx
	Kind Kind
	// Left is the number of links that DetachUpTo and detachAllUpTo may still delete.
	Left int
	// detached is called with the keys of each chunk of variants or products that lost values. It may be nil.
	detached func(ctx context.Context, ownerKeys []int64) error
}

// detach removes values from their owners. It works in chunks, so its memory does not depend on the number of owners.
func (c *ValueCascade) detach(ctx context.Context, values []ValueKeys) error {
	return c.eachChunk(ctx, func() ([]ownedValue, error) { return c.ownersOfValues(ctx, values, write.ChunkSize) })
}

// DetachUpTo is like detach, unless that would delete more than c.Left links. Then it deletes none and returns false.
func (c *ValueCascade) DetachUpTo(ctx context.Context, values []ValueKeys) (bool, error) {
	if c.detached != nil {
		return true, c.detach(ctx, values) // an impact needs all links
	}
	found, err := c.ownersOfValues(ctx, values, c.Left+1)
	if err != nil || len(found) > c.Left {
		return false, err
	}
	c.Left -= len(found)
	return true, c.detach(ctx, values)
}

// detachAllUpTo is like DetachUpTo, for all values of an attribute.
func (c *ValueCascade) detachAllUpTo(ctx context.Context, attributeKey int64) (bool, error) {
	found, err := c.ownersOfAttribute(ctx, attributeKey, c.Left+1)
	if err != nil || len(found) > c.Left {
		return false, err
	}
	return true, c.detachAll(ctx, attributeKey)
}

// detachAll removes all values of an attribute from their owners.
func (c *ValueCascade) detachAll(ctx context.Context, attributeKey int64) error {
	return c.eachChunk(ctx, func() ([]ownedValue, error) {
		return c.ownersOfAttribute(ctx, attributeKey, write.ChunkSize)
	})
}

// eachChunk removes values chunk by chunk. It calls readChunk until a chunk is empty.
func (c *ValueCascade) eachChunk(ctx context.Context, readChunk func() ([]ownedValue, error)) error {
	for {
		found, err := readChunk()
		if err != nil || len(found) == 0 {
			return err
		}

		owners := ownersOf(found)
		if c.Kind == Option {
			err = detachFromVariants(ctx, c.Tx, owners, found)
		} else {
			err = detachFromProducts(ctx, c.Tx, owners, found)
		}

		if err == nil && c.detached != nil {
			err = c.detached(ctx, owners)
		}

		if err != nil {
			return err
		}
	}
}

func detachFromProducts(ctx context.Context, tx store.Tx, productKeys []int64, values []ownedValue) error {
	if err := touchProducts(ctx, tx, productKeys); err != nil {
		return err
	}
	if err := write.TouchShownProducts(ctx, tx, productKeys); err != nil {
		return err
	}
	return deleteFeatures(ctx, tx, values)
}

func detachFromVariants(ctx context.Context, tx store.Tx, variantKeys []int64, values []ownedValue) error {
	products, err := touchAndReturnProducts(ctx, tx, variantKeys)
	if err != nil {
		return err
	}
	if err := write.TouchShownProducts(ctx, tx, products); err != nil {
		return err
	}
	if _, err := RemoveHiddenLinks(ctx, tx, products); err != nil {
		return err
	}
	if err := deleteVariantValues(ctx, tx, values); err != nil {
		return err
	}
	return updateCombinations(ctx, tx, variantKeys)
}

// ownersOf returns the distinct owners, sorted by key.
func ownersOf(links []ownedValue) []int64 {
	keys := make([]int64, len(links))
	for i, l := range links {
		keys[i] = l.owner
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
