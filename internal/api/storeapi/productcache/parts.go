package productcache

import (
	"bytes"
	"time"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/slug"
)

// productParts is a product as JSON, without what can change while the product does not: the names of what it refers
// to, the text of its dates, and the address of its images. Several requests share it, so it is never modified.
type productParts struct {
	state      search.State // of the snapshot on which the product was read
	id         catalog.ProductID
	name       string
	slug       slug.Slug
	summary    []byte // the members price and available, with a comma before each; a part of head
	version    int64
	parts      view.Parts // those that are filled
	archivedAt *time.Time
	createdAt  time.Time
	updatedAt  time.Time
	head       []byte // up to the value of archived_at
	locks      productfield.Set
	categories []categoryRef
	canonical  int64 // key of the category that was chosen as the canonical one, or 0
	features   []valueRef
	images     []catalog.Image
	modifiers  string
	variants   []variantParts
}

// variantParts is a variant, like productParts.
type variantParts struct {
	head       []byte // up to the first option
	options    []valueRef
	remainders []byte // the elements of the list
	images     []catalog.Image
	prices     []byte // the members prices and old_price; empty unless they were read
	priceLists []byte // the member price_lists; empty unless it was read
	archivedAt *time.Time
}

// categoryRef and valueRef refer to an entry of a nameTable. If the entry has another stamp, what the product refers to
// has been deleted.
type (
	categoryRef struct {
		key   int64
		stamp nameStamp
	}
	valueRef struct {
		catalog.ValueKeys
		stamp nameStamp
	}
)

// newProductParts renders a product of which these parts were read. The table has all names of the product. Links to
// what does not exist are left out.
func newProductParts(p *view.ProductRows, parts view.Parts, names *nameTable) *productParts {
	rendered := &productParts{
		id: p.ID, name: p.Name, slug: p.Slug, version: p.Version, parts: parts, archivedAt: p.ArchivedAt,
		createdAt: p.CreatedAt,
		updatedAt: p.UpdatedAt, head: appendProductHead(nil, &p.Product), locks: p.Locks,
		canonical: p.CanonicalKey, features: valueRefs(p.FeatureKeys, names),
		images: p.Images, modifiers: modifier.WithIDs(p.Modifiers), variants: make([]variantParts, len(p.Variants)),
	}
	rendered.summary = summaryOf(rendered.head)
	for _, key := range p.CategoryKeys {
		if c, _ := names.category(key); len(c.json) > 0 {
			rendered.categories = append(rendered.categories, categoryRef{key, c.stamp})
		}
	}

	for i := range p.Variants {
		v := &p.Variants[i]
		rendered.variants[i] = variantParts{head: appendVariantHead(nil, v), options: valueRefs(p.OptionKeys[i], names),
			remainders: appendRemainders(nil, v.Remainders), images: v.Images, archivedAt: v.ArchivedAt}
		if parts.Prices {
			rendered.variants[i].prices = AppendPrices(nil, p.Prices[i].Steps, p.Prices[i].Old)
		}
		if parts.PriceLists {
			rendered.variants[i].priceLists = AppendPriceLists(nil, p.AllPrices[i])
		}
	}

	return rendered
}

// valueRefs returns references to the values that exist.
func valueRefs(list []catalog.ValueKeys, names *nameTable) []valueRef {
	refs := make([]valueRef, 0, len(list))
	for _, keys := range list {
		if _, v, exists, _ := names.lookUp(keys); exists {
			refs = append(refs, valueRef{keys, v.stamp})
		}
	}
	return refs
}

// imageBytes is the memory of an image.
const imageBytes = 240

// bytes estimates the memory of the product.
func (p *productParts) bytes() int {
	n := 464 + len(p.name) + len(p.slug) + cap(p.head) + 16*cap(p.categories) + 24*cap(p.features) +
		imageBytes*cap(p.images) +
		len(p.modifiers)
	for i := range p.variants {
		v := &p.variants[i]
		n += 152 + cap(v.head) + 24*cap(v.options) + cap(v.remainders) + cap(v.prices) + imageBytes*cap(v.images)
	}
	return n
}

// addRefs adds what the product refers to in the parts.
func (p *productParts) addRefs(refs nameRefs, parts view.Parts) {
	if parts.Categories || parts.Breadcrumbs {
		for _, ref := range p.categories {
			refs.categories[ref.key] = true
		}
	}

	if parts.Features {
		for _, ref := range p.features {
			refs.values[ref.ValueKeys] = true
		}
	}

	if parts.Variants {
		for i := range p.variants {
			for _, ref := range p.variants[i].options {
				refs.values[ref.ValueKeys] = true
			}
		}
	}
}

// addRowRefs adds what a product refers to that has been read.
func addRowRefs(refs nameRefs, p *view.ProductRows) {
	for _, key := range p.CategoryKeys {
		refs.categories[key] = true
	}
	for _, list := range append(p.OptionKeys[:len(p.OptionKeys):len(p.OptionKeys)], p.FeatureKeys) {
		for _, keys := range list {
			refs.values[keys] = true
		}
	}
}

// allParts are the parts that the response of a single product has.
var allParts = view.Parts{Categories: true, Features: true, Images: true, Modifiers: true, Variants: true}

// appendProductHead appends a product up to the value of archived_at.
func appendProductHead(b []byte, p *catalog.Product) []byte {
	b = append(b, `{"id":"`...)
	b = p.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendStringOrNull(b, p.ExternalID)
	b = catalog.ProductScalars.AppendJSON(b, p)
	b = append(b, `,"price":{"from":`...)
	b = appendMoney(b, p.PriceFrom)
	b = append(b, `,"to":`...)
	b = appendMoney(b, p.PriceTo)
	b = append(b, `},"available":`...)
	b = appendQuantity(b, p.Available)
	return append(b, `,"archived_at":`...)
}

// summaryOf returns the members price and available of the head of a product.
func summaryOf(head []byte) []byte {
	from := bytes.LastIndex(head, []byte(`,"price":{"from":`))
	return head[from : len(head)-len(`,"archived_at":`)]
}

// appendLocks appends the member locks with the comma before it.
func appendLocks(b []byte, locks productfield.Set) []byte {
	b = append(b, `,"locks":[`...)
	for i, word := range locks.Words() {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, word)
	}
	return append(b, ']')
}

// appendVariantHead appends a variant up to its first option.
func appendVariantHead(b []byte, v *catalog.Variant) []byte {
	b = append(b, `{"id":"`...)
	b = v.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendStringOrNull(b, v.ExternalID)
	b = catalog.VariantScalars.AppendJSON(b, v)
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

func appendMoney(b []byte, m *money.Money) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(*m), money.MoneyDecimals)
}

func appendQuantity(b []byte, n *money.Quantity) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(*n), money.QuantityDecimals)
}

func appendStringOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return wire.AppendString(b, *s)
}
