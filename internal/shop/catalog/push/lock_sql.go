package push

import (
	"context"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
)

// readLocked reads the lists of the locked products that the items would replace, and what planCanonical needs. The
// products are locked for update.
func (b *productPushes) readLocked(
	ctx context.Context, products map[int64]*catalog.ProductWrite, refs *pushReferences,
) (*lockedLists, error) {
	l := &lockedLists{features: map[int64]map[catalog.ValueKeys]bool{},
		galleries: map[catalog.ImageOwner]*galleryPush{}, downloads: b.s.Downloads}
	var categories, awaited, features, images []int64
	prices := map[catalog.VariantStep]bool{}
	for _, i := range b.changed {
		w := products[b.outcomes[i].Key]
		p := &b.items[i]
		if w == nil {
			continue
		}

		isLocked := w.Product.Locks.Has(productfield.Categories)
		namesOne := p.CanonicalCategory != nil && p.Categories == nil
		if namesOne || isLocked && p.Categories != nil {
			categories = append(categories, w.Product.Key)
		}
		if namesOne && !isLocked {
			awaited = append(awaited, w.Product.Key)
		}

		if p.Features != nil && w.Product.Locks.Has(productfield.Features) {
			features, l.features[w.Product.Key] = append(features, w.Product.Key), map[catalog.ValueKeys]bool{}
		}

		if len(imageLists(p)) > 0 && w.Product.Locks.Has(productfield.Images) {
			images = append(images, w.Product.Key)
		}

		if w.Product.Locks.Has(productfield.Price) {
			addListPrices(prices, w, p, refs)
		}
	}

	var err error
	if len(prices) > 0 {
		if l.prices, err = catalog.ReadListPrices(ctx, b.tx, prices); err != nil {
			return nil, err
		}
	}

	if l.categories, err = catalog.ReadCategories(ctx, b.tx, categories); err != nil {
		return nil, err
	}
	if l.awaitedCategories, err = catalog.ReadPendingCategories(ctx, b.tx, awaited); err != nil {
		return nil, err
	}

	err = b.tx.QueryRows(ctx, catalog.OwnedValuesOfProductsSQL, write.KeyBatch(features),
		write.EachTriple(func(product, attribute,
			value int64) {
			l.features[product][catalog.ValueKeys{Attribute: attribute, Value: value}] = true
		}))
	if err != nil {
		return nil, err
	}

	err = catalog.Galleries(ctx, b.tx, "", images,
		func(owner catalog.ImageOwner, im catalog.ShownImage) { l.gallery(owner).addShown(im) })
	if err != nil {
		return nil, err
	}

	return l, catalog.SourcesOfProducts(ctx, b.tx, images,
		func(src catalog.ImageSource) { l.gallery(src.Owner()).addSource(src) })
}

// gallery returns the images that an owner has.
func (l *lockedLists) gallery(owner catalog.ImageOwner) *galleryPush {
	if l.galleries[owner] == nil {
		l.galleries[owner] = newGalleryPush(nil, nil, owner.ProductKey, owner.VariantKey, "")
	}
	return l.galleries[owner]
}

// addListPrices adds the prices in lists that an item has for stored variants.
func addListPrices(
	prices map[catalog.VariantStep]bool, w *catalog.ProductWrite, p *catalog.ProductPush, refs *pushReferences,
) {
	sent := write.OrEmpty(p.Variants)
	for i, was := range matchPushedVariants(w.Stored, p.Single, sent) {
		if was == nil {
			continue
		}
		for _, priced := range write.OrEmpty(sent[i].Prices) {
			step := catalog.PriceStep{ListKey: refs.lists[priced.List].key, FromQuantity: priced.FromQuantity}
			prices[catalog.VariantStep{Variant: was.Key, PriceStep: step}] = true
		}
	}
}
