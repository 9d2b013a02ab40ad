package push

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/store"
)

// An item of an export has all members. If none of them differs from what is stored, the item is Unchanged, even if it
// was never pushed or something else has changed since: so an export can be pushed to its own store. The same holds for
// the members that an item of a file has. Other items are compared by their digests only, since reading what is stored
// would slow down every push.

// keepsRows reports whether the write leaves the rows of the product and of its variants as they are.
func (w *pushWrite) keepsRows() bool {
	if w.Added || w.Before.ArchivedAt != nil || catalog.ProductScalars.Changed(&w.Product, &w.Before) != 0 {
		return false
	}
	if w.Plan == nil { // the item has no variants
		return true
	}
	return len(w.Plan.Archived) == 0 && !slices.ContainsFunc(w.Plan.Sent, func(p *catalog.PlannedVariant) bool {
		return p.Before == nil || p.RowChanged() || p.CombinationChanged()
	})
}

// dropUnchanged removes the writes of items that would change nothing, if they are of a file or have all members.
func (b *productPushes) dropUnchanged(ctx context.Context) error {
	same := map[int64]*pushWrite{}
	for _, w := range b.writes {
		if (w.push.IsWhole() || w.push.Compare) && w.keepsRows() {
			same[w.Product.Key] = w
		}
	}

	if len(same) == 0 {
		return nil
	}

	keys := make(map[int64]bool, len(same))
	for key := range same {
		keys[key] = true
	}

	exports := &export.Exports{Core: b.s.Core}
	err := exports.Products(ctx, b.tx, export.ProductSelection{Keys: write.SortedKeys(keys), OwnIDs: true},
		func(stored *export.ExportedProduct) error {
			if w := same[stored.Key]; stored.LeftOut || !equalsStored(w.push, stored, b.tx.StoreID()) {
				delete(same, stored.Key)
			}
			return nil
		})
	if err != nil {
		return err
	}

	b.writes = slices.DeleteFunc(b.writes, func(w *pushWrite) bool {
		if same[w.Product.Key] != w {
			return false
		}

		w.outcome.Outcome = Unchanged
		w.outcome.Key = w.Product.Key

		if w.push.Version != nil {
			b.raised[w.Product.Key] = *w.push.Version
		}

		w.outcome.Warnings = append(w.outcome.Warnings, w.warnings...)
		return true
	})

	return nil
}

// equalsStored reports whether the lists that the item has equal those of the stored product. The rows of the product
// and its variants are compared by keepsRows.
func equalsStored(p *catalog.ProductPush, stored *export.ExportedProduct, storeID store.ID) bool {
	if p.Categories != nil && !equalSets(*p.Categories, *stored.Categories, strings.Compare) ||
		p.CanonicalCategory != nil && *p.CanonicalCategory != *stored.CanonicalCategory ||
		p.Features != nil && !equalSets(*p.Features, *stored.Features, catalog.ReferencePush.Compare) ||
		p.Modifiers != nil && !equalJSON(modifier.WithIDs(*p.Modifiers), *stored.Modifiers) ||
		p.Images != nil && !leavesImages(p.Images, stored.Images, storeID) {
		return false
	}
	if p.Variants == nil {
		return true
	}
	if !p.KeepVariants && len(*p.Variants) != len(*stored.Variants) {
		return false
	}

	variants := make(map[string]*catalog.VariantPush, len(*stored.Variants))
	images := make(map[string][]export.ExportedImage, len(stored.VariantImages))
	for i := range *stored.Variants {
		id := (*stored.Variants)[i].ID
		variants[id] = &(*stored.Variants)[i]
		if stored.VariantImages != nil {
			images[id] = stored.VariantImages[i]
		}
	}

	for _, v := range *p.Variants {
		was := variants[v.ID]
		if was == nil || v.Images != nil && !leavesImages(v.Images, images[v.ID], storeID) ||
			v.Remainders != nil && !equalSets(*v.Remainders, *was.Remainders, catalog.StockedPush.Compare) ||
			!hasPrices(write.OrEmpty(was.Prices), write.OrEmpty(v.Prices)) {
			return false
		}
	}

	return true
}

// leavesImages reports whether a pushed list replaces images by themselves.
func leavesImages(images *catalog.ImagesPush, stored []export.ExportedImage, storeID store.ID) bool {
	return images.Mode == catalog.ReplaceImages && equalImages(images.List, stored, storeID)
}

// hasPrices reports whether the sorted stored prices in lists are as the pushed ones would make them.
func hasPrices(stored, sent []catalog.PricedPush) bool {
	for _, p := range sent {
		at, found := slices.BinarySearchFunc(stored, p, catalog.PricedPush.Compare)
		if found != p.Price.IsSet() || found && stored[at].Price != p.Price {
			return false
		}
	}
	return true
}

// equalSets reports whether a list has the elements of a sorted one, in any order.
func equalSets[T comparable](list, sorted []T, compare func(T, T) int) bool {
	if len(list) != len(sorted) {
		return false
	}
	if !slices.IsSortedFunc(list, compare) {
		list = slices.SortedFunc(slices.Values(list), compare)
	}
	return slices.Equal(list, sorted)
}

// equalJSON reports whether two texts are the same JSON but for white space.
func equalJSON(a, b string) bool {
	if a == b {
		return true
	}
	x, y := jsontext.Value(a).Clone(), jsontext.Value(b).Clone()
	if x.Compact(jsontext.PreserveRawStrings(true)) != nil || y.Compact(jsontext.PreserveRawStrings(true)) != nil {
		return false
	}
	return string(x) == string(y)
}

// equalImages reports whether a pushed list names the images of a product in their order.
func equalImages(list []catalog.ImagePush, stored []export.ExportedImage, storeID store.ID) bool {
	return slices.EqualFunc(list, stored, func(im catalog.ImagePush, was export.ExportedImage) bool {
		if was.URL != "" {
			return im.URL == was.URL
		}
		imageID, own := ownImage(im.URL, storeID)
		return own && imageID == was.ID
	})
}

// ownImage returns the image of the store that a URL is the address of, as in an export. The host is not compared: a
// store may have several names.
func ownImage(url string, storeID store.ID) (imageID catalog.ImageID, own bool) {
	_, path, found := strings.Cut(url, "/images/"+storeID.String()+"/")
	if !found {
		return imageID, false
	}
	text, _, _ := strings.Cut(path, "/")
	imageID, err := id.Parse[imagefile.Image](text)
	return imageID, err == nil
}
