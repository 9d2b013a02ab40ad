package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const (
	dropWaitingSourcesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM image_sources
WHERE key IN (
	SELECT CASE WHEN s.state = 'waiting' THEN s.key END
	FROM r
	CROSS JOIN LOOKUP (image_sources s WHERE s.store_id = $1 AND s.product_key = r.key))`

	keepLeavingImagesSQL = `
WITH r(key) AS (ROWS)
UPDATE images
SET leaving = FALSE
WHERE leaving
  AND key IN (SELECT i.key FROM r CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key))`

	keepLeavingLinksSQL = `
WITH r(key) AS (ROWS)
UPDATE variant_images
SET leaving = FALSE
WHERE store_id = $1
  AND leaving
  AND variant_key IN (
	SELECT v.key
	FROM r
	CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.product_key = r.key))`
)

// dropPendingOfLocked drops what pushes have left to be done for members that are locked from now on: references that
// wait for their targets, and downloads of images. The caller has locked the images of products that lock them.
func (ws *ProductWrites) dropPendingOfLocked(ctx context.Context) error {
	newlyLocked := func(m productfield.Set) (keys []int64) {
		for _, w := range ws.List {
			if !w.Added && w.Product.Locks.Has(m) && !w.Before.Locks.Has(m) {
				keys = append(keys, w.Product.Key)
			}
		}
		return keys
	}
	if err := DropPending(ctx, ws.Tx, PendingCategory, newlyLocked(productfield.Categories)); err != nil {
		return err
	}

	if err := DropPending(ctx, ws.Tx, PendingFeature, newlyLocked(productfield.Features)); err != nil {
		return err
	}

	return write.ExecAll(ctx, ws.Tx,
		write.Statement{SQL: dropWaitingSourcesSQL, Batch: write.KeyBatch(newlyLocked(productfield.Images))},
		write.Statement{SQL: keepLeavingImagesSQL, Batch: write.KeyBatch(newlyLocked(productfield.Images))},
		write.Statement{SQL: keepLeavingLinksSQL, Batch: write.KeyBatch(newlyLocked(productfield.Images))})
}

// LockProducts appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock.
var lockProductsSQL = `
WITH r(key) AS (ROWS)
SELECT ` + lockedProductColumns + `,
	p.pushed, p.pushed_goods, p.pushed_offers, p.pushed_prices, p.article, p.good_barcodes
FROM r
CROSS JOIN products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key = r.key
ORDER BY p.key`

const AnyPendingSQL = `
SELECT COUNT(*)
FROM (SELECT 1 FROM pending_references WHERE store_id = $1 LIMIT 1) AS any_of_them`

// LockProducts reads products, archived ones included, with their variants, and locks the products' rows for update. It
// deletes their hidden links. Of the products in rowsOnly it locks the rows in the same order, and reads no variants.
func LockProducts(ctx context.Context, tx store.Tx, keys, rowsOnly []int64) (map[int64]*ProductWrite, error) {
	locked := make(map[int64]*ProductWrite, len(keys)+len(rowsOnly))
	sql := lockProductsSQL + tx.Dialect().ForUpdate
	all := slices.Sorted(slices.Values(slices.Concat(keys, rowsOnly)))

	err := tx.QueryRows(ctx, sql, write.KeyBatch(all), func(rows database.Rows) error {
		w := &ProductWrite{}
		var article, barcodes *string
		dest := append(productDest(&w.Product), &w.StoredMark.Whole, &w.StoredMark.Goods, &w.StoredMark.Offers,
			&w.StoredMark.Prices, &article, &barcodes)
		if err := rows.Scan(dest...); err != nil {
			return err
		}

		if w.Before = w.Product; article != nil {
			w.StoredArticle = *article
		}
		if barcodes != nil {
			w.StoredGoodBarcodes = Barcodes(*barcodes)
		}

		locked[w.Product.Key] = w
		return nil
	})
	if err != nil {
		return nil, err
	}

	slices.Sort(keys)
	raised, err := RemoveHiddenLinks(ctx, tx, keys)
	if err != nil {
		return nil, err
	}

	for key, n := range raised {
		w := locked[key]
		w.Product.Version += n
		w.Before.Version += n
	}

	return locked, StoredVariants(ctx, tx, keys, func(v StoredVariant) {
		if w := locked[v.ProductKey]; w != nil {
			w.Stored = append(w.Stored, v)
		}
	})
}

const TouchPushedSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, updated_at = $2, ` + forgetPricesSQL

const OfProductsSQL = `
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const touchPushedProductsSQL = TouchPushedSQL + OfProductsSQL

// TouchPushedProducts raises the versions of products, sets their update times, and clears the digests of last pushes.
func TouchPushedProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, touchPushedProductsSQL, productKeys, at.UnixMicro())
}
