package catalog

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// LockImages appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock.
const lockImagesSQL = `
WITH r(id) AS (ROWS)
SELECT i.key, i.id, COALESCE(i.product_key, 0)
FROM r
CROSS JOIN images i
WHERE i.key = (SELECT x.key FROM images x WHERE x.store_id = $1 AND x.id = r.id)
ORDER BY i.key`

const imageIDsOfProductSQL = `
SELECT i.id
FROM products p
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = p.key)
WHERE p.store_id = $1
  AND p.id = $2
ORDER BY i.key`

// Callers may append FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock, as in
// shownImagesSQL.
const imageKeysOfProductsSQL = `
WITH r(key) AS (ROWS), f(key, product_key) AS (
	SELECT x.key, x.product_key
	FROM r
	CROSS JOIN LOOKUP (images x WHERE x.store_id = $1 AND x.product_key = r.key))
SELECT i.key
FROM f
CROSS JOIN images i
WHERE i.key = f.key
  AND i.product_key + 0 = f.product_key
ORDER BY i.key`

const ImagesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT i.product_key, i.id, i.format, i.opaque, i.width, i.height
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key)
ORDER BY i.product_key, i.position, i.key`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const detachImagesSQL = `
WITH r(key) AS (ROWS)
UPDATE images
SET product_key = NULL, position = 0, leaving = FALSE, version = version + 1, updated_at = CASE WHEN updated_at < $2
	THEN $2 ELSE updated_at + 1 END
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const AttachImagesSQL = `
WITH r(key, product_key) AS (ROWS)
UPDATE images
SET product_key = r.product_key, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2
	ELSE updated_at + 1 END
FROM r
WHERE (images.store_id = $1) IS TRUE
  AND images.key = r.key`

const placeImagesSQL = `
WITH r(key, position) AS (ROWS)
UPDATE images
SET position = r.position, leaving = FALSE
FROM r
WHERE (images.store_id = $1) IS TRUE
  AND images.key = r.key`

// LockedImage is an image whose row is locked until the transaction ends. productKey is 0 if no product owns the image.
type LockedImage struct{ Key, ProductKey int64 }

// LockImages finds the images with these ids and locks their rows for update, so that no other transaction can attach
// or delete them.
func LockImages(ctx context.Context, tx store.Tx, ids []ImageID) (map[ImageID]LockedImage, error) {
	found := make(map[ImageID]LockedImage, len(ids))
	err := tx.QueryRows(ctx, lockImagesSQL+tx.Dialect().ForUpdate, database.BatchOf(database.UUID, ids),
		func(rows database.Rows) error {
			var i ImageID
			var l LockedImage
			err := rows.Scan(&l.Key, &i, &l.ProductKey)
			found[i] = l
			return err
		})
	return found, err
}

// productImageIDs returns the ids of a product's images, none if the product does not exist. Lock order: callers lock
// these images before the product, since deleting an image locks the image first and then raises its product's version.
func productImageIDs(ctx context.Context, tx store.Tx, productID ProductID) (ids []ImageID, err error) {
	err = database.QueryEach(ctx, tx, imageIDsOfProductSQL, []any{productID}, database.AppendColumn(&ids))
	return ids, err
}

// gallery lists the keys of the images that a product is to have, in display order.
type gallery struct {
	productKey int64
	imageKeys  []int64
}

// setGalleries sets the images of products. The caller has locked the listed images; each belongs to its product or to
// none. All other images of the products are detached. The caller has locked them too, unless they were attached after
// it read the products' images. Images that are attached or detached get a higher version and a new update time, which
// is the parameter at, in microseconds.
func setGalleries(ctx context.Context, tx store.Tx, galleries []gallery, at int64) error {
	products := database.NewBatch(database.BigInt)
	for _, g := range galleries {
		products.Add(g.productKey)
	}

	unlisted := map[int64]bool{}
	err := tx.QueryRows(ctx, imageKeysOfProductsSQL+tx.Dialect().ForUpdate, products, database.PutKeys(unlisted))
	if err != nil {
		return err
	}

	attached := database.NewBatch(database.BigInt, database.BigInt)
	placed := database.NewBatch(database.BigInt, database.BigInt)
	for _, g := range galleries {
		for i, key := range g.imageKeys {
			if !unlisted[key] {
				attached.Add(key, g.productKey)
			}
			delete(unlisted, key)
			placed.Add(key, int64(i))
		}
	}

	if err := write.ExecByKey(ctx, tx, detachImagesSQL, slices.Sorted(maps.Keys(unlisted)), at); err != nil {
		return err
	}
	if err := database.ExecRows(ctx, tx, AttachImagesSQL, attached, at); err != nil {
		return err
	}

	return database.ExecRows(ctx, tx, placeImagesSQL, placed)
}

// deleteImagesOfProduct deletes the images of a product that is about to be deleted. The caller has locked the product
// and the images. The bytes are removed after the commit.
func deleteImagesOfProduct(ctx context.Context, tx store.Tx, productKey int64, now time.Time) error {
	var keys []int64
	err := write.QueryByKey(ctx, tx, imageKeysOfProductsSQL, []int64{productKey}, database.AppendColumn(&keys))
	if err != nil {
		return err
	}
	return DeleteImages(ctx, tx, keys, now)
}

// fillImages reads the images of products in display order. It sets only the members that a product shows of its
// images, which do not include the dates.
func fillImages(ctx context.Context, tx store.Tx, products []Product) error {
	at := make(map[int64]*Product, len(products))
	for i := range products {
		products[i].Images = nil
		at[products[i].Key] = &products[i]
	}
	return tx.QueryRows(ctx, ImagesOfProductsSQL, productBatch(products), func(rows database.Rows) error {
		key, im, err := ScanProductImage(rows)
		if err != nil {
			return err
		}
		p := at[key]
		im.ProductID = &p.ID
		p.Images = append(p.Images, im)
		return nil
	})
}

// ScanProductImage reads a row of ImagesOfProductsSQL.
func ScanProductImage(rows database.Rows) (productKey int64, im Image, err error) {
	err = rows.Scan(&productKey, &im.ID, &im.Format, &im.Opaque, &im.Width, &im.Height)
	return productKey, im, err
}
