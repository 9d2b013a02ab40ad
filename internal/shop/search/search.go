package search

import (
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/slug"
)

// Query is a request for a list of products. Zero fields restrict nothing.
type Query struct {
	// IDs and ExternalIDs select products by name; nil restricts nothing. Unknown and repeated ones are ignored. If
	// Sort is ByKey, the list has the order of IDs or, without IDs, of ExternalIDs.
	IDs         []catalog.ProductID
	ExternalIDs []string
	// Barcode selects the products with a variant that has this barcode and is not archived, at most maxWithBarcode.
	Barcode string
	// Category selects the products of this category and its subtree.
	Category *catalog.CategoryID
	// Text is what people type: see API-2 of the contract and textPlan.
	Text string
	// WithHighlights requests Highlights for the names of the products that Text finds.
	WithHighlights bool
	// WithExplanation requests TextResult.Hits. Only the columns have them.
	WithExplanation bool
	// maxRanked is how many of the products that Text finds are put in order; 0 for all: see candidates.
	maxRanked int
	// Rules are tried out instead of those of the store, unless they are nil. Only the columns use rules.
	Rules *searchrule.Rules
	// PriceFrom and PriceTo are inclusive. One variant must satisfy PriceFrom, PriceTo, InStock and Options together.
	PriceFrom, PriceTo *money.Money
	InStock            bool
	Features, Options  []Choice
	Archived           catalog.Archived
	// Origin selects products by whether accounting pushes them. Only SQL answers it.
	Origin Origin
	Sort   Sort
	// Prices are the price lists of the reader. They decide the prices that the query filters, sorts and counts by.
	Prices pricing.Chain
	// WithFacets requests the facet counts beside the page.
	WithFacets bool
	// WithNavigation requests the products of all categories, for a query that restricts nothing.
	WithNavigation bool
	Limit, Offset  int64
}

// namesProducts reports whether the query names products, which only the database finds.
func (q *Query) namesProducts() bool { return q.IDs != nil || q.ExternalIDs != nil || q.Barcode != "" }

// OnlyIDs reports whether the query asks for the live products that IDs names, in that order and without facets.
func (q *Query) OnlyIDs() bool {
	return q.IDs != nil && q.ExternalIDs == nil && q.Barcode == "" && q.Category == nil && q.Text == "" &&
		q.PriceFrom == nil && q.PriceTo == nil && !q.InStock && len(q.Features)+len(q.Options) == 0 &&
		q.isInColumns() && q.Sort == ByKey && !q.WithFacets && !q.WithNavigation
}

// isInColumns reports whether the columns have what the query selects products by.
func (q *Query) isInColumns() bool { return q.Archived == catalog.Live && q.Origin == AnyOrigin }

// FilterState returns the state without what the selection of the products does not depend on, so that results can be
// cached by it. Only words depend on the version of the search.
func (q *Query) FilterState(state State) State {
	if q.Text == "" {
		return state.withoutSearch()
	}
	return state
}

// ListState is like FilterState for the selection and the order of the products.
func (q *Query) ListState(state State) State {
	if q.Sort == ByPopularity {
		return state
	}
	return q.FilterState(state)
}

// needsPrices reports whether the result depends on prices.
func (q *Query) needsPrices() bool {
	return q.PriceFrom != nil || q.PriceTo != nil || q.Sort == ByPrice || q.Sort == ByPriceDesc || q.WithFacets
}

// Origin selects products by where they come from.
type Origin int

// Pushed selects the products that a push has written, MadeHere the others, and AnyOrigin all.
const (
	AnyOrigin Origin = iota
	Pushed
	MadeHere
)

// Choice is the filter on one feature or option: by values, of which one must match, or by the bounds of a range.
type Choice struct {
	ID catalog.AttributeID
	// Field is the request parameter that names the attribute, for error messages.
	Field    string
	Values   []catalog.ValueID
	From, To *float64
}

// Sort is the order of a list. Ties are broken by row key, which for ByCreatedDesc is descending, too. ByPopularity has
// the most ordered products first; its ties have the order of ByCreatedDesc.
type Sort int

// The sort orders. Both orders by price put products without a price last.
const (
	ByKey Sort = iota
	ByName
	ByNameDesc
	ByPrice
	ByPriceDesc
	ByCreated
	ByCreatedDesc
	// ByRelevance is the order of a query with Text: how well products match it.
	ByRelevance
	ByPopularity
)

// Result is one page of row keys and the total number of matching products.
type Result struct {
	Keys   []int64
	Total  int64
	Facets *Facets // nil unless requested
	// Navigation is nil unless requested.
	Navigation Navigation
	// Text is how Query.Text was understood; nil without it.
	Text *TextResult
	// Newer reports that the columns may have been newer than the caller's snapshot.
	Newer bool
}

// Facets counts the matching products by category and by attribute value. The counts of a facet ignore the selection
// inside that facet and apply all other filters. Features, options and categories are sorted by row
// key, and values in the order of their attribute.
type Facets struct {
	Features   []Facet
	Options    []Facet
	Categories []CategoryCount
	// Price is the range of prices of the variants that match all filters except the price; nil if none does.
	Price *Span[money.Money]
}

// Facet is the facet of one feature or option.
type Facet struct {
	ID        catalog.AttributeID
	Name      string
	FieldType catalog.FieldType
	// Values lists the values with at least one product and the selected ones. It is empty for a feature of type range.
	Values []ValueCount
	// Range is the range of numbers of a feature of type range; nil if there are none.
	Range *Span[float64]
	key   int64
}

// ValueCount is the number of products that would match if the value were selected.
type ValueCount struct {
	ID       catalog.ValueID
	Name     string
	Count    int64
	key      int64
	position int64
}

// CategoryCount is the number of products in a category and its subtree.
type CategoryCount struct {
	ID    catalog.CategoryID
	Name  string
	Slug  slug.Slug
	Count int64
	key   int64
}

// Span is an inclusive range.
type Span[T any] struct{ Min, Max T }

// extendSpan returns the span extended to include v. A nil span is empty.
func extendSpan[T int64 | float64 | money.Money](span *Span[T], v T) *Span[T] {
	if span == nil {
		return &Span[T]{v, v}
	}
	span.Min = min(span.Min, v)
	span.Max = max(span.Max, v)
	return span
}
