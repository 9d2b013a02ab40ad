package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

const setRemaindersSQL = `
WITH r(variant_key, stock_key, quantity, reserved) AS (ROWS)
UPDATE remainders
SET quantity = r.quantity, reserved = r.reserved
FROM r
WHERE remainders.store_id = $1
  AND remainders.variant_key = r.variant_key
  AND remainders.stock_key = r.stock_key`

const productsOfVariantKeysSQL = `
WITH r(key) AS (ROWS)
SELECT v.product_key
FROM r
CROSS JOIN variants v
WHERE v.store_id = $1
  AND v.key = r.key`

// productKeysOfVariants returns the keys of the products of variants, sorted. Variants that are gone are left out.
func productKeysOfVariants(ctx context.Context, q database.Querier, storeID store.ID, variantKeys []int64) ([]int64, error) {
	products := map[int64]bool{}
	err := q.QueryRows(ctx, productsOfVariantKeysSQL, keyBatch(variantKeys), func(rows database.Rows) error {
		var key int64
		err := rows.Scan(&key)
		products[key] = true
		return err
	}, storeID)
	return slices.Sorted(maps.Keys(products)), err
}

// saveReserved writes remainders that the caller has locked, settles what is left of their variants, and raises the versions of the products.
func saveReserved(ctx context.Context, q database.Querier, storeID store.ID, changed map[remainderKey]Remainder, products []int64, touchSQL string) error {
	batch, variants := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt), map[int64]bool{}
	for at, m := range changed {
		batch.Add(at.variant, at.stock, int64(m.Quantity), int64(m.Reserved))
		variants[at.variant] = true
	}
	if _, err := q.ExecRows(ctx, setRemaindersSQL, batch, storeID); err != nil {
		return err
	}
	if err := settleAvailable(ctx, q, storeID, slices.Sorted(maps.Keys(variants))); err != nil {
		return err
	}
	_, err := q.ExecRows(ctx, touchSQL, keyBatch(products), storeID)
	return err
}
