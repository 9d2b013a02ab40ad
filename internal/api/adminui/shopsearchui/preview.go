package shopsearchui

import (
	"context"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// previewedProducts is how many of the found products a page shows.
const previewedProducts = 8

// foundNow is what a search finds at present: the first products and the number of all.
type foundNow struct {
	Query    string
	Products []view.ProductSummary
	Total    int64
}

// find searches as the shop does, by relevance.
func (ui *UI) find(r *httpapi.Request, query string) (now foundNow, err error) {
	now.Query = query
	if len(query) > maxPreviewBytes {
		return now, nil
	}

	q := search.Query{Text: query, Sort: search.ByRelevance, Limit: previewedProducts}
	err = frame.FindProducts(ui.Frame, r, ui.Search, q,
		func(ctx context.Context, tx store.Tx, found search.Result) (err error) {
			now.Total = found.Total
			now.Products, err = view.Summaries(ctx, tx, found.Keys)
			return err
		})
	return now, err
}

// maxPreviewBytes is how long a query may be, as for visitors.
const maxPreviewBytes = 1024
