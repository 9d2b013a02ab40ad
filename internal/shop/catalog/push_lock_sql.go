package catalog

import (
	"context"

	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
)

// readLocked reads the lists of the locked products that the items would replace. The products are locked for update.
func (b *productPushes) readLocked(ctx context.Context, products map[int64]*ProductWrite) (*lockedLists, error) {
	l := &lockedLists{categories: map[int64]map[int64]bool{}, features: map[int64]map[ValueKeys]bool{},
		galleries: map[int64]*galleryPush{}, downloads: b.s.downloads}
	var categories, features, images []int64
	for _, i := range b.changed {
		w, p := products[b.outcomes[i].Key], &b.items[i]
		if w == nil || w.Product.Locks == 0 {
			continue
		}
		if p.Categories != nil && w.Product.Locks.Has(productfield.Categories) {
			categories, l.categories[w.Product.Key] = append(categories, w.Product.Key), map[int64]bool{}
		}
		if p.Features != nil && w.Product.Locks.Has(productfield.Features) {
			features, l.features[w.Product.Key] = append(features, w.Product.Key), map[ValueKeys]bool{}
		}
		if p.Images != nil && w.Product.Locks.Has(productfield.Images) {
			images, l.galleries[w.Product.Key] = append(images, w.Product.Key), newGalleryPush(nil)
		}
	}
	err := b.tx.QueryRows(ctx, categoryKeysOfProductsSQL, write.KeyBatch(categories),
		write.EachPair(func(product, category int64) { l.categories[product][category] = true }))
	if err != nil {
		return nil, err
	}
	err = b.tx.QueryRows(ctx, ownedValuesOfProductsSQL, write.KeyBatch(features),
		write.EachTriple(func(product, attribute, value int64) { l.features[product][ValueKeys{attribute, value}] = true }))
	if err != nil {
		return nil, err
	}
	err = shownImages(ctx, b.tx, "", images, func(im shownImage) { l.galleries[im.productKey].addShown(im) })
	if err != nil {
		return nil, err
	}
	return l, sourcesOfProducts(ctx, b.tx, images, func(src imageSource) { l.galleries[src.productKey].addSource(src) })
}

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
)

// dropPendingOfLocked drops what pushes have left to be done for members that are locked from now on: references that
// wait for their targets, and downloads of images. The caller has locked the images of products that lock them.
func (ws *ProductWrites) dropPendingOfLocked(ctx context.Context) error {
	newlyLocked := func(m productfield.Set) (keys []int64) {
		for _, w := range ws.List {
			if !w.added && w.Product.Locks.Has(m) && !w.Before.Locks.Has(m) {
				keys = append(keys, w.Product.Key)
			}
		}
		return keys
	}
	if err := dropPending(ctx, ws.Tx, PendingCategory, newlyLocked(productfield.Categories)); err != nil {
		return err
	}
	if err := dropPending(ctx, ws.Tx, PendingFeature, newlyLocked(productfield.Features)); err != nil {
		return err
	}
	return write.ExecAll(ctx, ws.Tx,
		write.Statement{SQL: dropWaitingSourcesSQL, Batch: write.KeyBatch(newlyLocked(productfield.Images))},
		write.Statement{SQL: keepLeavingImagesSQL, Batch: write.KeyBatch(newlyLocked(productfield.Images))})
}
