// Package search lists products: filters, sorting, words and facets. It answers from columns in memory, one set a store, which it reads from
// SQL in the background and keeps current by the catalogue's sequence of changes. Until they are there, and for what they do not
// hold, SQL answers: it is the truth, and a test holds both against each other. The products themselves are the catalogue's.
package search

import (
	"vitrine/internal/shop/catalog"
)

// Query is what a list of products is asked for. Zero members ask for nothing.
type Query struct {
	// Category is one with its subtree.
	Category *catalog.CategoryID
	// Text must match by words: each begins some word of the name, a sku or the external id.
	Text string
	// PriceFrom and PriceTo are inclusive. Together with InStock and Options they hold on one and the same variant.
	PriceFrom, PriceTo *catalog.Money
	InStock            bool
	Features, Options  []Choice
	Archived           catalog.Archived
	Sort               Sort
	// WithFacets asks for the counts beside the page.
	WithFacets    bool
	Limit, Offset int64
}

// Choice is what a request says of one feature or option: values, of which one must be carried, or for a range feature bounds too.
type Choice struct {
	ID catalog.AttributeID
	// Place is how the request names the attribute, for the message that there is none.
	Place    string
	Values   []catalog.ValueID
	From, To *float64
}

// Sort is the order of a list; each ends in the order of the products' making, ByCreatedDown in the reverse of it.
type Sort int

// The orders. Products without a price come last in both orders by price.
const (
	ByMaking Sort = iota
	ByName
	ByNameDown
	ByPrice
	ByPriceDown
	ByCreated
	ByCreatedDown
)

// Found is a page of products, by their row keys, and how many there are in all.
type Found struct {
	Keys   []int64
	Total  int64
	Facets *Facets // nil unless asked for
	// Newer says that the answer may be of a later state than the snapshot.
	Newer bool
}

// Facets counts products by what they could be filtered with. The counts of a facet ignore the selection inside it and respect all others.
// Features, options, categories and values stand in the order of their making.
type Facets struct {
	Features   []Facet
	Options    []Facet
	Categories []CategoryCount
	// Price spans the variants that fit all filters but that of the price; nil without any.
	Price *Span[catalog.Money]
}

// Facet is one feature or option.
type Facet struct {
	ID        catalog.AttributeID
	Name      string
	FieldType catalog.FieldType
	// Values have at least one product, or are selected; empty for a range feature.
	Values []ValueCount
	// Range spans the numbers of a range feature; nil for others, and where no product has one.
	Range *Span[float64]
	key   int64
}

// ValueCount says how many products a value would leave.
type ValueCount struct {
	ID    catalog.ValueID
	Name  string
	Count int64
	key   int64
}

// CategoryCount says how many products a category and its subtree have.
type CategoryCount struct {
	ID    catalog.CategoryID
	Name  string
	Count int64
	key   int64
}

// Span is from the least to the greatest of something.
type Span[T any] struct{ Min, Max T }

// extendSpan widens a span, which may be nil, by an element.
func extendSpan[T int64 | float64 | catalog.Money](span *Span[T], v T) *Span[T] {
	if span == nil {
		return &Span[T]{v, v}
	}
	span.Min, span.Max = min(span.Min, v), max(span.Max, v)
	return span
}
