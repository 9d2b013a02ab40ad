package shopsearchui

import (
	"context"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

const (
	// previewedProducts is how many of the found products a page shows.
	previewedProducts = 8
	// maxPreviewBytes is how long a query may be, as for visitors.
	maxPreviewBytes = 1024
)

// foundList is what a search finds: the first products and the number of all.
type foundList struct {
	Products []view.ProductSummary
	Total    int64
	// Limited says that the search is not ready: it knows no synonyms and pins yet.
	Limited bool
}

// has reports whether a product is in the list.
func (f *foundList) has(p view.ProductSummary) bool {
	return slices.ContainsFunc(f.Products, func(other view.ProductSummary) bool { return other.Key == p.Key })
}

// find searches as the shop does, by relevance. It uses rules instead of those of the store, unless they are nil.
func (ui *UI) find(r *httpapi.Request, query string, rules *searchrule.Rules) (list foundList, err error) {
	if query == "" || len(query) > maxPreviewBytes {
		return list, nil
	}

	q := search.Query{Text: query, Sort: search.ByRelevance, Limit: previewedProducts, Rules: rules}
	err = frame.FindProducts(ui.Frame, r, ui.Search, q,
		func(ctx context.Context, tx store.Tx, found search.Result) (err error) {
			list.Total = found.Total
			list.Limited = found.Text != nil && found.Text.Limited
			list.Products, err = view.Summaries(ctx, tx, found.Keys)
			return err
		})
	return list, err
}

// readRules returns what the store tells its search.
func (ui *UI) readRules(r *httpapi.Request) (searchrule.Rules, error) {
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (searchrule.Rules, error) {
		return searchrule.Load(ctx, tx)
	})
}

// preview is what a query finds now and after a change of the rules.
type preview struct {
	Query     string
	Now, Then foundList
	Why       string // the address of the page that explains the order
}

// previewOf searches with the rules of the store and with others.
func (ui *UI) previewOf(r *httpapi.Request, query string, rules *searchrule.Rules) (p preview, err error) {
	p.Query = query
	p.Why = frame.Address(whyPath, "q", query)
	if p.Now, err = ui.find(r, query, nil); err != nil {
		return p, err
	}
	p.Then, err = ui.find(r, query, rules)
	return p, err
}

// IsNew reports whether a product is among the first ones only after the change.
func (p preview) IsNew(product view.ProductSummary) bool { return !p.Now.has(product) }

// IsSame reports whether the change leaves what the query finds as it is.
func (p preview) IsSame() bool {
	return p.Now.Total == p.Then.Total && slices.EqualFunc(p.Now.Products, p.Then.Products,
		func(a, b view.ProductSummary) bool { return a.Key == b.Key })
}
