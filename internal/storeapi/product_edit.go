package storeapi

import (
	"io"
	"strings"
	"unicode/utf8"

	"vitrine/internal/catalog"
	"vitrine/internal/wire"
)

// readProduct reads the body of a create or an edit of a product. What a product is read with may be sent back: members that are
// not written (prices of the product, what is available, dates) are passed over.
func readProduct(body io.Reader) (catalog.ProductEdit, error) {
	var e catalog.ProductEdit
	r := wire.NewReader(body)
	err := r.Document(func(name string) {
		switch name {
		case "name":
			if s, ok := r.Name(); ok {
				e.Name = &s
			}
		case "description":
			e.Description = readDescription(r)
		case "external_id":
			e.ExternalID = readExternalID(r)
		case "features":
			list := []catalog.ValueRef{}
			if r.Array(func(int) { list = append(list, readValueRef(r, catalog.Feature)) }) {
				e.Features = &list
			}
		case "variants":
			list := []catalog.VariantEdit{}
			if r.Array(func(int) { list = append(list, readVariant(r)) }) {
				e.Variants = &list
			}
		}
	})
	return e, err
}

func readVariant(r *wire.Reader) catalog.VariantEdit {
	var v catalog.VariantEdit
	r.Object(func(name string) {
		switch name {
		case "id":
			i, ok := wire.ID[catalog.Variant](r)
			if v.ID = i; ok && i.IsZero() {
				r.Failf("unknown_variant", "This is not the id of a variant. Leave the id out to add a new variant.")
			}
		case "external_id":
			v.ExternalID = readExternalID(r)
		case "name":
			v.Name = readLabel(r)
		case "sku":
			v.SKU = readLabel(r)
		case "price":
			v.Price = readPrice(r)
		case "options":
			list := []catalog.ValueRef{}
			if r.Array(func(int) { list = append(list, readValueRef(r, catalog.Option)) }) {
				v.Options = &list
			}
		}
	})
	return v
}

// readValueRef reads {feature_id, value_id} or {option_id, value_id}, or the form in which they are read: {id, value: {id}}.
func readValueRef(r *wire.Reader, kind catalog.Kind) (ref catalog.ValueRef) {
	// The form that is written goes before the one that is read, in whichever order they come.
	var written, read struct{ attribute, value bool }
	long := string(kind) + "_id"
	ok := r.Object(func(name string) {
		switch {
		case name == long:
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
		r.FailAt(long, "required", "The id of a %s is needed here.", kind.Noun())
	}
	if !written.value && !read.value {
		r.FailAt("value_id", "required", "The id of a value of that %s is needed here.", kind.Noun())
	}
	return ref
}

// readExternalID reads an external id; null takes it away.
func readExternalID(r *wire.Reader) *string {
	if r.Null() {
		return new("")
	}
	if s, ok := r.ExternalID(); ok {
		return &s
	}
	return nil
}

func readDescription(r *wire.Reader) *string {
	if r.Null() {
		return new("")
	}
	if s, ok := r.Text(catalog.MaxDescription); ok {
		return &s
	}
	return nil
}

// readLabel reads what is like a name but may be empty: a string or a number, trimmed; null is empty.
func readLabel(r *wire.Reader) *string {
	if r.Null() {
		return new("")
	}
	s, ok := r.StringOrNumber()
	if !ok {
		return nil
	}
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n > wire.MaxName {
		r.Failf("too_long", "This has %d characters; at most %d are allowed.", n, wire.MaxName)
		return nil
	}
	return &s
}

func readPrice(r *wire.Reader) *catalog.Money {
	units, ok := r.Fixed(catalog.MoneyDecimals, catalog.MoneyDigits)
	if !ok {
		return nil
	}
	if units < 0 {
		r.Failf("out_of_range", "A price may not be negative.")
		return nil
	}
	return new(catalog.Money(units))
}
