package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const imagesOfProductIDsSQL = `
WITH r(id) AS (ROWS)
SELECT p.id, i.id, i.format, i.opaque
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = r.id)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = p.key)
WHERE i.variant_key = 0
ORDER BY p.key, i.position, i.key`

const imagesOfVariantIDsSQL = `
WITH r(id) AS (ROWS)
SELECT v.id, i.id, i.format, i.opaque
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.id = r.id)
CROSS JOIN LOOKUP (variant_images l WHERE l.store_id = $1 AND l.variant_key = v.key)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = l.image_key)
ORDER BY v.key, l.position, i.key`

// FirstImagesOfVariants is like FirstImages, for variants, archived ones included.
func FirstImagesOfVariants(
	ctx context.Context, tx store.Tx, ids []catalog.VariantID,
) (_ map[catalog.VariantID]*catalog.Image, err error) {
	defer fault.AddContext(&err, "read the first images of %d variants", len(ids))
	return firstImages(ctx, tx, imagesOfVariantIDsSQL, ids)
}

// FirstImages returns the first image of each product, archived ones included. Products without an image, and ids that
// the store does not have, are left out. Only ID, Format and Opaque of an image are set.
func FirstImages(
	ctx context.Context, tx store.Tx, ids []catalog.ProductID,
) (_ map[catalog.ProductID]*catalog.Image, err error) {
	defer fault.AddContext(&err, "read the first images of %d products", len(ids))
	return firstImages(ctx, tx, imagesOfProductIDsSQL, ids)
}

// FirstImagesByKey returns the first image of each product with one of these row keys, as products show it. Products
// without an image are left out.
func FirstImagesByKey(ctx context.Context, tx store.Tx, keys []int64) (_ map[int64]catalog.Image, err error) {
	defer fault.AddContext(&err, "read the first images of %d products", len(keys))
	first := make(map[int64]catalog.Image, len(keys))
	err = tx.QueryRows(ctx, catalog.ImagesOfProductsSQL, write.KeyBatch(keys), func(rows database.Rows) error {
		key, im, err := catalog.ScanProductImage(rows)
		if _, has := first[key]; !has {
			first[key] = im
		}
		return err
	})
	return first, err
}

// firstImages returns the first image of each owner in the rows of a query by ids.
func firstImages[ID comparable](
	ctx context.Context, tx store.Tx, sql string, ids []ID,
) (map[ID]*catalog.Image, error) {
	first := make(map[ID]*catalog.Image, len(ids))
	return first, tx.QueryRows(ctx, sql, uniqueIDs(ids), func(rows database.Rows) error {
		var owner ID
		var im catalog.Image
		err := rows.Scan(&owner, &im.ID, &im.Format, &im.Opaque)
		if first[owner] == nil {
			first[owner] = &im
		}
		return err
	})
}

// uniqueIDs returns a batch of the ids, each once.
func uniqueIDs[ID comparable](ids []ID) *database.Batch {
	unique := make(map[ID]bool, len(ids))
	batch := database.NewBatch(database.UUID)
	for _, id := range ids {
		if !unique[id] {
			unique[id] = true
			batch.Add(id)
		}
	}
	return batch
}
