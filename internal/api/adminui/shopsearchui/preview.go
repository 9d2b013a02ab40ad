package shopsearchui

import (
	"context"
	"slices"

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

// enoughProducts is how many products a search finds by itself when the search of the shop tries no synonyms.
const enoughProducts = 50

// synonymPreview is what a phrase finds now, and the first products that its synonyms add.
type synonymPreview struct {
	foundNow
	Added []view.ProductSummary
}

// withSynonyms returns what phrases find now and what they add to each other: in one way, to the first one only.
func withSynonyms(found []foundNow, oneWay bool) (list []synonymPreview) {
	for i, own := range found {
		p := synonymPreview{foundNow: own}

		for j, other := range found {
			if j == i || oneWay && i > 0 || own.Total >= enoughProducts {
				continue
			}
			for _, product := range other.Products {
				if len(own.Products)+len(p.Added) < previewedProducts && !has(own.Products, product) &&
					!has(p.Added, product) {
					p.Added = append(p.Added, product)
				}
			}
		}

		list = append(list, p)
	}
	return list
}

func has(list []view.ProductSummary, p view.ProductSummary) bool {
	return slices.ContainsFunc(list, func(other view.ProductSummary) bool { return other.Key == p.Key })
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
