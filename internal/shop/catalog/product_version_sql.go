package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// These assignments clear columns of the PushMark: all of them, or those that an edit of prices or quantities outdates.
const (
	forgetPricesSQL = "pushed = NULL, pushed_prices = NULL"
	forgetPushesSQL = forgetPricesSQL + ", pushed_goods = NULL, pushed_offers = NULL"
)

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const touchProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, ` + forgetPushesSQL + `
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

// Raising a product's version also locks its row, so that no other transaction changes its variants.
const touchProductsOfVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, ` + forgetPushesSQL + `
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT (SELECT v.product_key FROM variants v WHERE v.store_id = $1 AND v.key = r.key) FROM r)
RETURNING key`

// touchAndReturnProducts is like touchProducts, for the products of variants. It returns the keys of the products.
func touchAndReturnProducts(ctx context.Context, tx store.Tx, variantKeys []int64) (productKeys []int64, err error) {
	err = tx.QueryRows(ctx, touchProductsOfVariantsSQL, write.KeyBatch(variantKeys),
		database.AppendColumn(&productKeys))
	return productKeys, err
}

// TouchProductsOfVariants is like touchAndReturnProducts, and deletes the hidden links of the products.
func TouchProductsOfVariants(ctx context.Context, tx store.Tx, variantKeys []int64) (productKeys []int64, err error) {
	if productKeys, err = touchAndReturnProducts(ctx, tx, variantKeys); err != nil {
		return nil, err
	}
	_, err = RemoveHiddenLinks(ctx, tx, productKeys)
	return productKeys, err
}

const touchProductOfImageSQL = `
UPDATE products
SET version = version + 1, images_writer = $3, ` + forgetPushesSQL + `
WHERE store_id = $1
  AND key = (SELECT i.product_key FROM images i WHERE i.store_id = $1 AND i.key = $2)
RETURNING key`

const touchProductsAtSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, touched_at = $2, ` + forgetPushesSQL + `
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const setTouchedSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET touched_at = $2
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

// Unlike touchProductsSQL, this statement leaves the PushMark unchanged, so a repetition of the last push changes
// nothing.
const raiseProductVersionsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = products.version + 1
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

// Like TouchPushedSQL, this statement keeps the digests of pushes without quantities. It does not raise the version:
// nothing that anybody reads has changed.
const clearQuantityDigestsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET ` + forgetPricesSQL + `
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const clearPushDigestSQL = `
UPDATE products
SET ` + forgetPushesSQL + `
WHERE store_id = $1
  AND key = $2`

// clearQuantityDigests clears what is stored of the digests of pushes with quantities of products.
func clearQuantityDigests(ctx context.Context, tx store.Tx, productKeys []int64) error {
	return write.ExecByKey(ctx, tx, clearQuantityDigestsSQL, productKeys)
}

// clearPushDigest clears the digest of a product's last push, so that the next push is applied even if it is the same.
func clearPushDigest(ctx context.Context, tx store.Tx, productKey int64) error {
	return database.Exec(ctx, tx, clearPushDigestSQL, productKey)
}

// touchProducts increases the versions of products, which locks them, and clears the digests of their last pushes, so
// that repeating such a push applies it again.
func touchProducts(ctx context.Context, tx store.Tx, productKeys []int64) error {
	return write.ExecByKey(ctx, tx, touchProductsSQL, productKeys)
}

// touchProductsAt is like touchProducts, and records the time of a change that exports show. Changes by the deletion of
// something that products refer to need no time: see MarkReferences.
func touchProductsAt(at time.Time) versionRaise {
	return func(ctx context.Context, tx store.Tx, productKeys []int64) error {
		return write.ExecByKey(ctx, tx, touchProductsAtSQL, productKeys, at.UnixMicro())
	}
}

// setTouched records the time of a change that exports show.
func setTouched(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, setTouchedSQL, productKeys, at.UnixMicro())
}

// touchProductOfImage is like touchProducts, for the product that has an image. It returns the product's key, or none.
func touchProductOfImage(ctx context.Context, tx store.Tx, imageKey int64) (productKeys []int64, err error) {
	err = database.QueryEach(ctx, tx, touchProductOfImageSQL, []any{imageKey, productfield.WriterFrom(ctx).OrNull()},
		database.AppendColumn(&productKeys))
	return productKeys, err
}

// raiseProductVersions increases the versions of products. Update times and digests of last pushes stay unchanged.
func raiseProductVersions(ctx context.Context, tx store.Tx, productKeys []int64) error {
	return write.ExecByKey(ctx, tx, raiseProductVersionsSQL, productKeys)
}
