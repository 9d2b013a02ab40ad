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
