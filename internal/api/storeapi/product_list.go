package storeapi

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/shop/catalog/view"
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
	return h.cache.List(w, r, productcache.List{Page: page, Query: query, Parts: partsOf(with)})
}

// partsOf returns the parts of products that a request asks for.
func partsOf(with httpapi.Extras) view.Parts {
	return view.Parts{
		Categories: with["categories"], Features: with["features"], Images: with["images"],
		Modifiers: with["modifiers"], Variants: with["variants"], Prices: with["variants"] && with["prices"],
		PriceLists: with["variants"] && with["price_lists"],
	}
}
