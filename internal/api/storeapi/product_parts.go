package storeapi

import (
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// productParts is a product as JSON, without what can change while the product does not: the names of what it refers to,
// the text of its dates, and the address of its images. Several requests share it, so it is never modified.
type productParts struct {
	id         catalog.ProductID
	version    int64
	parts      catalog.Parts // those that are filled
	archivedAt *time.Time
	createdAt  time.Time
	updatedAt  time.Time
	head       []byte // up to the value of archived_at
	categories []int64
	features   []catalog.ValueKeys
	images     []catalog.Image
	modifiers  string
	variants   []variantParts
}

// variantParts is a variant, like productParts.
type variantParts struct {
	head       []byte // up to the first option
	options    []catalog.ValueKeys
	remainders []byte // the elements of the list
	archivedAt *time.Time
}

// newProductParts renders a product of which these parts were read.
func newProductParts(p *catalog.ProductRows, parts catalog.Parts) *productParts {
	rendered := &productParts{
		id: p.ID, version: p.Version, parts: parts, archivedAt: p.ArchivedAt, createdAt: p.CreatedAt,
		updatedAt: p.UpdatedAt, head: appendProductHead(nil, &p.Product), categories: p.CategoryKeys,
		features: p.FeatureKeys, images: p.Images, modifiers: p.Modifiers,
		variants: make([]variantParts, len(p.Variants)),
	}
	for i := range p.Variants {
		rendered.variants[i] = newVariantParts(&p.Variants[i], p.OptionKeys[i])
	}
	return rendered
}

func newVariantParts(v *catalog.Variant, options []catalog.ValueKeys) variantParts {
	return variantParts{head: appendVariantHead(nil, v), options: options,
		remainders: appendRemainders(nil, v.Remainders), archivedAt: v.ArchivedAt}
}

// bytes estimates the memory of the product.
func (p *productParts) bytes() int {
	n := 400 + cap(p.head) + 8*cap(p.categories) + 16*cap(p.features) + 160*cap(p.images) + len(p.modifiers)
	for i := range p.variants {
		v := &p.variants[i]
		n += 80 + cap(v.head) + 16*cap(v.options) + cap(v.remainders)
	}
	return n
}

// addRefs adds what the product refers to in the parts.
func (p *productParts) addRefs(refs nameRefs, parts catalog.Parts) {
	if parts.Categories {
		for _, key := range p.categories {
			refs.categories[key] = true
		}
	}
	if parts.Features {
		for _, keys := range p.features {
			refs.values[keys] = true
		}
	}
	if parts.Variants {
		for i := range p.variants {
			for _, keys := range p.variants[i].options {
				refs.values[keys] = true
			}
		}
	}
}

// partsOf returns the parts of products that a request asks for.
func partsOf(with httpapi.Extras) catalog.Parts {
	return catalog.Parts{
		Categories: with["categories"], Features: with["features"], Images: with["images"],
		Modifiers: with["modifiers"], Variants: with["variants"],
	}
}

// appendProductHead appends a product up to the value of archived_at.
func appendProductHead(b []byte, p *catalog.Product) []byte {
	b = append(b, `{"id":"`...)
	b = p.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendStringOrNull(b, p.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, p.Name)
	b = append(b, `,"description":`...)
	b = wire.AppendString(b, p.Description)
	b = append(b, `,"price":{"from":`...)
	b = appendMoney(b, p.PriceFrom)
	b = append(b, `,"to":`...)
	b = appendMoney(b, p.PriceTo)
	b = append(b, `},"available":`...)
	b = appendQuantity(b, p.Available)
	return append(b, `,"archived_at":`...)
}

// appendVariantHead appends a variant up to its first option.
func appendVariantHead(b []byte, v *catalog.Variant) []byte {
	b = append(b, `{"id":"`...)
	b = v.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendStringOrNull(b, v.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, v.Name)
	b = append(b, `,"sku":`...)
	b = wire.AppendString(b, v.SKU)
	b = append(b, `,"price":`...)
	b = appendMoney(b, &v.Price)
	b = append(b, `,"available":`...)
	b = appendQuantity(b, v.Available)
	return append(b, `,"options":[`...)
}

// appendRemainders appends the elements of a list of remainders.
func appendRemainders(b []byte, list []catalog.Remainder) []byte {
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"stock_id":"`...)
		b = list[i].StockID.Append(b)
		b = append(b, `","quantity":`...)
		b = appendQuantity(b, &list[i].Quantity)
		b = append(b, `,"reserved":`...)
		b = appendQuantity(b, &list[i].Reserved)
		b = append(b, '}')
	}
	return b
}

func appendMoney(b []byte, m *catalog.Money) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(*m), catalog.MoneyDecimals)
}

func appendQuantity(b []byte, n *catalog.Quantity) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(*n), catalog.QuantityDecimals)
}

func appendStringOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return wire.AppendString(b, *s)
}
