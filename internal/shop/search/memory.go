package search

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// VersionsOf returns the versions that an earlier query has read.
func VersionsOf(v store.Versions) Versions {
	state := State{products: v.Products, categories: v.Categories, attributes: v.Attributes, changedAt: v.ChangedAt,
		search: v.Search, categoriesStamp: v.CategoriesStamp, attributesStamp: v.AttributesStamp,
		searchStamp: v.SearchStamp}
	return Versions{state, v.PrunedUpTo, v.SearchRules, v.RedirectsStamp}
}

// FindInMemory answers a query without the database. The columns must show the given state or a newer one, and the
// attributes, values and categories of the filter must have been looked up before; otherwise the result ok is false,
// and the caller uses Find. It returns the state that the columns show.
func (s *Service) FindInMemory(storeID store.ID, query Query, atLeast State) (found Result, state State, ok bool) {
	state, ok = findInMemory(s, storeID, query, atLeast,
		func(c *searchColumns, f *searchFilter, prices *priceColumn) { found = c.find(f, prices, query) })
	return found, state, ok
}

// findInMemory calls find with the columns, which must not change meanwhile, as FindInMemory says.
func findInMemory(
	s *Service, storeID store.ID, query Query, atLeast State,
	find func(c *searchColumns, f *searchFilter, prices *priceColumn),
) (state State, ok bool) {
	f, ok := s.filters.resolve(storeID, query, atLeast)
	if !ok {
		return State{}, false
	}
	idx := s.index(storeID)
	if idx.refreshing.Load() {
		return State{}, false
	}

	idx.mu.RLock()
	defer idx.mu.RUnlock()

	// The keys in the filter are valid only for its own versions of categories and attributes.
	if idx.cols == nil || idx.cols.state.OlderThan(atLeast) || !idx.cols.state.SameNames(atLeast) ||
		idx.cols.state.DivergedFrom(atLeast) {
		return State{}, false
	}

	prices := idx.cols.pricesFor(&query)
	if prices == nil {
		return State{}, false
	}

	prices.lastUse.Store(idx.lastUse.Load())
	s.counters.columns.Add(1)
	find(idx.cols, f, prices)
	return idx.cols.state, true
}

// filterCache has the categories, attributes and values that filters refer to, by id and version. They never change
// within a version.
type filterCache struct {
	categories *cache.Cache[filterKey[catalog.CategoryID], CategoryCount]
	attributes *cache.Cache[filterKey[catalog.AttributeID], attribute]
	values     *cache.Cache[filterKey[catalog.ValueID], namedValue]
}

// filterKey identifies an object of a store at a version of the store's categories or attributes.
type filterKey[ID comparable] struct {
	storeID store.ID
	version PartVersion
	id      ID
}

// filterCacheBytes is the memory of the cache for each kind of object, in bytes.
const filterCacheBytes = 1 << 20

func newFilterCache() *filterCache {
	return &filterCache{
		categories: cache.New(filterCacheBytes, func(_ filterKey[catalog.CategoryID], c CategoryCount) int {
			return 100 + len(c.Name) + len(c.Slug)
		}),
		attributes: cache.New(filterCacheBytes, func(_ filterKey[catalog.AttributeID], a attribute) int {
			return 150 + len(a.name)
		}),
		values: cache.New(filterCacheBytes, func(_ filterKey[catalog.ValueID], v namedValue) int {
			return 100 + len(v.name)
		}),
	}
}

// add adds what a query refers to and what was found of it at this state.
func (c *filterCache) add(storeID store.ID, state State, category *CategoryCount, named namedAttributes) {
	if category != nil {
		c.categories.Put(filterKey[catalog.CategoryID]{storeID, state.Categories(), category.ID}, *category)
	}
	for id, a := range named.attributes {
		c.attributes.Put(filterKey[catalog.AttributeID]{storeID, state.Attributes(), id}, a)
	}
	for id, v := range named.values {
		c.values.Put(filterKey[catalog.ValueID]{storeID, state.Attributes(), id}, v)
	}
}

// resolve is resolveSearchFilter without the database. The result ok is false if the cache does not have everything
// that the query refers to, which includes what does not exist, or if the query names products.
func (c *filterCache) resolve(storeID store.ID, query Query, state State) (_ *searchFilter, ok bool) {
	if query.namesProducts() || !query.isInColumns() {
		return nil, false
	}

	f := newSearchFilter(query)
	if query.Category != nil {
		category, ok := c.categories.Get(filterKey[catalog.CategoryID]{storeID, state.Categories(), *query.Category})
		if !ok {
			return nil, false
		}
		f.category = &category
	}

	named := newNamedAttributes()
	for _, list := range [][]Choice{query.Features, query.Options} {
		for _, choice := range list {
			a, ok := c.attributes.Get(filterKey[catalog.AttributeID]{storeID, state.Attributes(), choice.ID})
			if !ok {
				return nil, false
			}

			named.attributes[choice.ID] = a

			for _, id := range choice.Values {
				v, ok := c.values.Get(filterKey[catalog.ValueID]{storeID, state.Attributes(), id})
				if !ok {
					return nil, false
				}
				named.values[id] = v
			}
		}
	}

	var wrong []fault.Field
	f.setSelections(named, query, &wrong)
	return f, wrong == nil
}

// FilterText returns a text that is equal for queries that select the same products by the same prices, whatever their
// page and order.
// Queries with different texts may select the same products, too.
func (q *Query) FilterText() string {
	var b []byte
	if q.IDs != nil {
		b = fmt.Appendf(b, "ids%v", q.IDs)
	}

	if q.ExternalIDs != nil {
		b = fmt.Appendf(b, "external_ids%q", q.ExternalIDs)
	}

	if q.Barcode != "" {
		b = fmt.Appendf(b, "barcode%q", q.Barcode)
	}

	if q.Category != nil {
		b = fmt.Appendf(b, "category%s", q.Category)
	}

	b = strconv.AppendQuote(b, q.Text)
	b = appendBounds(b, q.PriceFrom, q.PriceTo)
	b = strconv.AppendBool(b, q.InStock)
	for _, list := range [][]Choice{q.Features, q.Options} {
		b = append(b, '[')
		for i := range list {
			c := &list[i]
			b = append(b, c.ID[:]...)
			b = binary.AppendUvarint(b, uint64(len(c.Values)))
			for _, v := range c.Values {
				b = append(b, v[:]...)
			}
			b = appendBounds(b, c.From, c.To)
		}

		b = append(b, ']')
	}

	b = strconv.AppendQuote(b, string(q.Prices))
	b = binary.AppendUvarint(b, uint64(q.Archived))
	b = binary.AppendUvarint(b, uint64(q.Origin))
	return string(b)
}

func appendBounds[T any](b []byte, from, to *T) []byte {
	for _, bound := range []*T{from, to} {
		b = append(b, '(')
		if bound != nil {
			b = fmt.Append(b, *bound)
		}
		b = append(b, ')')
	}
	return b
}
