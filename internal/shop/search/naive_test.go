package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/testkit/catalogtest"
)

// naiveFind computes the answer by testing each product, variant and value, one facet at a time.
func (m *modelStore) naiveFind(q Query) Result {
	stored := m.products
	defer func() { m.products = stored }()
	m.products = m.productsFor(q.Prices)

	var matched []catalogtest.Product
	for _, p := range m.products {
		if m.matches(p, q, exclusion{}) {
			matched = append(matched, p)
		}
	}

	order := m.naiveOrder(q.Sort)
	if q.Sort == ByKey {
		order = func(a, b catalogtest.Product) int { return cmp.Compare(naivePosition(a, q), naivePosition(b, q)) }
	}

	slices.SortStableFunc(matched, order)
	found := Result{Total: int64(len(matched))}
	for i := q.Offset; i < min(q.Offset+q.Limit, found.Total); i++ {
		found.Keys = append(found.Keys, matched[i].Key)
	}

	if q.WithFacets {
		found.Facets = m.naiveFacets(q)
	}

	return found
}

func (m *modelStore) naiveOrder(sort Sort) func(a, b catalogtest.Product) int {
	name := func(p catalogtest.Product) string { return strings.Join(naiveWords(p.Name), " ") }

	price := func(a, b catalogtest.Product, sign int) int {
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

	newest := func(a, b catalogtest.Product) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Key, a.Key))
	}

	// A begun piece is a whole one, and there are at most as many as fit into 32 bits.
	pieces := func(p catalogtest.Product) float64 {
		return min(math.Ceil(float64(m.ordered[p.ID])/1000), math.MaxUint32)
	}

	return map[Sort]func(a, b catalogtest.Product) int{
		ByKey:         func(_, _ catalogtest.Product) int { return 0 },
		ByName:        func(a, b catalogtest.Product) int { return strings.Compare(name(a), name(b)) },
		ByNameDesc:    func(a, b catalogtest.Product) int { return strings.Compare(name(b), name(a)) },
		ByPrice:       func(a, b catalogtest.Product) int { return price(a, b, 1) },
		ByPriceDesc:   func(a, b catalogtest.Product) int { return price(a, b, -1) },
		ByCreated:     func(a, b catalogtest.Product) int { return a.CreatedAt.Compare(b.CreatedAt) },
		ByCreatedDesc: newest,
		ByPopularity: func(a, b catalogtest.Product) int {
			return cmp.Or(cmp.Compare(pieces(b), pieces(a)), newest(a, b))
		},
	}[sort]
}

// naivePosition returns the position of a product among those that the query names, or 0 if it names none.
func naivePosition(p catalogtest.Product, q Query) int {
	switch {
	case q.IDs != nil:
		return slices.Index(q.IDs, p.ID)
	case q.ExternalIDs != nil:
		return slices.Index(q.ExternalIDs, *p.ExternalID)
	}
	return 0
}

func naiveWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' })
}

// matches reports whether a product passes all filters except the excluded one.
func (m *modelStore) matches(p catalogtest.Product, q Query, except exclusion) bool {
	switch {
	case q.Archived == catalog.Live && p.ArchivedAt != nil, q.Archived == catalog.OnlyArchived && p.ArchivedAt == nil:
		return false
	case q.IDs != nil && !slices.Contains(q.IDs, p.ID),
		q.ExternalIDs != nil && (p.ExternalID == nil || !slices.Contains(q.ExternalIDs, *p.ExternalID)):
		return false
	case q.Category != nil && !except.category && !m.inCategory(p, *q.Category), !m.textMatches(p, q.Text):
		return false
	}

	for _, c := range q.Features {
		if m.keyOf(c.ID) != except.attribute && !m.hasFeature(p, c) {
			return false
		}
	}

	if q.PriceFrom == nil && q.PriceTo == nil && !q.InStock && len(q.Options) == 0 {
		return true
	}

	return slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return m.variantMatches(v, q, except) })
}

func (m *modelStore) keyOf(id catalog.AttributeID) int64 {
	for _, a := range slices.Concat(m.features, m.options) {
		if a.ID == id {
			return a.Key
		}
	}
	return -1
}

func (m *modelStore) inCategory(p catalogtest.Product, root catalog.CategoryID) bool {
	for _, c := range p.Categories {
		if slices.Contains(m.ancestors(c.ID), root) {
			return true
		}
	}
	return false
}

// ancestors returns a category and all its ancestors.
func (m *modelStore) ancestors(id catalog.CategoryID) (list []catalog.CategoryID) {
	for at := &id; at != nil; {
		list = append(list, *at)
		i := slices.IndexFunc(m.categories, func(c catalog.Category) bool { return c.ID == *at })
		at = m.categories[i].ParentID
	}
	return list
}

func naiveTextMatches(p catalogtest.Product, text string) bool {
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

func (m *modelStore) hasFeature(p catalogtest.Product, c Choice) bool {
	byValue := len(c.Values) == 0
	byBounds := c.From == nil && c.To == nil
	for _, f := range p.Features {
		if f.AttributeID != c.ID {
			continue
		}
		byValue = byValue || slices.Contains(c.Values, f.Value.ID)
		if f.FieldType == catalog.Range {
			n := parseNumber(f.Value.Name)
			byBounds = byBounds || ((c.From == nil || n >= *c.From) && (c.To == nil || n <= *c.To))
		}
	}
	return byValue && byBounds
}

func parseNumber(name string) float64 {
	d, _ := money.ParseDecimal(name)
	return d.Float()
}

func (m *modelStore) variantMatches(v catalog.Variant, q Query, except exclusion) bool {
	price, priced := v.Price.Amount()
	if !except.price && ((q.PriceFrom != nil && (!priced || price < *q.PriceFrom)) ||
		(q.PriceTo != nil && (!priced || price > *q.PriceTo))) {
		return false
	}

	if q.InStock && v.Available != nil && *v.Available <= 0 {
		return false
	}

	for _, c := range q.Options {
		if m.keyOf(c.ID) == except.attribute {
			continue
		}
		if !slices.ContainsFunc(v.Options, func(o catalog.AttributeValue) bool {
			return o.AttributeID == c.ID && slices.Contains(c.Values, o.Value.ID)
		}) {
			return false
		}
	}

	return true
}

func (m *modelStore) naiveFacets(q Query) *Facets {
	f := &Facets{}
	for _, a := range m.features {
		if a.Filterable {
			f.Features = append(f.Features, m.naiveFacet(a, q, q.Features,
				func(p catalogtest.Product) (list []catalog.AttributeValue) {
					return p.Features
				})...)
		}
	}

	for _, a := range m.options {
		f.Options = append(f.Options, m.naiveFacet(a, q, q.Options,
			func(p catalogtest.Product) (list []catalog.AttributeValue) {
				for _, v := range p.Variants {
					if m.variantMatches(v, q, exclusion{attribute: a.Key}) {
						list = append(list, v.Options...)
					}
				}
				return list
			})...)
	}

	for _, c := range m.categories {
		n := int64(0)
		for _, p := range m.products {
			if m.matches(p, q, exclusion{category: true}) && m.inCategory(p, c.ID) {
				n++
			}
		}

		if n > 0 || (q.Category != nil && *q.Category == c.ID) {
			f.Categories = append(f.Categories, CategoryCount{ID: c.ID, Name: c.Name, Slug: c.Slug, Count: n})
		}
	}

	for _, p := range m.products {
		for _, v := range p.Variants {
			if m.matches(p, q, exclusion{price: true}) && m.variantMatches(v, q, exclusion{price: true}) {
				if price, ok := v.Price.Amount(); ok {
					f.Price = extendSpan(f.Price, price)
				}
			}
		}
	}

	return f
}

// naiveFacet returns one facet, or none if it would be empty.
func (m *modelStore) naiveFacet(
	a catalog.Attribute, q Query, chosen []Choice, carried func(catalogtest.Product) []catalog.AttributeValue,
) []Facet {
	facet := Facet{ID: a.ID, Name: a.Name, FieldType: a.FieldType}
	at := slices.IndexFunc(chosen, func(c Choice) bool { return c.ID == a.ID })
	for _, v := range m.values[a.ID] {
		n := int64(0)
		for _, p := range m.products {
			if m.matches(p, q, exclusion{attribute: a.Key}) && slices.ContainsFunc(carried(p),
				func(c catalog.AttributeValue) bool { return c.Value.ID == v.ID }) {
				n++
			}
		}

		switch {
		case a.FieldType == catalog.Range:
			if n > 0 {
				facet.Range = extendSpan(facet.Range, parseNumber(v.Name))
			}
		case n > 0 || (at >= 0 && slices.Contains(chosen[at].Values, v.ID)):
			facet.Values = append(facet.Values, ValueCount{ID: v.ID, Name: v.Name, Count: n})
		}
	}

	if len(facet.Values) == 0 && facet.Range == nil && at < 0 {
		return nil
	}

	return []Facet{facet}
}
