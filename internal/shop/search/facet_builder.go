package search

import (
	"cmp"
	"maps"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// facetBuilder collects facet counts, which may be added in any order.
type facetBuilder struct {
	attributes map[int64]*attributeFacet
	categories map[int64]CategoryCount
	prices     *Span[money.Money]
}

type attributeFacet struct {
	attribute
	values map[int64]ValueCount
	span   *Span[float64]
}

// newFacetBuilder returns a builder with the selection, which facets show even if no product matches.
func newFacetBuilder(f *searchFilter) *facetBuilder {
	b := &facetBuilder{attributes: map[int64]*attributeFacet{}, categories: map[int64]CategoryCount{}}
	for _, list := range [][]selection{f.features, f.options} {
		for _, c := range list {
			facet := b.attribute(c.attribute)
			if c.fieldType == catalog.Range {
				continue
			}
			for _, v := range c.values {
				facet.values[v.key] = ValueCount{ID: v.id, Name: v.name, key: v.key, position: v.position}
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

func (b *facetBuilder) addPrices(least, most money.Money) {
	b.prices = extendSpan(extendSpan(b.prices, least), most)
}

// build returns the facets, sorted by row key, and their values in the order of their attribute.
func (b *facetBuilder) build() *Facets {
	f := &Facets{Price: b.prices}
	for _, c := range b.attributes {
		facet := Facet{ID: c.id, Name: c.name, FieldType: c.fieldType, Range: c.span, key: c.key}
		facet.Values = slices.SortedFunc(maps.Values(c.values),
			func(x, y ValueCount) int {
				return cmp.Or(cmp.Compare(x.position, y.position), cmp.Compare(x.key, y.key))
			})
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

// facets converts the counts per set into counts per value and category.
func (s *searchScan) facets() *Facets {
	b := newFacetBuilder(s.f)
	s.addFeatureFacets(b)
	s.optionColumn.addMemberCounts(s.optionSetCounts, s.options.counts, nil)
	for member, n := range s.options.counts {
		if v, a := s.value(uint32(member)); n > 0 && a != nil && a.kind == catalog.Option {
			b.addValue(*a, ValueCount{v.id, v.name, n, s.c.values.keys[member], v.position})
		}
	}
	s.addCategoryFacet(b)
	if s.prices.least <= s.prices.most {
		b.addPrices(money.Money(s.prices.least), money.Money(s.prices.most))
	}
	return b.build()
}

// value returns the value with this member id and its attribute. The attribute is nil if either was deleted.
func (s *searchScan) value(member uint32) (*valueInfo, *attribute) {
	v := &s.c.values.byID[member]
	if v.deleted {
		return nil, nil
	}
	return v, s.c.attributes[v.attribute]
}

func (s *searchScan) addFeatureFacets(b *facetBuilder) {
	perValue := make([]int64, len(s.c.values.keys))
	for i, column := range s.c.features {
		column.addMemberCounts(s.featureCounts[i], perValue, nil)
	}

	for i := range s.conditions {
		if c := &s.conditions[i]; c.key != 0 {
			c.column.addMemberCounts(c.nearMisses, perValue,
				func(member uint32) bool { return s.c.values.byID[member].attribute == c.key })
		}
	}

	for member, n := range perValue {
		if n == 0 {
			continue
		}

		v, a := s.value(uint32(member))
		switch {
		case a == nil || !a.filterable:
		case a.fieldType == catalog.Range:
			b.addNumber(*a, v.number)
		default:
			b.addValue(*a, ValueCount{v.id, v.name, n, s.c.values.keys[member], v.position})
		}
	}
}

// addMemberCounts adds the count of each set to the counts of its members. If the function only is not nil, members for
// which it returns false are not counted.
func (c *setColumn) addMemberCounts(counts, perMember []int64, only func(member uint32) bool) {
	for code, n := range counts {
		if n == 0 {
			continue
		}
		for _, member := range c.of(uint32(code)) {
			if only == nil || only(member) {
				perMember[member] += n
			}
		}
	}
}

// addCategoryFacet adds the count of each category set to all its categories and their ancestors.
func (s *searchScan) addCategoryFacet(b *facetBuilder) {
	for i := range s.conditions {
		if c := &s.conditions[i]; c.key == 0 {
			for code, n := range c.nearMisses {
				s.categoryCounts[code] += n
			}
		}
	}

	counts := s.c.tree.newCounts()
	for code, n := range s.categoryCounts {
		if n == 0 {
			continue
		}
		for _, member := range s.c.categories.of(uint32(code)) {
			counts.add(member, int64(code)+1, n)
		}
	}

	counts.addTo(b)
}
