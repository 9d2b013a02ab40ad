package item

import (
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The functions of this file append items as JSON, in the form in which they are pushed. Decoding the JSON returns the
// same content.

// AppendProduct appends a product. Members that are nil are left out.
func AppendProduct(b []byte, p *catalog.ProductPush) []byte {
	b = appendText(append(b, '{'), "id", p.ID)
	b = appendScalars(b, "", catalog.ProductScalars, p)
	b = appendList(b, "categories", p.Categories, func(b []byte, id string) []byte { return wire.AppendString(b, id) })
	switch c := p.CanonicalCategory; {
	case c == nil:
	case *c == "":
		b = append(appendName(b, "canonical_category"), "null"...)
	default:
		b = appendText(b, "canonical_category", *c)
	}
	b = appendList(b, "features", p.Features, appendReference)

	if p.Modifiers != nil {
		b = appendCompact(appendName(b, "modifiers"), *p.Modifiers)
	}

	b = appendImages(b, "", p.Images)

	switch {
	case p.Variants == nil:
	case p.Single:
		b = append(appendName(b, "single_variant"), "true"...)
		b = appendVariant(b, "variant_", &(*p.Variants)[0])
	default:
		b = appendList(b, "variants", p.Variants, func(b []byte, v catalog.VariantPush) []byte {
			b = appendText(append(b, '{'), "id", v.ID)
			return append(appendVariant(b, "", &v), '}')
		})
	}

	return append(b, '}')
}

// appendVariant appends the members of a variant other than its id. Their names begin with the prefix.
func appendVariant(b []byte, prefix string, v *catalog.VariantPush) []byte {
	b = appendScalars(b, prefix, catalog.VariantScalars, v)
	b = appendList(b, prefix+"options", v.Options, appendReference)
	b = appendList(b, prefix+"remainders", v.Remainders, func(b []byte, m catalog.StockedPush) []byte {
		b = appendText(append(b, '{'), "stock_id", m.Stock)
		return append(appendQuantity(b, m.Quantity), '}')
	})
	b = appendList(b, prefix+"prices", v.Prices, func(b []byte, p catalog.PricedPush) []byte {
		return append(appendListPrice(append(b, '{'), p.List, p.FromQuantity, p.Price), '}')
	})
	return appendImages(b, prefix, v.Images)
}

// appendImages appends a list of images with its mode, unless it is nil. The names of the members begin with the
// prefix.
func appendImages(b []byte, prefix string, images *catalog.ImagesPush) []byte {
	if images == nil {
		return b
	}
	b = appendText(b, prefix+"images_mode", string(images.Mode))
	return appendList(b, prefix+"images", &images.List, appendImage)
}

// appendScalars appends the scalars that the item has. Their names begin with the prefix.
func appendScalars[Row, Edit, Push any](
	b []byte, prefix string, scalars catalog.Scalars[Row, Edit, Push], p *Push,
) []byte {
	for i := range scalars {
		if m := &scalars[i]; m.IsSent(p) {
			b = m.AppendSent(appendName(b, prefix+m.Name), p)
		}
	}
	return b
}

func appendReference(b []byte, r catalog.ReferencePush) []byte {
	b = appendText(append(b, '{'), "id", r.Attribute)
	return append(appendText(b, "value_id", r.Value), '}')
}

func appendImage(b []byte, im catalog.ImagePush) []byte {
	if im.ID != "" {
		return append(appendText(append(b, '{'), "id", im.ID), '}')
	}
	return wire.AppendString(b, im.URL)
}

// appendCompact appends JSON without white space, so that it stands on one line.
func appendCompact(b []byte, text string) []byte {
	compact := jsontext.Value(text).Clone()
	// The text is JSON that was read strictly, so this cannot fail.
	_ = compact.Compact(jsontext.PreserveRawStrings(true))
	return append(b, compact...)
}

// AppendAttribute appends an option or a feature without its values and without the closing brace. AppendValue and
// AppendEnd append the rest.
func AppendAttribute(b []byte, p *catalog.AttributePush) []byte {
	b = appendText(append(b, '{'), "id", p.ID)
	b = appendOptional(b, "name", p.Name)
	if p.Filterable != nil {
		text := "false"
		if *p.Filterable {
			text = "true"
		}
		b = append(appendName(b, "filterable"), text...)
	}

	if p.FieldType != nil {
		b = appendText(b, "field_type", string(*p.FieldType))
	}

	if p.RangeType != nil {
		b = appendText(b, "range_type", string(*p.RangeType))
	}

	if len(p.Removed) > 0 {
		b = appendList(b, "removed_values", &p.Removed,
			func(b []byte, id string) []byte { return wire.AppendString(b, id) })
	}

	return append(appendName(b, "values"), '[')
}

// AppendValue appends the n-th value of an attribute, counted from 0.
func AppendValue(b []byte, n int, v catalog.ValuePush) []byte {
	if n > 0 {
		b = append(b, ',')
	}
	b = appendText(append(b, '{'), "id", v.ID)
	return append(appendText(b, "name", v.Name), '}')
}

// AppendEnd closes the list of values and the attribute.
func AppendEnd(b []byte) []byte { return append(b, ']', '}') }

// AppendCategory appends a category.
func AppendCategory(b []byte, p *catalog.CategoryPush) []byte {
	b = appendText(append(b, '{'), "id", p.ID)
	b = appendOptional(b, "name", p.Name)
	if p.Root {
		b = append(appendName(b, "parent_id"), "null"...)
	} else {
		b = appendOptional(b, "parent_id", p.Parent)
	}
	if p.Slug != nil {
		b = p.Slug.AppendJSON(appendName(b, "slug"))
	}
	if p.SEO != nil {
		b = p.SEO.AppendJSON(appendName(b, "seo"))
	}
	return append(appendOptional(b, "description", p.Description), '}')
}

// AppendStock appends a stock.
func AppendStock(b []byte, p *catalog.StockPush) []byte {
	b = appendText(append(b, '{'), "id", p.ID)
	return append(appendOptional(b, "name", p.Name), '}')
}

// AppendPriceList appends a price list.
func AppendPriceList(b []byte, p *catalog.PriceListPush) []byte {
	b = appendText(append(b, '{'), "id", p.ID)
	b = appendOptional(b, "name", p.Name)
	return append(appendOptional(b, "currency", p.Currency), '}')
}

// AppendPrice appends a price.
func AppendPrice(b []byte, p *catalog.PricePush) []byte {
	b = appendText(append(b, '{'), "variant_id", p.Variant)
	b = appendOptional(b, "product_id", p.Product)
	if p.List != "" {
		return append(appendListPrice(b, p.List, p.FromQuantity, p.Price), '}')
	}
	b = p.Price.AppendJSON(appendName(b, "price"))
	return append(b, '}')
}

// appendListPrice appends the members of a price in a price list.
func appendListPrice(b []byte, list string, from money.Quantity, price money.Price) []byte {
	b = appendText(b, "price_list_id", list)
	b = wire.AppendFixed(appendName(b, "from_quantity"), int64(from), money.QuantityDecimals)
	return price.AppendJSON(appendName(b, "price"))
}

// AppendRemainder appends a remainder.
func AppendRemainder(b []byte, p *catalog.RemainderPush) []byte {
	b = appendText(append(b, '{'), "variant_id", p.Variant)
	b = appendOptional(b, "product_id", p.Product)
	b = appendText(b, "stock_id", p.Stock)
	return append(appendQuantity(b, p.Quantity), '}')
}

// AppendMark appends an item that archives or deletes the thing with this id.
func AppendMark(b []byte, id string, mark catalog.Mark) []byte {
	b = appendText(append(b, '{'), "id", id)
	return append(append(appendName(b, string(mark)), "true"...), '}')
}

// appendName appends the name of a member, after a comma unless it is the first of its object.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendText(b []byte, name, text string) []byte {
	return wire.AppendString(appendName(b, name), text)
}

func appendOptional(b []byte, name string, text *string) []byte {
	if text == nil {
		return b
	}
	return appendText(b, name, *text)
}

func appendQuantity(b []byte, q money.Quantity) []byte {
	return wire.AppendFixed(appendName(b, "quantity"), int64(q), money.QuantityDecimals)
}

func appendList[T any](b []byte, name string, list *[]T, one func([]byte, T) []byte) []byte {
	if list == nil {
		return b
	}
	b = append(appendName(b, name), '[')
	for i, e := range *list {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, e)
	}
	return append(b, ']')
}
