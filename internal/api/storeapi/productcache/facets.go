package productcache

import (
	"bytes"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// facetKey identifies the facets of a filter at a state of the store's catalogue. They do not depend on the page, the
// order and the parts of the products.
type facetKey struct {
	storeID      store.ID
	storeVersion int64 // changes with the language, which the names of field types depend on
	state        search.State
	filter       string
}

func newFacetKey(r *httpapi.Request, query search.Query, state search.State) facetKey {
	shop := &r.Principal.Store
	return facetKey{shop.ID, shop.Version, query.FilterState(state), query.FilterText()}
}

// facetsOf returns the cached facets of a query, as JSON.
func (t *productTier) facetsOf(r *httpapi.Request, query search.Query, state search.State) ([]byte, bool) {
	return t.facets.Get(newFacetKey(r, query, state))
}

// facetSize estimates the memory of facets and their key, in bytes. The fixed part of the key has 100 bytes.
func facetSize(key facetKey, facets []byte) int { return 100 + len(key.filter) + cap(facets) }

// putFacets caches a copy of the facets of a query, unless they are empty.
func (t *productTier) putFacets(r *httpapi.Request, query search.Query, state search.State, facets []byte) {
	if len(facets) > 0 {
		t.facets.Put(newFacetKey(r, query, state), bytes.Clone(facets))
	}
}

// renderFacets returns facets as JSON; nil for nil. The result is equal to the JSON of spec.Facets.
func renderFacets(f *search.Facets, language locale.Locale) []byte {
	if f == nil {
		return nil
	}

	b := append(make([]byte, 0, 4096), `{"features":[`...)
	for i := range f.Features {
		one := &f.Features[i]
		b = appendFacetHead(beginItem(b, i), one.ID, one.Name)
		b = append(b, `,"field_type":{"id":"`...)
		b = append(b, one.FieldType...)
		b = append(b, `","name":`...)
		b = wire.AppendString(b, language.Label("field_type."+string(one.FieldType)))
		b = append(b, `},"values":[`...)
		b = appendFacetValues(b, one.Values)
		b = append(b, `],"range":`...)
		b = appendRange(b, one.Range)
		b = append(b, '}')
	}

	b = append(b, `],"options":[`...)
	for i := range f.Options {
		b = appendFacetHead(beginItem(b, i), f.Options[i].ID, f.Options[i].Name)
		b = append(b, `,"values":[`...)
		b = appendFacetValues(b, f.Options[i].Values)
		b = append(b, "]}"...)
	}

	b = append(b, `],"categories":[`...)
	for i := range f.Categories {
		c := &f.Categories[i]
		b = append(beginItem(b, i), `{"id":"`...)
		b = c.ID.Append(b)
		b = wire.AppendString(append(b, `","name":`...), c.Name)
		b = c.Slug.AppendJSON(append(b, `,"slug":`...))
		b = strconv.AppendInt(append(b, `,"count":`...), c.Count, 10)
		b = append(b, '}')
	}

	b = append(b, `],"price":`...)
	if f.Price == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, `{"min":`...)
		b = appendMoney(b, &f.Price.Min)
		b = append(b, `,"max":`...)
		b = appendMoney(b, &f.Price.Max)
		b = append(b, '}')
	}

	return append(b, '}')
}

// beginItem appends the comma before each element of a list except the first.
func beginItem(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func appendFacetHead(b []byte, id catalog.AttributeID, name string) []byte {
	b = append(b, `{"id":"`...)
	b = id.Append(b)
	b = append(b, `","name":`...)
	return wire.AppendString(b, name)
}

func appendFacetValues(b []byte, values []search.ValueCount) []byte {
	for i := range values {
		v := &values[i]
		b = appendCount(beginItem(b, i), v.ID.Append, v.Name, v.Count)
	}
	return b
}

func appendCount(b []byte, appendID func([]byte) []byte, name string, count int64) []byte {
	b = append(b, `{"id":"`...)
	b = appendID(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, name)
	b = append(b, `,"count":`...)
	b = strconv.AppendInt(b, count, 10)
	return append(b, '}')
}

func appendRange(b []byte, r *search.Span[float64]) []byte {
	if r == nil {
		return append(b, "null"...)
	}
	b = append(b, `{"min":`...)
	b = strconv.AppendFloat(b, r.Min, 'f', -1, 64)
	b = append(b, `,"max":`...)
	b = strconv.AppendFloat(b, r.Max, 'f', -1, 64)
	return append(b, '}')
}
