package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop/store"
)

// valueCascade removes values of options or features from the variants or products that have them, inside the caller's
// transaction. The variants and products themselves are not deleted.
type valueCascade struct {
	tx     store.Tx
	kind   Kind
	impact *Impact // collects the variants and products; may be nil
}

// detach removes values from their owners. It works in chunks, so its memory does not depend on the number of owners.
func (c *valueCascade) detach(ctx context.Context, values []valueKeys) error {
	return c.eachChunk(ctx, func() ([]ownedValue, error) { return c.ownersOfValues(ctx, values) })
}

// detachAll removes all values of an attribute from their owners.
func (c *valueCascade) detachAll(ctx context.Context, attributeKey int64) error {
	return c.eachChunk(ctx, func() ([]ownedValue, error) { return c.ownersOfAttribute(ctx, attributeKey) })
}

// eachChunk removes the values that more returns, chunk by chunk, until it returns none.
func (c *valueCascade) eachChunk(ctx context.Context, more func() ([]ownedValue, error)) error {
	for {
		found, err := more()
		if err != nil || len(found) == 0 {
			return err
		}
		if c.kind == Option {
			err = c.detachVariants(ctx, found)
		} else {
			err = c.detachProducts(ctx, found)
		}
		if err != nil {
			return err
		}
	}
}

func (c *valueCascade) detachProducts(ctx context.Context, found []ownedValue) error {
	products := ownersOf(found)
	if err := touchProducts(ctx, c.tx, products); err != nil {
		return err
	}
	if err := c.impact.addProducts(ctx, c, products); err != nil {
		return err
	}
	return deleteFeatures(ctx, c.tx, found)
}

func (c *valueCascade) detachVariants(ctx context.Context, found []ownedValue) error {
	variants := ownersOf(found)
	if err := touchProductsOfVariants(ctx, c.tx, variants); err != nil {
		return err
	}
	if err := deleteVariantValues(ctx, c.tx, found); err != nil {
		return err
	}
	if err := updateCombinations(ctx, c.tx, variants); err != nil {
		return err
	}
	return c.impact.addVariants(ctx, c, variants)
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
