package view

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const summariesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.id, p.name, p.archived_at, ` + catalog.DraftSQL + `, p.updated_at, p.pushed_at, COALESCE((
	SELECT v.sku
	FROM variants v
	WHERE v.store_id = $1
	  AND v.product_key = p.key
	  AND v.archived_at IS NULL
	ORDER BY v.key
	LIMIT 1), '')
FROM r
CROSS JOIN products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key = r.key`

// withSKUSQL selects the variants with the SKU $2, or with its lower case $3. LOWER changes ASCII letters only.
const withSKUSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, v.sku
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.product_key = r.key)
WHERE v.sku = $2
   OR LOWER(v.sku) = $3`

const selectPushedAtSQL = `
SELECT p.pushed_at
FROM products p
WHERE p.store_id = $1
  AND p.key = $2`

// ProductSummary is a product as a list of operators shows it. Of Product only Key, ID, Name, ArchivedAt, Draft,
// UpdatedAt and the totals of the variants are filled.
type ProductSummary struct {
	catalog.Product
	SKU      string         // of the oldest live variant
	Image    *catalog.Image // the first one, or nil; only ID, Format, Opaque, Width and Height are filled
	PushedAt *time.Time     // when a push last changed the product, or nil if none did
}

// Summaries reads the summaries of the products with these row keys, in the given order, in one round trip to the
// database. Keys that the store does not have are left out.
func Summaries(ctx context.Context, tx store.Tx, keys []int64) (_ []ProductSummary, err error) {
	defer fault.AddContext(&err, "read the summaries of %d products", len(keys))

	list := make([]ProductSummary, len(keys))
	at := make(map[int64]*ProductSummary, len(keys))
	for i, key := range keys {
		at[key] = &list[i]
	}

	batch := write.KeyBatch(keys)

	err = tx.QueryAll(ctx,
		database.BatchQuery{SQL: summariesOfProductsSQL, Batch: batch, Each: func(rows database.Rows) error {
			var p ProductSummary
			err := rows.Scan(&p.Key, &p.ID, &p.Name, database.NullTime(&p.ArchivedAt), &p.Draft,
				database.Time(&p.UpdatedAt), database.NullTime(&p.PushedAt), &p.SKU)
			if err == nil {
				*at[p.Key] = p
			}
			return err
		}},
		database.BatchQuery{SQL: catalog.TotalsOfProductsSQL, Batch: batch, Each: func(rows database.Rows) error {
			return catalog.ScanTotals(rows, func(key int64) *catalog.Product { return &at[key].Product })
		}},
		database.BatchQuery{SQL: catalog.ImagesOfProductsSQL, Batch: batch, Each: func(rows database.Rows) error {
			product, im, err := catalog.ScanProductImage(rows)
			if err == nil && at[product].Image == nil {
				at[product].Image = &im
			}
			return err
		}})
	if err != nil {
		return nil, err
	}

	existing := list[:0]
	for i := range list {
		if list[i].Key != 0 {
			existing = append(existing, list[i])
		}
	}

	return existing, nil
}

// ProductsWithSKU returns the SKU, as it is stored, of those products that have a variant with it, by the product's row
// key. The case of ASCII letters does not matter.
func ProductsWithSKU(
	ctx context.Context, tx store.Tx, keys []int64, sku string,
) (_ map[int64]string, err error) {
	defer fault.AddContext(&err, "look for a SKU in %d products", len(keys))
	found := map[int64]string{}
	err = tx.QueryRows(ctx, withSKUSQL, write.KeyBatch(keys), func(rows database.Rows) error {
		var key int64
		var stored string
		err := rows.Scan(&key, &stored)
		found[key] = stored
		return err
	}, sku, strings.ToLower(sku))
	return found, err
}

// PushedAt returns the time at which a push last changed the product with this row key, or nil if none did.
func PushedAt(ctx context.Context, tx store.Tx, productKey int64) (at *time.Time, err error) {
	defer fault.AddContext(&err, "read the last push of a product")
	err = database.QueryRow(ctx, tx, selectPushedAtSQL, []any{productKey}, database.NullTime(&at))
	return at, err
}
