package storeapi

import (
	"net/http"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
)

func (h productHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	page := r.Query.Page()
	with := readExtras(r, spec.ProductListExtras()...)
	query := productapi.ReadQuery(r)
	query.Archived = productapi.ReadArchived(r)
	if err := r.Err(); err != nil {
		return err
	}
	query.WithHighlights = with["highlights"]
	query.WithFacets, query.Limit, query.Offset = with["facets"], page.PerPage, page.Offset()
	query.Prices = r.Principal.Prices

	list := productcache.List{Page: page, Query: query, Parts: partsOf(with)}
	found := int64(-1)
	if isCountedSearch(r, page, query) {
		list.Report = func(total int64) { found = total }
	}
	err := h.cache.List(w, r, list)
	if found >= 0 && err == nil {
		h.searches.Record(r.Principal.Store, query.Text, found)
	}
	return err
}

// isCountedSearch reports whether a list is a search of a visitor, of which the first page counts.
func isCountedSearch(r *httpapi.Request, page httpapi.Page, query search.Query) bool {
	return r.Principal.Kind == access.PublishableKey && page.Offset() == 0 && strings.TrimSpace(query.Text) != ""
}

// partsOf returns the parts of products that a request asks for.
func partsOf(with httpapi.Extras) view.Parts {
	return view.Parts{
		Categories: with["categories"], Features: with["features"], Images: with["images"],
		Modifiers: with["modifiers"], Variants: with["variants"], Prices: with["variants"] && with["prices"],
		PriceLists: with["variants"] && with["price_lists"], Breadcrumbs: with["breadcrumbs"],
	}
}
