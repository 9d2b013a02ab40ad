package push

import (
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
)

// lockedLists has what locked products of a batch have stored, to compare pushed lists with it, and the categories of
// products whose items name the canonical one of them. It is by product key.
type lockedLists struct {
	categories map[int64]catalog.CategoryMarks
	// awaitedCategories are the external ids of the categories that products wait for.
	awaitedCategories map[int64][]string
	features          map[int64]map[catalog.ValueKeys]bool
	galleries         map[catalog.ImageOwner]*galleryPush
	downloads         *catalog.DownloadQueue
	prices            catalog.ListPrices
}

// obeyLocks takes the locked members out of the item. A new product has no locks.
func (w *pushWrite) obeyLocks(stored *lockedLists, refs *pushReferences, images *pushedImages) {
	if w.Product.Locks == 0 {
		return
	}

	p := *w.push
	w.push = &p
	w.lockedPrices = stored.prices

	drop := func(m productfield.Set, sent, differs bool) bool {
		if !sent || !w.Product.Locks.Has(m) {
			return false
		}
		w.dropped |= m
		if differs {
			w.differing = append(w.differing, m.String())
		}
		return true
	}
	for _, m := range catalog.ProductScalars {
		if drop(m.Field, m.IsSent(&p), m.Differs(&p, &w.Product)) {
			m.Drop(&p)
		}
	}

	owner := catalog.ImageOwner{ProductKey: w.Product.Key}
	if drop(productfield.Images, p.Images != nil, stored.imagesDiffer(owner, p.Images, images)) {
		p.Images = nil
	}
	w.dropVariantImages(stored, images)

	if drop(productfield.Categories, namesCategories(&p), stored.categoriesDiffer(w, refs)) {
		p.Categories, p.CanonicalCategory = nil, nil
	}

	if drop(productfield.Features, p.Features != nil, stored.featuresDiffer(w, refs)) {
		p.Features = nil
	}
}

// dropVariantImages takes the images of variants out of the item, if images are locked. Of several variants whose
// images differ, the first is named.
func (w *pushWrite) dropVariantImages(stored *lockedLists, images *pushedImages) {
	if !w.Product.Locks.Has(productfield.Images) || w.push.Variants == nil {
		return
	}

	list := slices.Clone(*w.push.Variants)
	for i, was := range matchPushedVariants(w.Stored, w.push.Single, list) {
		sent := list[i].Images
		if list[i].Images = nil; sent == nil {
			continue
		}

		owner := catalog.ImageOwner{ProductKey: w.Product.Key}
		if was != nil {
			owner.VariantKey = was.Key
		}
		differs := was == nil && len(sent.List) > 0 || was != nil && stored.imagesDiffer(owner, sent, images)
		named := slices.ContainsFunc(w.differing, func(path string) bool { return strings.HasSuffix(path, "images") })
		if differs && !named {
			w.differing = append(w.differing, w.push.VariantMember(i, "images"))
		}
		w.dropped |= productfield.Images
	}
	w.push.Variants = &list
}

// dropLocked takes the locked members out of a pushed variant, such as its price. Of several variants whose pushed
// values differ, the first is named. i is the position in the item.
func (w *pushWrite) dropLocked(
	i int, was *catalog.StoredVariant, v *catalog.VariantPush, refs *pushReferences,
) {
	for _, m := range catalog.VariantScalars {
		if !w.Product.Locks.Has(m.Field) || !m.IsSent(v) {
			continue
		}
		if m.Differs(v, &was.Variant) && w.dropped&m.Field == 0 {
			w.dropped |= m.Field
			w.differing = append(w.differing, w.push.VariantMember(i, m.Name))
		}
		m.Drop(v)
	}

	if v.Prices == nil || !w.Product.Locks.Has(productfield.Price) {
		return
	}
	if w.dropped&productfield.Price == 0 && w.listPricesDiffer(was.Key, refs, *v.Prices) {
		w.dropped |= productfield.Price
		w.differing = append(w.differing, w.push.VariantMember(i, "prices"))
	}
	v.Prices = nil
}

// listPricesDiffer reports whether pushed prices in lists differ from the stored ones.
func (w *pushWrite) listPricesDiffer(variantKey int64, refs *pushReferences, sent []catalog.PricedPush) bool {
	return slices.ContainsFunc(sent, func(p catalog.PricedPush) bool {
		step := catalog.PriceStep{ListKey: refs.lists[p.List].key, FromQuantity: p.FromQuantity}
		return w.lockedPrices[catalog.VariantStep{Variant: variantKey, PriceStep: step}] != p.Price
	})
}

// warnOfLocked warns once of all locked members whose pushed values differ from the stored ones.
func (w *pushWrite) warnOfLocked() {
	if len(w.differing) == 0 {
		return
	}
	w.outcome.warn(w.differing[0], "locked",
		"The shop has locked this, so it stays as it is: %s.", strings.Join(w.differing, ", "))
}

// leavesNothing reports whether all that the item has was taken out of it, so that the stored product stays as it is.
func (w *pushWrite) leavesNothing() bool {
	p := w.push
	return w.dropped|p.NotOwned != 0 && !w.Added && w.Before.ArchivedAt == nil &&
		!catalog.ProductScalars.AnySent(p) && !namesCategories(p) && p.Features == nil && p.Modifiers == nil &&
		p.Images == nil && p.Variants == nil && p.GoodBarcodes == nil
}

// namesCategories reports whether the item has categories, or the canonical one of them.
func namesCategories(p *catalog.ProductPush) bool {
	return p.Categories != nil || p.CanonicalCategory != nil
}

// categoriesDiffer reports whether the pushed categories, or the canonical one, differ from what is stored. An unknown
// one differs.
func (l *lockedLists) categoriesDiffer(w *pushWrite, refs *pushReferences) bool {
	has := l.categories[w.Product.Key]
	if c := w.push.CanonicalCategory; c != nil && (has.Canonical() != refs.categories[*c].key ||
		*c != "" && refs.categories[*c].key == 0) {
		return true
	}
	if w.push.Categories == nil {
		return false
	}

	for _, c := range *w.push.Categories {
		if _, isIn := has[refs.categories[c].key]; !isIn {
			return true
		}
	}
	return len(*w.push.Categories) != len(has)
}

// featuresDiffer reports whether the pushed features differ from the stored ones. An unknown one differs.
func (l *lockedLists) featuresDiffer(w *pushWrite, refs *pushReferences) bool {
	has := l.features[w.Product.Key]
	sent := map[catalog.ValueKeys]bool{}
	for _, ref := range write.OrEmpty(w.push.Features) {
		a := refs.attributes[attributeName{catalog.Feature, ref.Attribute}].key
		v := catalog.ValueKeys{Attribute: a, Value: refs.values[valueName{a, ref.Value}].key}
		if v.Value == 0 || !has[v] {
			return true
		}
		sent[v] = true
	}
	return len(sent) != len(has)
}

// imagesDiffer reports whether pushed images would change those that the owner has. An image that cannot be used does
// not.
func (l *lockedLists) imagesDiffer(
	owner catalog.ImageOwner, push *catalog.ImagesPush, images *pushedImages,
) bool {
	g := l.galleries[owner]
	if push == nil {
		return false
	}
	if g == nil {
		g = newGalleryPush(nil, push, owner.ProductKey, owner.VariantKey, "")
	}

	sent := map[int64]bool{}
	for _, im := range push.List {
		if im.ID == "" {
			url, _, refused := l.downloads.CheckURL(im.URL)
			if refused != nil {
				continue
			}
			src := g.sources[url]
			if src == nil || src.ImageKey == 0 {
				return true
			}

			sent[src.ImageKey] = true
		} else if _, image, found := images.find(im.ID); found && image.ProductKey == 0 {
			return true
		} else if found && image.ProductKey == owner.ProductKey &&
			(image.VariantKey == 0 || image.VariantKey == owner.VariantKey) {
			if g.byKey[image.Key] == nil {
				return true
			}
			sent[image.Key] = true
		}
	}

	return push.Mode != catalog.AddImages && len(sent) != len(g.shown)
}
