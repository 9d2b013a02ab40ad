package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// References are the objects that a request refers to. Objects that the store does not have keep the key 0.
type References struct {
	Attributes map[AttributeID]KnownAttribute
	Values     map[ValueID]KnownValue
	Categories map[CategoryID]int64 // keys
	Stocks     map[StockID]int64    // keys
	PriceLists map[PriceListID]int64
	images     map[ImageID]LockedImage
	// assignedImages are the images that an earlier list of the request has assigned to a product or a variant.
	assignedImages map[ImageID]bool
}

type KnownAttribute struct {
	Key  int64
	Kind Kind
}

type KnownValue struct{ Key, AttributeKey int64 }

func NewReferences() *References {
	return &References{
		Attributes: map[AttributeID]KnownAttribute{}, Values: map[ValueID]KnownValue{},
		Categories: map[CategoryID]int64{}, Stocks: map[StockID]int64{}, PriceLists: map[PriceListID]int64{},
		assignedImages: map[ImageID]bool{},
	}
}

// lockReferences reads everything that edits refer to, with one query per table, and locks it against deletion until
// the transaction ends. Values are read after their attributes are locked: an edit of an attribute locks the
// attribute's row, so its values cannot change after that.
//
// Lock order: every writer locks these tables in this order, and the product last. The parameter present lists the
// images that the product has now; they are locked together with the new ones.
func lockReferences(ctx context.Context, tx store.Tx, present []ImageID, edits ...ProductEdit) (*References, error) {
	r := NewReferences()
	images := slices.Clone(present)
	for _, e := range edits {
		r.collect(e)
		images = append(images, write.OrEmpty(e.Images)...)
		for _, v := range write.OrEmpty(e.Variants) {
			images = append(images, write.OrEmpty(v.Images)...)
		}
	}

	if err := lockAttributes(ctx, tx, r.Attributes); err != nil {
		return nil, err
	}
	if err := findValues(ctx, tx, r.Values); err != nil {
		return nil, err
	}
	if err := lockCategories(ctx, tx, r.Categories); err != nil {
		return nil, err
	}

	if err := lockStocks(ctx, tx, r.Stocks); err != nil {
		return nil, err
	}
	if err := lockPriceLists(ctx, tx, r.PriceLists); err != nil {
		return nil, err
	}

	var err error
	r.images, err = LockImages(ctx, tx, DistinctIDs(images))
	return r, err
}

// collect adds the ids that an edit refers to. Their keys are 0 until they are looked up.
func (r *References) collect(e ProductEdit) {
	for _, c := range write.OrEmpty(e.Categories) {
		r.Categories[c] = 0
	}
	if c := e.CanonicalCategory; c != nil && *c != (CategoryID{}) {
		r.Categories[*c] = 0
	}

	r.collectValues(write.OrEmpty(e.Features))
	for _, v := range write.OrEmpty(e.Variants) {
		r.collectValues(write.OrEmpty(v.Options))
		for _, m := range write.OrEmpty(v.Remainders) {
			r.Stocks[m.Stock] = 0
		}
		for _, p := range write.OrEmpty(v.Prices) {
			r.PriceLists[p.List] = 0
		}
	}
}

func (r *References) collectValues(refs []ValueRef) {
	for _, ref := range refs {
		r.Attributes[ref.Attribute] = KnownAttribute{}
		r.Values[ref.Value] = KnownValue{}
	}
}

// DistinctIDs returns the ids of images, sorted and without duplicates.
func DistinctIDs(images []ImageID) []ImageID {
	return slices.Compact(write.SortedIDs(slices.Values(images)))
}

// valueKeysOf returns the keys of a list's i-th reference. If the reference is invalid, it adds a violation to wrong.
func (r *References) valueKeysOf(
	ref ValueRef, kind Kind, at rule.FieldPath, list string, i int, wrong *rule.Violations,
) ValueKeys {
	a, v := r.Attributes[ref.Attribute], r.Values[ref.Value]
	switch {
	case a.Key == 0:
		wrong.Add(at.Element(list, i).Member(string(kind)+"_id"), "unknown_"+string(kind),
			"There is no %s with this id in this store.", kind.Noun())
	case a.Kind != kind:
		wrong.Add(at.Element(list, i).Member(string(kind)+"_id"), "unknown_"+string(kind),
			"This is the id of a %s; a %s is expected.", a.Kind.Noun(), kind.Noun())
	case v.Key == 0 || v.AttributeKey != a.Key:
		wrong.Add(at.Element(list, i).Member("value_id"), "unknown_value", "This is not the id of a value of that %s.",
			kind.Noun())
	}
	return ValueKeys{a.Key, v.Key}
}

// featuresOf returns the keys of a product's features. A product may have several values of one feature.
func (r *References) featuresOf(list []ValueRef, at rule.FieldPath, wrong *rule.Violations) []ValueKeys {
	links := make([]ValueKeys, 0, len(list))
	first := write.NewFirstPositions[ValueRef](len(list))
	for i, ref := range list {
		if was, twice := first.Add(ref, i); twice {
			wrong.Add(string(at.Element("features", i)), "duplicate_value",
				"%s is the same value of the same feature; each may be named once.", at.Element("features", was))
			continue
		}
		links = append(links, r.valueKeysOf(ref, Feature, at, "features", i, wrong))
	}
	return links
}

// optionsOf returns the keys of a variant's options. A variant has at most one value of each option.
func (r *References) optionsOf(list []ValueRef, at rule.FieldPath, wrong *rule.Violations) []ValueKeys {
	links := make([]ValueKeys, 0, len(list))
	first := write.NewFirstPositions[AttributeID](len(list))
	for i, ref := range list {
		if was, twice := first.Add(ref.Attribute, i); twice {
			wrong.Add(at.Element("options", i).Member("option_id"), "duplicate_option",
				"%s is the same option; a variant has one value of each.", at.Element("options", was))
			continue
		}
		links = append(links, r.valueKeysOf(ref, Option, at, "options", i, wrong))
	}
	return links
}

// categoriesOf returns the keys of a product's categories.
func (r *References) categoriesOf(list []CategoryID, at rule.FieldPath, wrong *rule.Violations) []int64 {
	keys := make([]int64, 0, len(list))
	first := write.NewFirstPositions[CategoryID](len(list))
	for i, c := range list {
		if was, twice := first.Add(c, i); twice {
			wrong.Add(string(at.Element("categories", i)), "duplicate_category",
				"%s is the same category; each may be named once.", at.Element("categories", was))
			continue
		}
		if r.Categories[c] == 0 {
			wrong.Add(string(at.Element("categories", i)), "unknown_category",
				"There is no category with this id in this store.")
		}
		keys = append(keys, r.Categories[c])
	}
	return keys
}

// canonicalOf returns the key of the canonical category of the product that w writes, or 0 for the default. It is one
// of the categories that the product has after the write.
func (r *References) canonicalOf(w *ProductWrite, wrong *rule.Violations) int64 {
	sent := w.Edit.CanonicalCategory
	if sent == nil || *sent == (CategoryID{}) {
		return 0
	}

	key := r.Categories[*sent]
	_, isStored := w.StoredCategories[key]
	switch {
	case key == 0:
		wrong.Add(w.Path.Member("canonical_category_id"), "unknown_category",
			"There is no category with this id in this store.")
	case w.Edit.Categories != nil && !slices.Contains(w.categories, key), w.Edit.Categories == nil && !isStored:
		wrong.Add(w.Path.Member("canonical_category_id"), "not_in_category",
			"The product is not in this category; name one of its categories.")
	}
	return key
}

// imagesOf returns the keys of a product's images. An image has at most one owner. For a new product, productKey is 0.
func (r *References) imagesOf(list []ImageID, productKey int64, at rule.FieldPath, wrong *rule.Violations) []int64 {
	keys := make([]int64, 0, len(list))
	first := write.NewFirstPositions[ImageID](len(list))
	for i, image := range list {
		if was, twice := first.Add(image, i); twice {
			wrong.Add(string(at.Element("images", i)), "duplicate_image",
				"%s is the same image; each may be named once.", at.Element("images", was))
			continue
		}

		found, known := r.images[image]
		switch {
		case !known:
			wrong.Add(string(at.Element("images", i)), "unknown_image", "There is no image with this id in this store.")
		case found.ProductKey < 0:
			wrong.Add(string(at.Element("images", i)), "image_taken",
				"This image belongs to a category; upload it once more to have it here too.")
		case r.assignedImages[image], found.ProductKey != 0 && found.ProductKey != productKey:
			wrong.Add(string(at.Element("images", i)), "image_taken",
				"This image belongs to another product; upload it once more to have it here too.")
		case found.VariantKey != 0:
			wrong.Add(string(at.Element("images", i)), "image_taken",
				"This image belongs to a variant; upload it once more to have it here too.")
		}

		r.assignedImages[image] = true
		keys = append(keys, found.Key)
	}

	return keys
}

// variantImagesOf returns the images of a variant of the product that w writes: images that belong to nothing, which
// the variant owns from now on, its own, and those that the product has after the write. For a new variant, variantKey
// is 0.
func (r *References) variantImagesOf(
	list []ImageID, w *ProductWrite, variantKey int64, at rule.FieldPath, wrong *rule.Violations,
) []plannedImage {
	images := make([]plannedImage, 0, len(list))
	first := write.NewFirstPositions[ImageID](len(list))
	for i, image := range list {
		if was, twice := first.Add(image, i); twice {
			wrong.Add(string(at.Element("images", i)), "duplicate_image",
				"%s is the same image; each may be named once.", at.Element("images", was))
			continue
		}

		found, known := r.images[image]
		ofProduct := found.ProductKey != 0 && found.ProductKey == w.Product.Key && found.VariantKey == 0
		shared := ofProduct && w.Edit.Images == nil || known && slices.Contains(w.images, found.Key)
		free := found.ProductKey == 0 || ofProduct // one that the product loses becomes the variant's
		switch {
		case !known:
			wrong.Add(string(at.Element("images", i)), "unknown_image",
				"There is no image with this id in this store.")
		case shared:
		case free && !r.assignedImages[image]:
			r.assignedImages[image] = true
		case found.VariantKey == 0 || found.VariantKey != variantKey:
			wrong.Add(string(at.Element("images", i)), "image_taken",
				"This image belongs to another product or variant. Put it into the images of the product, so that its "+
					"variants can share it, or upload it once more.")
		}
		images = append(images, plannedImage{found.Key, shared})
	}
	return images
}

// remaindersOf returns the stock keys and quantities of a variant's remainders.
func (r *References) remaindersOf(list []RemainderEdit, at rule.FieldPath, wrong *rule.Violations) []StockQuantity {
	remainders := make([]StockQuantity, 0, len(list))
	first := write.NewFirstPositions[StockID](len(list))
	for i, m := range list {
		if was, twice := first.Add(m.Stock, i); twice {
			wrong.Add(at.Element("remainders", i).Member("stock_id"), "duplicate_stock",
				"%s is of the same stock; each may be named once.", at.Element("remainders", was))
			continue
		}
		if r.Stocks[m.Stock] == 0 {
			wrong.Add(at.Element("remainders", i).Member("stock_id"), "unknown_stock",
				"There is no stock with this id in this store.")
		}
		remainders = append(remainders, StockQuantity{r.Stocks[m.Stock], m.Quantity})
	}
	return remainders
}

// listPricesOf returns the prices of a variant in price lists. Each list and quantity may be named once.
func (r *References) listPricesOf(
	list []ListPriceEdit, at rule.FieldPath, wrong *rule.Violations,
) map[PriceStep]money.Price {
	prices := make(map[PriceStep]money.Price, len(list))
	first := write.NewFirstPositions[PriceStep](len(list))
	for i, p := range list {
		key := r.PriceLists[p.List]
		if key == 0 {
			unknown := store.UnknownPriceList()
			wrong.Add(at.Element("price_lists", i).Member("price_list_id"), unknown.Code, "%s", unknown.Message)
			key = -int64(i) - 1
		}

		step := PriceStep{key, p.FromQuantity}
		if was, twice := first.Add(step, i); twice {
			wrong.Add(string(at.Element("price_lists", i)), "duplicate_price",
				"%s has the same list and quantity; name each once.", at.Element("price_lists", was))
		}
		prices[step] = p.Price
	}
	return prices
}
