package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// All these rows exist, so this only updates. As an upsert it needs no join on PostgreSQL and no temporary table on
// SQLite.
const setRemaindersSQL = `
WITH r(variant_key, stock_key, quantity, reserved) AS (ROWS)
INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved)
SELECT $1, variant_key, stock_key, quantity, reserved
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, stock_key) DO UPDATE
SET quantity = excluded.quantity, reserved = excluded.reserved`

const setAvailableSQL = `
WITH r(key, available) AS (ROWS)
UPDATE variants
SET available = r.available
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key`

const productsOfVariantKeysSQL = `
WITH r(key) AS (ROWS)
SELECT v.product_key
FROM r
CROSS JOIN variants v
WHERE v.store_id = $1
  AND v.key = r.key`

// productKeysOfVariants returns the sorted keys of the products of variants. Variants that no longer exist are left
// out.
func productKeysOfVariants(ctx context.Context, tx store.Tx, variantKeys []int64) ([]int64, error) {
	products := map[int64]bool{}
	err := tx.QueryRows(ctx, productsOfVariantKeysSQL, database.BatchOf(database.BigInt, variantKeys), func(rows database.Rows) error {
		var key int64
		err := rows.Scan(&key)
		products[key] = true
		return err
	})
	return slices.Sorted(maps.Keys(products)), err
}

// versionRaise increases the versions of products. It is touchProducts or raiseProductVersions.
type versionRaise func(ctx context.Context, tx store.Tx, productKeys []int64) error

// saveReserved writes the changed remainders and the availability of their variants, computed from present, and
// increases the versions of the products. The caller has locked all of them.
func saveReserved(
	ctx context.Context, tx store.Tx, present map[remainderKey]Remainder, changed map[remainderKey]bool,
	products []int64, touch versionRaise,
) error {
	remainders, left := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt),
		map[int64]Quantity{}
	for at := range changed {
		m := present[at]
		remainders.Add(at.variant, at.stock, int64(m.Quantity), int64(m.Reserved))
		left[at.variant] = 0
	}
	for at, m := range present {
		if _, touched := left[at.variant]; touched {
			left[at.variant] += m.available()
		}
	}
	if _, err := tx.ExecRows(ctx, setRemaindersSQL, remainders); err != nil {
		return err
	}
	variants := database.NewBatch(database.BigInt, database.BigInt)
	for key, available := range left {
		variants.Add(key, int64(available))
	}
	if _, err := tx.ExecRows(ctx, setAvailableSQL, variants); err != nil {
		return err
	}
	return touch(ctx, tx, products)
}
