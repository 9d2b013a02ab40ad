package search

import (
	"cmp"
	"slices"

	"vitrine/internal/shop/catalog"
)

// tally gathers the counts of facets, in any order, beside what is selected.
type tally struct {
	attributes map[int64]*counted
	categories map[int64]CategoryCount
	prices     *Span[catalog.Money]
}

// counted is a feature or an option being counted.
type counted struct {
	attribute
	values map[int64]ValueCount
	span   *Span[float64]
}

// newTally begins with what is selected: it is shown even where it counts nothing.
func newTally(f *filter) *tally {
	t := &tally{attributes: map[int64]*counted{}, categories: map[int64]CategoryCount{}}
	for _, list := range [][]choice{f.features, f.options} {
		for _, c := range list {
			to := t.of(c.attribute)
			if c.fieldType == catalog.Range {
				continue
			}
			for _, v := range c.values {
				to.values[v.key] = ValueCount{ID: v.id, Name: v.name, key: v.key}
			}
		}
	}
	if c := f.category; c != nil {
		t.categories[c.key] = CategoryCount{ID: c.id, Name: c.name, key: c.key}
	}
	return t
}

func (t *tally) of(a attribute) *counted {
	to := t.attributes[a.key]
	if to == nil {
		to = &counted{attribute: a, values: map[int64]ValueCount{}}
		t.attributes[a.key] = to
	}
	return to
}

func (t *tally) value(a attribute, v ValueCount) { t.of(a).values[v.key] = v }

func (t *tally) number(a attribute, n float64) {
	to := t.of(a)
	to.span = include(to.span, n)
}

func (t *tally) category(c CategoryCount) { t.categories[c.key] = c }

func (t *tally) span(least, most catalog.Money) { t.prices = include(include(t.prices, least), most) }

// facets brings the counts into their order.
func (t *tally) facets() *Facets {
	f := &Facets{Price: t.prices}
	for _, c := range t.attributes {
		one := Facet{ID: c.id, Name: c.name, FieldType: c.fieldType, Range: c.span, key: c.key, Values: make([]ValueCount, 0, len(c.values))}
		for _, v := range c.values {
			one.Values = append(one.Values, v)
		}
		slices.SortFunc(one.Values, func(a, b ValueCount) int { return cmp.Compare(a.key, b.key) })
		if c.kind == catalog.Option {
			f.Options = append(f.Options, one)
		} else {
			f.Features = append(f.Features, one)
		}
	}
	byKey := func(a, b Facet) int { return cmp.Compare(a.key, b.key) }
	slices.SortFunc(f.Features, byKey)
	slices.SortFunc(f.Options, byKey)
	for _, c := range t.categories {
		f.Categories = append(f.Categories, c)
	}
	slices.SortFunc(f.Categories, func(a, b CategoryCount) int { return cmp.Compare(a.key, b.key) })
	return f
}
