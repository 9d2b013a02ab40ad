package shopsearchui

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// explainedProducts is how many products a page explains, and maxExplainedPage the last page.
const (
	explainedProducts = 20
	maxExplainedPage  = 50
)

// whyPage is the data of the page that says why products stand in the order in which a search shows them.
type whyPage struct {
	Tabs  []tab
	Q     string
	Asked bool
	Total int64
	// Understood says how the search took the query, a sentence each.
	Understood []string
	// Limited says that the search is not ready, so that there is no order to explain.
	Limited bool
	Rows    []whyRow
	Pager   frame.Pager
	// Synonym and Pin are the addresses of the forms for the query.
	Synonym, Pin string
}

// whyRow is a found product.
type whyRow struct {
	Number            int64
	ID, Name, Picture string
	// After says why the product comes after the one before it, or "" for the first one.
	After string
	Words []whyWord
	// Sum is the sum of the costs of the words, and Parts are the other parts of the rank, the most important first.
	Sum   int
	Parts []string
}

// whyWord says how a product matches a word.
type whyWord struct {
	Typed, How, By, Where string
	Cost                  int
}

func (ui *UI) whyView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Why this order", navItem, nil)
	b := &whyPage{Tabs: tabs(&v, whyPath), Q: strings.TrimSpace(r.Query.SearchText())}
	v.Body = b
	page := frame.PositiveParam(r, "page", maxExplainedPage)
	if err := r.Err(); err != nil || b.Q == "" {
		return v, err
	}

	b.Asked = true
	b.Synonym = frame.Address(entryPath, "word", b.Q)
	b.Pin = frame.Address(pinPath, "query", b.Q)

	// The last product of the page before says why the first one of this page comes after it.
	first := (max(page, 1) - 1) * explainedProducts
	q := search.Query{Text: b.Q, Sort: search.ByRelevance, Offset: max(0, first-1), Limit: explainedProducts,
		WithExplanation: true}
	q.Limit += first - q.Offset
	var found search.Result
	var products []view.ProductSummary
	err := frame.FindProducts(ui.Frame, r, ui.Search, q,
		func(ctx context.Context, tx store.Tx, result search.Result) (err error) {
			found = result
			products, err = view.Summaries(ctx, tx, found.Keys)
			return err
		})
	if err != nil {
		return v, err
	}

	b.fill(v.Language, found, products, int(first-q.Offset))
	b.addPager(first)
	return v, nil
}

// fill adds what was found: the products after those of the page before.
func (b *whyPage) fill(l *frame.Language, found search.Result, products []view.ProductSummary, before int) {
	b.Total = found.Total
	b.Limited = found.Text.Limited
	if b.Limited {
		return
	}

	b.Understood = understood(l, found.Text)
	byKey := map[int64]*view.ProductSummary{}
	for i := range products {
		byKey[products[i].Key] = &products[i]
	}

	for i := before; i < len(found.Text.Hits); i++ {
		hit := &found.Text.Hits[i]
		product := byKey[hit.Key]
		if product == nil {
			continue // deleted since the columns were refreshed
		}

		row := newWhyRow(l, hit, product)
		if i > 0 {
			row.After = whyAfter(l, &found.Text.Hits[i-1], hit)
		}
		b.Rows = append(b.Rows, row)
	}
}

func (b *whyPage) addPager(first int64) {
	for i := range b.Rows {
		b.Rows[i].Number = first + int64(i) + 1
	}
	page := first/explainedProducts + 1
	link := func(n int64) string { return frame.Address(whyPath, "q", b.Q, "page", strconv.FormatInt(n, 10)) }
	if page > 1 {
		b.Pager.Previous = link(page - 1)
	}
	if first+explainedProducts < min(b.Total, maxExplainedPage*explainedProducts) {
		b.Pager.Next = link(page + 1)
	}
}

// understood says how the search took a query.
func understood(l *frame.Language, t *search.TextResult) (list []string) {
	switch t.Matched {
	case search.MatchedNone:
		return nil
	case search.MatchedPartial:
		list = append(list, l.T("No product has all the words, so those with most of them are shown."))
	}
	if t.Corrected != "" {
		list = append(list, l.T("It was understood as “%s”.", t.Corrected))
	}
	if len(t.Dropped) > 0 {
		list = append(list, l.T("The first product does not have: %s.", strings.Join(t.Dropped, ", ")))
	}

	switch t.Stage {
	case search.MatchedForms:
		list = append(list, l.T("The words themselves and their other forms find enough; nothing weaker was tried."))
	case search.MatchedPrefix:
		list = append(list, l.T("Beginnings of words were tried, too; synonyms were not needed."))
	case search.MatchedSynonym:
		list = append(list, l.T("Beginnings of words and synonyms were tried, too."))
	default:
		list = append(list, l.T("Nothing was found as it was typed, so typing errors, the other keyboard layout and "+
			"the other script were tried."))
	}
	return list
}

func newWhyRow(l *frame.Language, h *search.Hit, p *view.ProductSummary) whyRow {
	row := whyRow{ID: p.ID.String(), Name: p.Name, Sum: h.Cost}
	if p.Image != nil {
		row.Picture = "/pictures/" + p.Image.ID.String() + "/" + p.Image.File(imagefile.Small)
	}
	for _, w := range h.Words {
		row.Words = append(row.Words, whyWord{w.Typed, howMatched(l, &w), strings.Join(w.By, ", "),
			whereMatched(l, w.Where), w.Cost})
	}

	if h.IsPinned {
		row.Parts = append(row.Parts, l.T("pinned to this search"))
	}
	if h.IsCode {
		row.Parts = append(row.Parts, l.T("the search is its SKU, barcode or external id"))
	}
	row.Parts = append(row.Parts, nearnessText(l, h))
	if h.Forms > 0 {
		row.Parts = append(row.Parts, l.Plural(h.Forms, "%d word in another form", "%d words in another form"))
	}
	if h.IsAvailable {
		row.Parts = append(row.Parts, l.T("in stock and for sale"))
	} else {
		row.Parts = append(row.Parts, l.T("out of stock or without a price"))
	}
	if h.Ordered > 0 {
		row.Parts = append(row.Parts, l.Plural(int(h.Ordered), "%d piece ordered in 90 days",
			"%d pieces ordered in 90 days"))
	}
	return row
}

// nearnessText says where the words stand in the name.
func nearnessText(l *frame.Language, h *search.Hit) string {
	switch {
	case !h.IsNamed():
		return l.T("none of the words is in the name")
	case h.Distance == 0:
		return l.T("at the beginning of the name")
	}
	return l.T("distance in the name %s", l.Number(h.Distance))
}

// howMatched says in which way a word matches.
func howMatched(l *frame.Language, w *search.WordHit) string {
	switch w.How {
	case search.WordExact:
		return l.T("the word itself")
	case search.WordForm:
		return l.T("another form of the word")
	case search.WordPrefix:
		return l.T("the beginning of a word")
	case search.WordSynonym:
		return l.T("synonym: %s", w.Read)
	case search.WordTypo:
		return l.T("typing error, read as “%s”", w.Read)
	case search.WordLayout:
		return l.T("other keyboard layout, read as “%s”", w.Read)
	case search.WordSound:
		return l.T("written as it sounds or in the other script, read as “%s”", w.Read)
	}

	if w.Optional {
		return l.T("not there; the word says little")
	}
	return l.T("not there")
}

// whereMatched names a field as shops do, or returns "".
func whereMatched(l *frame.Language, field search.Field) string {
	switch field {
	case search.InName:
		return l.T("name")
	case search.InCode:
		return l.T("SKU, barcode or external id")
	case search.InValues:
		return l.T("category, feature or option")
	case search.InDescription:
		return l.T("description")
	}
	return ""
}

// whyAfter says what puts a product after another one: the most important part of their ranks that differs.
func whyAfter(l *frame.Language, before, h *search.Hit) string {
	switch {
	case before.IsPinned && h.IsPinned:
		return l.T("the order of the pins")
	case before.IsPinned:
		return l.T("the one before it is pinned")
	case before.IsCode != h.IsCode:
		return l.T("the search is an SKU, a barcode or an external id of the one before it")
	case before.Cost != h.Cost:
		return l.T("its words cost more: %s instead of %s", l.Number(h.Cost), l.Number(before.Cost))
	case !h.IsNamed() && before.IsNamed():
		return l.T("the name of the one before it has the words")
	case before.Distance != h.Distance:
		return l.T("its words stand further from the beginning of the name or from each other: %s instead of %s",
			l.Number(h.Distance), l.Number(before.Distance))
	case before.Forms != h.Forms:
		return l.T("it has more words in another form")
	case before.IsAvailable != h.IsAvailable:
		return l.T("it is out of stock or without a price")
	case before.Ordered != h.Ordered:
		return l.T("the one before it is ordered more")
	}

	return l.T("the one before it is newer")
}
