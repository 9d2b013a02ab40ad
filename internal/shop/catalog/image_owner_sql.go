package catalog

import (
	"cmp"
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
SELECT i.key, i.id, COALESCE(i.product_key, -i.category_key), i.variant_key
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

const imageKeysOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT i.key
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key)
ORDER BY i.key`

// Callers may append FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock, as in
// shownImagesSQL.
const galleryKeysOfProductsSQL = `
WITH r(key) AS (ROWS), f(key, product_key) AS (
	SELECT x.key, x.product_key
	FROM r
	CROSS JOIN LOOKUP (images x WHERE x.store_id = $1 AND x.product_key = r.key))
SELECT i.key
FROM f
CROSS JOIN images i
WHERE i.key = f.key
  AND i.product_key + 0 = f.product_key
  AND i.variant_key = 0
ORDER BY i.key`

// ImagesOfProductsSQL leaves out the images that variants own.
const ImagesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT i.product_key, i.id, i.format, i.opaque, i.width, i.height, i.alt, i.color
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key)
WHERE i.variant_key = 0
ORDER BY i.product_key, i.position, i.key`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const detachImagesSQL = `
WITH r(key) AS (ROWS)
UPDATE images
SET product_key = NULL, variant_key = 0, position = 0, leaving = FALSE, version = version + 1,
	updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const AttachImagesSQL = `
WITH r(key, product_key, variant_key) AS (ROWS)
UPDATE images
SET product_key = r.product_key, variant_key = r.variant_key, version = version + 1,
	updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END
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

// LockedImage is an image whose row is locked until the transaction ends. ProductKey is 0 if the image belongs to
// nothing, and the negative key of the category whose picture it is; so no product has such a key. VariantKey is 0 if
// no variant of the product owns the image.
type LockedImage struct{ Key, ProductKey, VariantKey int64 }

// LockImages finds the images with these ids and locks their rows for update, so that no other transaction can attach
// or delete them.
func LockImages(ctx context.Context, tx store.Tx, ids []ImageID) (map[ImageID]LockedImage, error) {
	found := make(map[ImageID]LockedImage, len(ids))
	err := tx.QueryRows(ctx, lockImagesSQL+tx.Dialect().ForUpdate, database.BatchOf(database.UUID, ids),
		func(rows database.Rows) error {
			var i ImageID
			var l LockedImage
			err := rows.Scan(&l.Key, &i, &l.ProductKey, &l.VariantKey)
			found[i] = l
			return err
		})
	return found, err
}

// productImageIDs returns the ids of the images of a product and its variants, none if the product does not exist. Lock
// order: callers lock these images before the product, since deleting an image locks the image first and then raises
// its product's version.
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
// none. All other images of the products are detached, from variants too. The caller has locked them too, unless they
// were attached after it read the products' images. Images that are attached or detached get a higher version and a new
// update time, which is the parameter at, in microseconds.
func setGalleries(ctx context.Context, tx store.Tx, galleries []gallery, at int64) error {
	products := database.NewBatch(database.BigInt)
	for _, g := range galleries {
		products.Add(g.productKey)
	}

	unlisted := map[int64]bool{}
	err := tx.QueryRows(ctx, galleryKeysOfProductsSQL+tx.Dialect().ForUpdate, products, database.PutKeys(unlisted))
	if err != nil {
		return err
	}

	attached := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	placed := database.NewBatch(database.BigInt, database.BigInt)
	for _, g := range galleries {
		for i, key := range g.imageKeys {
			if !unlisted[key] {
				attached.Add(key, g.productKey, 0)
			}
			delete(unlisted, key)
			placed.Add(key, int64(i))
		}
	}

	if err := detachImages(ctx, tx, slices.Sorted(maps.Keys(unlisted)), at); err != nil {
		return err
	}
	if err := database.ExecRows(ctx, tx, AttachImagesSQL, attached, at); err != nil {
		return err
	}

	return database.ExecRows(ctx, tx, placeImagesSQL, placed)
}

// detachImages takes images from their owners, and from the variants that have them.
func detachImages(ctx context.Context, tx store.Tx, keys []int64, at int64) error {
	if err := write.ExecByKey(ctx, tx, detachImagesSQL, keys, at); err != nil {
		return err
	}
	return write.ExecByKey(ctx, tx, unlinkImagesSQL, keys)
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
	err = rows.Scan(&productKey, &im.ID, &im.Format, &im.Opaque, &im.Width, &im.Height, &im.Alt, &im.Color)
	return productKey, im, err
}

// The rows of an image are looked up by the beginning of an index; see docs/planner.md.
const unlinkImagesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_images
WHERE store_id = $1
  AND image_key IN (SELECT key FROM r)`

const clearVariantImagesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_images
WHERE store_id = $1
  AND variant_key IN (SELECT key FROM r)`

const linkImagesSQL = `
WITH r(variant_key, image_key, position, leaving) AS (ROWS)
INSERT INTO variant_images (store_id, variant_key, image_key, position, leaving)
SELECT $1, variant_key, image_key, position, leaving
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, image_key) DO UPDATE
SET position = excluded.position, leaving = excluded.leaving`

const markVariantImagesSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET has_variant_images = TRUE
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)
  AND NOT has_variant_images`

const imagesOwnedByVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT i.key
FROM r
CROSS JOIN LOOKUP (variant_images l WHERE l.store_id = $1 AND l.variant_key = r.key)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = l.image_key)
WHERE i.variant_key = r.key
ORDER BY i.key`

const deleteSourcesOfVariantsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM image_sources
WHERE (store_id = $1) IS TRUE
  AND key IN (
	SELECT s.key
	FROM r
	CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.key = r.key)
	CROSS JOIN LOOKUP (image_sources s WHERE s.store_id = $1 AND s.product_key = v.product_key)
	WHERE s.variant_key = r.key)`

// variantImageColumns are the columns that ScanVariantImage reads.
const variantImageColumns = `l.variant_key, l.position, i.key, i.id, i.format, i.opaque, i.width, i.height, ` +
	`i.alt, i.color`

const imagesOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT ` + variantImageColumns + `
FROM r
CROSS JOIN LOOKUP (variant_images l WHERE l.store_id = $1 AND l.variant_key = r.key)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = l.image_key)
ORDER BY l.variant_key, l.position, l.image_key`

// VariantImagesOfProductsSQL reads the images of the variants of products, which have the alias w. Callers append a
// condition on the variants. The rows have no order.
const VariantImagesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT ` + variantImageColumns + `
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key)
CROSS JOIN LOOKUP (variant_images l WHERE l.store_id = $1 AND l.variant_key = w.key)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = l.image_key)
WHERE TRUE`

// PlacedImage is an image with its position among the images of a variant.
type PlacedImage struct {
	Image
	Position int64
}

// Compare orders the images of a variant as they are shown.
func (a PlacedImage) Compare(b PlacedImage) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Key, b.Key))
}

// ScanVariantImage reads a row of VariantImagesOfProductsSQL.
func ScanVariantImage(rows database.Rows) (variantKey int64, im PlacedImage, err error) {
	err = rows.Scan(&variantKey, &im.Position, &im.Key, &im.ID, &im.Format, &im.Opaque, &im.Width, &im.Height, &im.Alt,
		&im.Color)
	return variantKey, im, err
}

// fillVariantImages fills in the images of variants, in display order.
func fillVariantImages(ctx context.Context, tx store.Tx, variants []*Variant) error {
	return fillLists(ctx, tx, imagesOfVariantsSQL, variants,
		func(v *Variant) *[]Image { return &v.Images },
		func(rows database.Rows) (owner int64, im Image, err error) {
			owner, placed, err := ScanVariantImage(rows)
			return owner, placed.Image, err
		})
}

// VariantLink is an image of a variant with its place.
type VariantLink struct {
	VariantKey, ImageKey int64
	Position             int64
	RemoveAfterDownload  bool // it is taken away when the downloads of the variant have ended
}

// LinkImages writes the places of images of variants of these products. The variants may have the images already.
func LinkImages(ctx context.Context, tx store.Tx, links []VariantLink, productKeys []int64) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.Bool)
	for _, l := range links {
		batch.Add(l.VariantKey, l.ImageKey, l.Position, l.RemoveAfterDownload)
	}
	slices.Sort(productKeys)
	return write.ExecAll(ctx, tx, write.Statement{SQL: linkImagesSQL, Batch: batch},
		write.Statement{SQL: markVariantImagesSQL, Batch: write.KeyBatch(slices.Compact(productKeys))})
}

// plannedImage is an image that a variant is to have. shared says that the image is one of the product, otherwise it is
// the variant's own.
type plannedImage struct {
	key    int64
	shared bool
}

// variantGallery lists the images that a variant is to have, in display order.
type variantGallery struct {
	variantKey, productKey int64
	images                 []plannedImage
}

// setVariantGalleries sets the images of variants. The caller has locked the listed images, which belong to their
// variant, to its product or to none, and the images of the variants. Those that a variant loses and owns are detached.
// The parameter at is as in setGalleries.
func setVariantGalleries(ctx context.Context, tx store.Tx, galleries []variantGallery, at int64) error {
	if len(galleries) == 0 {
		return nil
	}

	keys := make([]int64, len(galleries))
	products := make([]int64, 0, len(galleries))
	for i, g := range galleries {
		keys[i] = g.variantKey
		if len(g.images) > 0 {
			products = append(products, g.productKey)
		}
	}

	unlisted := map[int64]bool{}
	err := tx.QueryRows(ctx, imagesOwnedByVariantsSQL, write.KeyBatch(keys), database.PutKeys(unlisted))
	if err != nil {
		return err
	}

	attached := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	var links []VariantLink
	for _, g := range galleries {
		for i, im := range g.images {
			if !im.shared && !unlisted[im.key] {
				attached.Add(im.key, g.productKey, g.variantKey)
			}
			delete(unlisted, im.key)
			links = append(links, VariantLink{VariantKey: g.variantKey, ImageKey: im.key, Position: int64(i)})
		}
	}

	if err := detachImages(ctx, tx, slices.Sorted(maps.Keys(unlisted)), at); err != nil {
		return err
	}
	if err := write.ExecByKey(ctx, tx, clearVariantImagesSQL, keys); err != nil {
		return err
	}
	if err := database.ExecRows(ctx, tx, AttachImagesSQL, attached, at); err != nil {
		return err
	}

	return LinkImages(ctx, tx, links, products)
}

// deleteImagesOfVariants deletes the images that variants own, and their sources, before the variants are deleted. The
// caller has locked the images. The bytes are removed after the commit.
func deleteImagesOfVariants(ctx context.Context, tx store.Tx, keys []int64, now time.Time) error {
	if len(keys) == 0 {
		return nil
	}
	var owned []int64
	err := tx.QueryRows(ctx, imagesOwnedByVariantsSQL, write.KeyBatch(keys), database.AppendColumn(&owned))
	if err != nil {
		return err
	}
	if err := write.ExecByKey(ctx, tx, deleteSourcesOfVariantsSQL, keys); err != nil {
		return err
	}
	return DeleteImages(ctx, tx, owned, now)
}
