package search

import "vitrine/internal/shop/catalog"

// facets turns the counts by set into counts by value.
func (s *scan) facets() *Facets {
	t := newTally(s.f)
	s.tallyFeatures(t)
	s.c.bundle.spread(s.bundle, s.options.counts, nil)
	for member, n := range s.options.counts {
		if v, a := s.value(uint32(member)); n > 0 && a != nil && a.kind == catalog.Option {
			t.value(*a, s.valueCount(uint32(member), v, n))
		}
	}
	s.tallyCategories(t)
	if s.leastPrice <= s.mostPrice {
		t.span(catalog.Money(s.leastPrice), catalog.Money(s.mostPrice))
	}
	return t.facets()
}

// value returns a value with its attribute; nil if either was deleted.
func (s *scan) value(member uint32) (*value, *attribute) {
	v := &s.c.values.known[member]
	if v.missing {
		return nil, nil
	}
	return v, s.c.attributes[v.attribute]
}

func (s *scan) valueCount(member uint32, v *value, n int64) ValueCount {
	return ValueCount{ID: v.id, Name: v.name, Count: n, key: s.c.values.keys[member]}
}

func (s *scan) tallyFeatures(t *tally) {
	perValue := make([]int64, len(s.c.values.keys))
	for i, column := range s.c.features {
		column.spread(s.counts[i], perValue, nil)
	}
	for i := range s.conditions {
		if c := &s.conditions[i]; c.key != 0 {
			c.column.spread(c.missed, perValue, func(member uint32) bool { return s.c.values.known[member].attribute == c.key })
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
			t.number(*a, v.number)
		default:
			t.value(*a, s.valueCount(uint32(member), v, n))
		}
	}
}

// spread adds the count of each set to its members; only, if not nil, to those that it accepts.
func (c *column) spread(counts, perMember []int64, only func(member uint32) bool) {
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

// tallyCategories counts each set for all categories that it lies in.
func (s *scan) tallyCategories(t *tally) {
	for i := range s.conditions {
		if c := &s.conditions[i]; c.key == 0 {
			for code, n := range c.missed {
				s.category[code] += n
			}
		}
	}
	counts := s.c.tree.counter()
	for code, n := range s.category {
		if n == 0 {
			continue
		}
		for _, member := range s.c.category.of(uint32(code)) {
			counts.add(member, int64(code)+1, n)
		}
	}
	counts.tally(t)
}
