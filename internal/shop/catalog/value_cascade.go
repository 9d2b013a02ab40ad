package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop/store"
)

// valueCascade takes values of options or of features off what carries them, inside the caller's transaction: a variant loses the option, a
// product that value of the feature. The variants and products stay.
type valueCascade struct {
	tx     store.Tx
	kind   Kind
	impact *Impact // notes what is lost; nil notes nothing
}

// detach takes values off what carries them. It works in pieces, so that a value on a million variants takes no more memory than one on a
// thousand.
func (c *valueCascade) detach(ctx context.Context, values []valueKeys) error {
	return c.eachChunk(ctx, func() ([]ownedValue, error) { return c.ownersOfValues(ctx, values) })
}

// detachAll takes a whole attribute off what carries it.
func (c *valueCascade) detachAll(ctx context.Context, attributeKey int64) error {
	return c.eachChunk(ctx, func() ([]ownedValue, error) { return c.ownersOfAttribute(ctx, attributeKey) })
}

// eachChunk takes off what more gives, piece by piece, until that is nothing.
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

// ownersOf are the owners of links, each once, in the order of their keys.
func ownersOf(links []ownedValue) []int64 {
	keys := make([]int64, len(links))
	for i, l := range links {
		keys[i] = l.owner
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
