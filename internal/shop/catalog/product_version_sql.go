package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const touchProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, pushed = NULL
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

// Raising a product's version also locks its row, so that nobody changes its variants meanwhile.
const touchProductsOfVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, pushed = NULL
WHERE store_id = $1
  AND key IN (SELECT v.product_key FROM r CROSS JOIN variants v WHERE v.store_id = $1 AND v.key = r.key)`

const touchAndNameProductsSQL = touchProductsOfVariantsSQL + `
RETURNING key`

// touchProductsOf raises the versions of the products of variants, which locks them, and returns their keys.
func touchProductsOf(ctx context.Context, tx store.Tx, variantKeys []int64) (productKeys []int64, err error) {
	err = tx.QueryRows(ctx, touchAndNameProductsSQL, keyBatch(variantKeys), func(rows database.Rows) error {
		var key int64
		err := rows.Scan(&key)
		productKeys = append(productKeys, key)
		return err
	})
	return productKeys, err
}

// touchProductOfImageSQL raises the version of the product that has an image.
const touchProductOfImageSQL = `
UPDATE products
SET version = version + 1, pushed = NULL
WHERE store_id = $1
  AND key = (SELECT i.product_key FROM images i WHERE i.store_id = $1 AND i.key = $2)
RETURNING key`

// Unlike touchProductsSQL it leaves what was pushed: that is what is done.
const raiseProductVersionsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = products.version + 1
FROM r
WHERE products.store_id = $1
  AND products.key = r.key`

// Unlike touchProductOfImageSQL it leaves what was pushed: that is what is done.
const raiseProductVersionSQL = `
UPDATE products
SET version = version + 1
WHERE store_id = $1
  AND key = $2`

// raiseProductVersion raises the version of a product; the time of its last write stays.
func raiseProductVersion(ctx context.Context, tx store.Tx, productKey int64) error {
	_, err := tx.Exec(ctx, raiseProductVersionSQL, productKey)
	return err
}

const clearPushDigestSQL = `
UPDATE products
SET pushed = NULL
WHERE store_id = $1
  AND key = $2`

// clearPushDigest has the next push of a product applied, whatever it says. The product itself stays as it is.
func clearPushDigest(ctx context.Context, tx store.Tx, productKey int64) error {
	_, err := tx.Exec(ctx, clearPushDigestSQL, productKey)
	return err
}

// touchProducts raises the versions of products and clears the digests of their pushes, so that the same push applies again.
func touchProducts(ctx context.Context, tx store.Tx, productKeys []int64) error {
	_, err := tx.ExecRows(ctx, touchProductsSQL, keyBatch(productKeys))
	return err
}

// touchProductsOfVariants is touchProducts for the products of variants.
func touchProductsOfVariants(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	_, err := tx.ExecRows(ctx, touchProductsOfVariantsSQL, keyBatch(variantKeys))
	return err
}

// touchProductOfImage is touchProducts for the product that has an image, if one has. It returns the key of the product.
func touchProductOfImage(ctx context.Context, tx store.Tx, imageKey int64) (productKeys []int64, err error) {
	err = database.QueryEach(ctx, tx, touchProductOfImageSQL, []any{imageKey}, func(rows database.Rows) error {
		var key int64
		err := rows.Scan(&key)
		productKeys = append(productKeys, key)
		return err
	})
	return productKeys, err
}

// raiseProductVersions raises the versions of products; the digests of their pushes stay.
func raiseProductVersions(ctx context.Context, tx store.Tx, productKeys []int64) error {
	_, err := tx.ExecRows(ctx, raiseProductVersionsSQL, keyBatch(productKeys))
	return err
}
