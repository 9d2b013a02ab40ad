package search

import (
	"cmp"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
)

// naive answers a query by looking at each product, variant and value, one facet at a time.
func (w *world) naive(q Query) Found {
	var matched []catalog.Product
	for _, p := range w.products {
		if w.matches(p, q, facet{}) {
			matched = append(matched, p)
		}
	}
	slices.SortStableFunc(matched, naiveOrder(q.Sort))
	found := Found{Total: int64(len(matched))}
	for i := q.Offset; i < min(q.Offset+q.Limit, found.Total); i++ {
		found.Keys = append(found.Keys, matched[i].Key)
	}
	if q.WithFacets {
		found.Facets = w.naiveFacets(q)
	}
	return found
}

func naiveOrder(sort Sort) func(a, b catalog.Product) int {
	name := func(p catalog.Product) string { return strings.Join(naiveWords(p.Name), " ") }
	price := func(a, b catalog.Product, sign int) int {
		switch {
		case a.PriceFrom == nil && b.PriceFrom == nil:
			return 0
		case a.PriceFrom == nil:
			return 1
		case b.PriceFrom == nil:
			return -1
		}
		return sign * cmp.Compare(*a.PriceFrom, *b.PriceFrom)
	}
	return map[Sort]func(a, b catalog.Product) int{
		ByMaking:    func(_, _ catalog.Product) int { return 0 },
		ByName:      func(a, b catalog.Product) int { return strings.Compare(name(a), name(b)) },
		ByNameDown:  func(a, b catalog.Product) int { return strings.Compare(name(b), name(a)) },
		ByPrice:     func(a, b catalog.Product) int { return price(a, b, 1) },
		ByPriceDown: func(a, b catalog.Product) int { return price(a, b, -1) },
		ByCreated:   func(a, b catalog.Product) int { return a.CreatedAt.Compare(b.CreatedAt) },
		ByCreatedDown: func(a, b catalog.Product) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Key, a.Key))
		},
	}[sort]
}

func naiveWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' })
}

// matches reports whether a product fits all but the selection of one facet.
func (w *world) matches(p catalog.Product, q Query, except facet) bool {
	switch {
	case q.Archived == catalog.Live && p.ArchivedAt != nil, q.Archived == catalog.OnlyArchived && p.ArchivedAt == nil:
		return false
	case q.Category != nil && !except.category && !w.inside(p, *q.Category), !naiveText(p, q.Text):
		return false
	}
	for _, c := range q.Features {
		if w.keyOf(c.ID) != except.attribute && !w.hasFeature(p, c) {
			return false
		}
	}
	if q.PriceFrom == nil && q.PriceTo == nil && !q.InStock && len(q.Options) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return w.variantMatches(v, q, except) })
}

func (w *world) keyOf(id catalog.AttributeID) int64 {
	for _, a := range slices.Concat(w.features, w.options) {
		if a.ID == id {
			return a.Key
		}
	}
	return -1
}

func (w *world) inside(p catalog.Product, root catalog.CategoryID) bool {
	for _, c := range p.Categories {
		if slices.Contains(w.ancestors(c.ID), root) {
			return true
		}
	}
	return false
}

// ancestors are a category and all above it.
func (w *world) ancestors(id catalog.CategoryID) (list []catalog.CategoryID) {
	for at := &id; at != nil; {
		list = append(list, *at)
		i := slices.IndexFunc(w.categories, func(c catalog.Category) bool { return c.ID == *at })
		at = w.categories[i].ParentID
	}
	return list
}

func naiveText(p catalog.Product, text string) bool {
	if text == "" {
		return true
	}
	have := naiveWords(p.Name)
	if p.ExternalID != nil {
		have = append(have, naiveWords(*p.ExternalID)...)
	}
	for _, v := range p.Variants {
		have = append(have, naiveWords(v.SKU)...)
	}
	asked := naiveWords(text)
	for _, word := range asked {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, word) }) {
			return false
		}
	}
	return len(asked) > 0
}

func (w *world) hasFeature(p catalog.Product, c Choice) bool {
	byValue, byBounds := len(c.Values) == 0, c.From == nil && c.To == nil
	for _, f := range p.Features {
		if f.AttributeID != c.ID {
			continue
		}
		byValue = byValue || slices.Contains(c.Values, f.Value.ID)
		if f.FieldType == catalog.Range {
			n := number(f.Value.Name)
			byBounds = byBounds || ((c.From == nil || n >= *c.From) && (c.To == nil || n <= *c.To))
		}
	}
	return byValue && byBounds
}

func number(name string) float64 {
	d, _ := catalog.ParseDecimal(name)
	return d.Float()
}

func (w *world) variantMatches(v catalog.Variant, q Query, except facet) bool {
	if !except.price && ((q.PriceFrom != nil && v.Price < *q.PriceFrom) || (q.PriceTo != nil && v.Price > *q.PriceTo)) {
		return false
	}
	if q.InStock && v.Available != nil && *v.Available <= 0 {
		return false
	}
	for _, c := range q.Options {
		if w.keyOf(c.ID) == except.attribute {
			continue
		}
		if !slices.ContainsFunc(v.Options, func(o catalog.Carried) bool { return o.AttributeID == c.ID && slices.Contains(c.Values, o.Value.ID) }) {
			return false
		}
	}
	return true
}

func (w *world) naiveFacets(q Query) *Facets {
	f := &Facets{}
	for _, a := range w.features {
		if a.Filterable {
			f.Features = append(f.Features, w.naiveFacet(a, q, q.Features, func(p catalog.Product) (list []catalog.Carried) {
				return p.Features
			})...)
		}
	}
	for _, a := range w.options {
		f.Options = append(f.Options, w.naiveFacet(a, q, q.Options, func(p catalog.Product) (list []catalog.Carried) {
			for _, v := range p.Variants {
				if w.variantMatches(v, q, facet{attribute: a.Key}) {
					list = append(list, v.Options...)
				}
			}
			return list
		})...)
	}
	for _, c := range w.categories {
		n := int64(0)
		for _, p := range w.products {
			if w.matches(p, q, facet{category: true}) && w.inside(p, c.ID) {
				n++
			}
		}
		if n > 0 || (q.Category != nil && *q.Category == c.ID) {
			f.Categories = append(f.Categories, CategoryCount{ID: c.ID, Name: c.Name, Count: n})
		}
	}
	for _, p := range w.products {
		for _, v := range p.Variants {
			if w.matches(p, q, facet{price: true}) && w.variantMatches(v, q, facet{price: true}) {
				f.Price = include(f.Price, v.Price)
			}
		}
	}
	return f
}

// naiveFacet is one facet, or none where there is nothing to show.
func (w *world) naiveFacet(a catalog.Attribute, q Query, chosen []Choice, carried func(catalog.Product) []catalog.Carried) []Facet {
	one := Facet{ID: a.ID, Name: a.Name, FieldType: a.FieldType}
	at := slices.IndexFunc(chosen, func(c Choice) bool { return c.ID == a.ID })
	for _, v := range w.values[a.ID] {
		n := int64(0)
		for _, p := range w.products {
			if w.matches(p, q, facet{attribute: a.Key}) && slices.ContainsFunc(carried(p), func(c catalog.Carried) bool { return c.Value.ID == v.ID }) {
				n++
			}
		}
		switch {
		case a.FieldType == catalog.Range:
			if n > 0 {
				one.Range = include(one.Range, number(v.Name))
			}
		case n > 0 || (at >= 0 && slices.Contains(chosen[at].Values, v.ID)):
			one.Values = append(one.Values, ValueCount{ID: v.ID, Name: v.Name, Count: n})
		}
	}
	if len(one.Values) == 0 && one.Range == nil && at < 0 {
		return nil
	}
	return []Facet{one}
}
