package search

import (
	"cmp"
	"maps"
	"slices"

	"vitrine/internal/shop/catalog"
)

// facetBuilder collects facet counts in any order and adds the selected values and the selected category.
type facetBuilder struct {
	attributes map[int64]*attributeFacet
	categories map[int64]CategoryCount
	prices     *Span[catalog.Money]
}

type attributeFacet struct {
	attribute
	values map[int64]ValueCount
	span   *Span[float64]
}

// newFacetBuilder returns a builder with the selection: facets show it even if no product matches.
func newFacetBuilder(f *filter) *facetBuilder {
	b := &facetBuilder{attributes: map[int64]*attributeFacet{}, categories: map[int64]CategoryCount{}}
	for _, list := range [][]selection{f.features, f.options} {
		for _, c := range list {
			facet := b.attribute(c.attribute)
			if c.fieldType == catalog.Range {
				continue
			}
			for _, v := range c.values {
				facet.values[v.key] = ValueCount{ID: v.id, Name: v.name, key: v.key}
			}
		}
	}
	if f.category != nil {
		b.categories[f.category.key] = *f.category
	}
	return b
}

func (b *facetBuilder) attribute(a attribute) *attributeFacet {
	facet := b.attributes[a.key]
	if facet == nil {
		facet = &attributeFacet{attribute: a, values: map[int64]ValueCount{}}
		b.attributes[a.key] = facet
	}
	return facet
}

func (b *facetBuilder) addValue(a attribute, v ValueCount) { b.attribute(a).values[v.key] = v }

func (b *facetBuilder) addNumber(a attribute, n float64) {
	facet := b.attribute(a)
	facet.span = extendSpan(facet.span, n)
}

func (b *facetBuilder) addPrices(least, most catalog.Money) {
	b.prices = extendSpan(extendSpan(b.prices, least), most)
}

// build returns the facets, sorted by row key.
func (b *facetBuilder) build() *Facets {
	f := &Facets{Price: b.prices}
	for _, c := range b.attributes {
		facet := Facet{ID: c.id, Name: c.name, FieldType: c.fieldType, Range: c.span, key: c.key}
		facet.Values = slices.SortedFunc(maps.Values(c.values),
			func(x, y ValueCount) int { return cmp.Compare(x.key, y.key) })
		if c.kind == catalog.Option {
			f.Options = append(f.Options, facet)
		} else {
			f.Features = append(f.Features, facet)
		}
	}
	byKey := func(x, y Facet) int { return cmp.Compare(x.key, y.key) }
	slices.SortFunc(f.Features, byKey)
	slices.SortFunc(f.Options, byKey)
	f.Categories = slices.SortedFunc(maps.Values(b.categories),
		func(x, y CategoryCount) int { return cmp.Compare(x.key, y.key) })
	return f
}
