package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"vitrine/internal/database"
)

// detach takes values off what carries them: a variant loses the option, a product that value of the feature. The variants and
// products stay. It works in pieces, so that a value on a million variants takes no more memory than one on a thousand.
func (c *change) detach(ctx context.Context, valueKeys []int64) error {
	for {
		found, err := carriers(ctx, c.q, c.storeID, c.a, valueKeys)
		if err != nil || len(found) == 0 {
			return err
		}
		if c.a.Kind == Option {
			err = c.detachVariants(ctx, found)
		} else {
			err = c.detachProducts(ctx, found)
		}
		if err != nil {
			return err
		}
	}
}

// detachAll takes the whole attribute off what carries it.
func (c *change) detachAll(ctx context.Context) error { return c.detach(ctx, nil) }

func (c *change) detachProducts(ctx context.Context, found []pair) error {
	pairs := database.NewBatch(database.BigInt, database.BigInt)
	products := database.NewBatch(database.BigInt)
	for _, p := range found {
		pairs.Add(p.owner, p.value)
		products.Add(p.owner)
	}
	if _, err := c.q.ExecRows(ctx, touchProductsSQL, products, c.storeID); err != nil {
		return err
	}
	if err := c.seen.products(ctx, c, products); err != nil {
		return err
	}
	_, err := c.q.ExecRows(ctx, deleteProductValuesSQL, pairs, c.storeID, c.a.Key)
	return err
}

func (c *change) detachVariants(ctx context.Context, found []pair) error {
	keys := make([]int64, len(found))
	for i, p := range found {
		keys[i] = p.owner
	}
	variants := keyBatch(keys)
	if _, err := c.q.ExecRows(ctx, touchProductsOfVariantsSQL, variants, c.storeID); err != nil {
		return err
	}
	if _, err := c.q.ExecRows(ctx, deleteVariantValuesSQL, variants, c.storeID, c.a.Key); err != nil {
		return err
	}
	if err := c.recombine(ctx, keys); err != nil {
		return err
	}
	return c.seen.variants(ctx, c, variants)
}

// recombine computes the combinations of variants anew after they lost a value. Those that became equal to another of the same
// product are kept as twins of it.
func (c *change) recombine(ctx context.Context, variantKeys []int64) error {
	values, err := variantValues(ctx, c.q, c.storeID, variantKeys)
	if err != nil {
		return err
	}
	batch := database.NewBatch(database.BigInt, database.Bytes, database.BigInt)
	for _, key := range variantKeys {
		// As its own twin a variant equals nobody, so the unique index holds while the pieces are written.
		if combination := combine(values[key]); combination != nil {
			batch.Add(key, combination, key)
		} else {
			batch.Add(key, nil, int64(0))
		}
	}
	products, err := setCombinations(ctx, c.q, c.storeID, batch)
	if err != nil {
		return err
	}
	_, err = c.q.ExecRows(ctx, settleTwinsSQL, keyBatch(products), c.storeID)
	return err
}

// combine digests the option values of a variant; the keys must be sorted. A variant without any has no combination.
// A digest, since a variant may carry any number of options and an index entry has a size limit.
func combine(sortedValueKeys []int64) []byte {
	if len(sortedValueKeys) == 0 {
		return nil
	}
	h := sha256.New()
	var b [8]byte
	for _, k := range sortedValueKeys {
		binary.BigEndian.PutUint64(b[:], uint64(k))
		h.Write(b[:])
	}
	return h.Sum(nil)[:16]
}
