package search

import "vitrine/internal/shop/catalog"

// facets converts the counts per set into counts per value and category.
func (s *scan) facets() *Facets {
	b := newFacetBuilder(s.f)
	s.addFeatureFacets(b)
	s.c.productOptions.addMemberCounts(s.optionSetCounts, s.options.counts, nil)
	for member, n := range s.options.counts {
		if v, a := s.value(uint32(member)); n > 0 && a != nil && a.kind == catalog.Option {
			b.addValue(*a, ValueCount{v.id, v.name, n, s.c.values.keys[member]})
		}
	}
	s.addCategoryFacet(b)
	if s.minPrice <= s.maxPrice {
		b.addPrices(catalog.Money(s.minPrice), catalog.Money(s.maxPrice))
	}
	return b.build()
}

// value returns the value with this member id and its attribute. The attribute is nil if either was deleted.
func (s *scan) value(member uint32) (*valueInfo, *attribute) {
	v := &s.c.values.byID[member]
	if v.deleted {
		return nil, nil
	}
	return v, s.c.attributes[v.attribute]
}

func (s *scan) addFeatureFacets(b *facetBuilder) {
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
			b.addValue(*a, ValueCount{v.id, v.name, n, s.c.values.keys[member]})
		}
	}
}

// addMemberCounts adds the count of each set to the counts of its members, or of those that only accepts.
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
func (s *scan) addCategoryFacet(b *facetBuilder) {
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
