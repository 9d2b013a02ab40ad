package productapi

import (
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
)

// ReadProduct reads the body of a request that creates or edits a product. It ignores read-only members (the price
// span, available, the dates), so that a client may send back a product it has read.
func ReadProduct(r *wire.Reader) (e catalog.ProductEdit) {
	r.Object(func(name string) {
		switch name {
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		case "categories":
			e.Categories = wire.List(r, ReadRef[catalog.Category])
		case "canonical_category_id":
			if e.CanonicalCategory = new(catalog.CategoryID); !r.Null() {
				e.CanonicalCategory = wire.OrNil(wire.ID[catalog.Category](r))
			}
		case "features":
			e.Features = wire.List(r, func(r *wire.Reader) catalog.ValueRef { return readValueRef(r, catalog.Feature) })
		case "images":
			e.Images = wire.List(r, ReadRef[imagefile.Image])
		case "modifiers":
			e.Modifiers = wire.OrNil(catalog.ReadModifiers(r))
		case "variants":
			e.Variants = wire.List(r, readListedVariant)
		case "locks":
			e.Locks = readLocks(r)
		default:
			catalog.ProductScalars.ReadEdit(r, name, &e)
		}
	})

	return e
}

// ReadRef reads a reference to a resource: its id, or an object with the member id, which is the form in responses.
func ReadRef[Resource any](r *wire.Reader) (resourceID id.Of[Resource]) {
	if !r.IsObject() {
		resourceID, _ = wire.ID[Resource](r)
		return resourceID
	}
	r.ObjectWith(func(name string) {
		if name == "id" {
			resourceID, _ = wire.ID[Resource](r)
		}
	}, wire.Required{Member: "id", Message: "An id is needed here."})
	return resourceID
}

// readValueRef reads {feature_id, value_id} or {option_id, value_id}, or the form in responses: {id, value: {id}}.
func readValueRef(r *wire.Reader, kind catalog.Kind) (ref catalog.ValueRef) {
	// feature_id, option_id and value_id have precedence over id and value, whatever the order of the members.
	var written, read struct{ attribute, value bool }
	idMember := string(kind) + "_id"

	ok := r.Object(func(name string) {
		switch {
		case name == idMember:
			written.attribute = true
			ref.Attribute, _ = wire.ID[catalog.Attribute](r)
		case name == "value_id":
			written.value = true
			ref.Value, _ = wire.ID[catalog.Value](r)
		case name == "id" && !written.attribute:
			read.attribute = true
			ref.Attribute, _ = wire.ID[catalog.Attribute](r)
		case name == "value" && !written.value:
			r.Object(func(name string) {
				if name == "id" {
					read.value = true
					ref.Value, _ = wire.ID[catalog.Value](r)
				}
			})
		}
	})
	if !ok {
		return ref
	}

	if !written.attribute && !read.attribute {
		r.FailAt(idMember, "required", "The id of a %s is needed here.", kind.Noun())
	}

	if !written.value && !read.value {
		r.FailAt("value_id", "required", "The id of a value of that %s is needed here.", kind.Noun())
	}

	return ref
}

// readLocks reads the list of the members that pushes leave alone.
func readLocks(r *wire.Reader) *productfield.Set {
	var locks productfield.Set
	ok := r.Array(func(int) {
		word, read := r.String()
		if !read {
			return
		}
		one, known := productfield.Lockable.Find(word)
		if !known {
			r.Failf("unknown_lock", "This cannot be locked; use some of %s.", productfield.Lockable)
		}
		locks |= one
	})
	return wire.OrNil(locks, ok)
}
