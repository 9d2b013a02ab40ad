package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/store"
)

// references are the things that a request names, as far as this store has them.
type references struct {
	attributes map[AttributeID]knownAttribute
	values     map[ValueID]knownValue
	categories map[CategoryID]int64 // keys
	stocks     map[StockID]int64    // keys
	images     map[ImageID]lockedImage
	// assignedImages are the images that a product of the request has got.
	assignedImages map[ImageID]bool
}

type knownAttribute struct {
	key  int64
	kind Kind
}

type knownValue struct{ key, attributeKey int64 }

// valueKeys is a value that something carries, by keys.
type valueKeys struct{ attribute, value int64 }

// lockReferences finds all that edits refer to, with one query a table, and keeps it from being removed until the transaction ends: who
// edits an attribute holds its row, so the values are read only once the row is ours. Whoever writes locks in this order, and the
// product after all of it; present are the images that it has now, which are locked together with those that are named.
func lockReferences(ctx context.Context, tx store.Tx, present []ImageID, edits ...ProductEdit) (*references, error) {
	r := &references{
		attributes: map[AttributeID]knownAttribute{}, values: map[ValueID]knownValue{},
		categories: map[CategoryID]int64{}, stocks: map[StockID]int64{}, assignedImages: map[ImageID]bool{},
	}
	images := slices.Clone(present)
	for _, e := range edits {
		r.collect(e)
		images = append(images, e.images()...)
	}
	if err := lockAttributes(ctx, tx, r.attributes); err != nil {
		return nil, err
	}
	if err := findValues(ctx, tx, r.values); err != nil {
		return nil, err
	}
	if err := lockCategories(ctx, tx, r.categories); err != nil {
		return nil, err
	}
	if err := lockStocks(ctx, tx, r.stocks); err != nil {
		return nil, err
	}
	var err error
	r.images, err = lockImages(ctx, tx, distinctImageIDs(images))
	return r, err
}

// collect makes room for what is looked up; a key of 0 stays with what is not found.
func (r *references) collect(e ProductEdit) {
	for _, c := range e.categories() {
		r.categories[c] = 0
	}
	for _, ref := range e.features() {
		r.collectValue(ref)
	}
	for _, v := range e.variants() {
		for _, ref := range v.options() {
			r.collectValue(ref)
		}
		for _, m := range v.remainders() {
			r.stocks[m.Stock] = 0
		}
	}
}

func (r *references) collectValue(ref ValueRef) {
	r.attributes[ref.Attribute] = knownAttribute{}
	r.values[ref.Value] = knownValue{}
}

func distinctImageIDs(ids []ImageID) []ImageID {
	seen := make(map[ImageID]bool, len(ids))
	for _, i := range ids {
		seen[i] = true
	}
	return sortedIDs(maps.Keys(seen))
}

// valueKeysOf turns a reference into keys, or notes at its place, the i-th of a list, what is wrong with it.
func (r *references) valueKeysOf(ref ValueRef, kind Kind, at fieldPath, list string, i int, wrong *breaches) valueKeys {
	a, v := r.attributes[ref.Attribute], r.values[ref.Value]
	switch {
	case a.key == 0:
		wrong.add(at.element(list, i).member(string(kind)+"_id"), "unknown_"+string(kind), "There is no %s with this id in this store.", kind.Noun())
	case a.kind != kind:
		wrong.add(at.element(list, i).member(string(kind)+"_id"), "unknown_"+string(kind), "This is the id of a %s; a %s is expected.", a.kind.Noun(), kind.Noun())
	case v.key == 0 || v.attributeKey != a.key:
		wrong.add(at.element(list, i).member("value_id"), "unknown_value", "This is not the id of a value of that %s.", kind.Noun())
	}
	return valueKeys{a.key, v.key}
}

// featuresOf turns the list of a product's features into keys. A product may have several values of one feature, each once.
func (r *references) featuresOf(list []ValueRef, at fieldPath, wrong *breaches) []valueKeys {
	links := make([]valueKeys, 0, len(list))
	first := newFirstPositions[ValueRef](len(list))
	for i, ref := range list {
		if was, twice := first.add(ref, i); twice {
			wrong.add(string(at.element("features", i)), "duplicate_value", "%s is the same value of the same feature; each may be named once.", at.element("features", was))
			continue
		}
		links = append(links, r.valueKeysOf(ref, Feature, at, "features", i, wrong))
	}
	return links
}

// optionsOf turns the list of a variant's options into keys. A variant has one value of an option.
func (r *references) optionsOf(list []ValueRef, at fieldPath, wrong *breaches) []valueKeys {
	links := make([]valueKeys, 0, len(list))
	first := newFirstPositions[AttributeID](len(list))
	for i, ref := range list {
		if was, twice := first.add(ref.Attribute, i); twice {
			wrong.add(at.element("options", i).member("option_id"), "duplicate_option", "%s is the same option; a variant has one value of each.", at.element("options", was))
			continue
		}
		links = append(links, r.valueKeysOf(ref, Option, at, "options", i, wrong))
	}
	return links
}

// categoriesOf turns the list of a product's categories into keys.
func (r *references) categoriesOf(list []CategoryID, at fieldPath, wrong *breaches) []int64 {
	keys := make([]int64, 0, len(list))
	first := newFirstPositions[CategoryID](len(list))
	for i, c := range list {
		if was, twice := first.add(c, i); twice {
			wrong.add(string(at.element("categories", i)), "duplicate_category", "%s is the same category; each may be named once.", at.element("categories", was))
			continue
		}
		if r.categories[c] == 0 {
			wrong.add(string(at.element("categories", i)), "unknown_category", "There is no category with this id in this store.")
		}
		keys = append(keys, r.categories[c])
	}
	return keys
}

// imagesOf turns the list of a product's images into keys. An image has one owner; productKey is 0 for a new product.
func (r *references) imagesOf(list []ImageID, productKey int64, at fieldPath, wrong *breaches) []int64 {
	keys := make([]int64, 0, len(list))
	first := newFirstPositions[ImageID](len(list))
	for i, image := range list {
		if was, twice := first.add(image, i); twice {
			wrong.add(string(at.element("images", i)), "duplicate_image", "%s is the same image; each may be named once.", at.element("images", was))
			continue
		}
		found, known := r.images[image]
		switch {
		case !known:
			wrong.add(string(at.element("images", i)), "unknown_image", "There is no image with this id in this store.")
		case r.assignedImages[image], found.productKey != 0 && found.productKey != productKey:
			wrong.add(string(at.element("images", i)), "image_taken", "This image belongs to another product; upload it once more to have it here too.")
		}
		r.assignedImages[image] = true
		keys = append(keys, found.key)
	}
	return keys
}

// remaindersOf turns the list of a variant's remainders into keys.
func (r *references) remaindersOf(list []RemainderEdit, at fieldPath, wrong *breaches) []stockQuantity {
	remainders := make([]stockQuantity, 0, len(list))
	first := newFirstPositions[StockID](len(list))
	for i, m := range list {
		if was, twice := first.add(m.Stock, i); twice {
			wrong.add(at.element("remainders", i).member("stock_id"), "duplicate_stock", "%s is of the same stock; each may be named once.", at.element("remainders", was))
			continue
		}
		if r.stocks[m.Stock] == 0 {
			wrong.add(at.element("remainders", i).member("stock_id"), "unknown_stock", "There is no stock with this id in this store.")
		}
		remainders = append(remainders, stockQuantity{r.stocks[m.Stock], m.Quantity})
	}
	return remainders
}
