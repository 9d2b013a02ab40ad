package productui

import (
	"cmp"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/search"
)

const (
	// maxFacetValues is how many values of a facet are shown, the most frequent ones, unless the query parameter facet
	// names it. Then there are at most maxOpenValues.
	maxFacetValues = 8
	maxOpenValues  = 500
	// openFacets is the number of facets that are shown with their values. The others are links that open them.
	openFacets = 3
	// pagesAround is how many page numbers are shown on each side of the current one.
	pagesAround = 2
)

// productList is the data of the page with the list of products.
type productList struct {
	// Q, PriceFrom and the other texts are the query parameters as they were sent.
	Q, PriceFrom, PriceTo, InStock, Archived, Origin, Sort string
	// Hidden are the parameters that the form keeps although it has no fields for them: the values of facets.
	Hidden []parameter
	// Chips are the facet values that filter the list, each with the address of the list without it.
	Chips  []frame.Link
	Facets []facetView
	Rows   []productRow
	Total  int64
	// First and Last are the positions of the rows in the list.
	First, Last int64
	Pages       []pageLink
	Pager       frame.Pager
	// Filtered says that the list has a filter.
	Filtered bool
	Choice   frame.ColumnChoice
	Views    frame.Views
	// Selection is the query string that bulk changes of all products of the list get.
	Selection string
	path      string // of the page
	params    url.Values
	page      httpapi.Page
}

// chooseColumns reads the columns of the list of products from the query.
func (l *productList) chooseColumns(v *frame.View, r *httpapi.Request) {
	columns := frame.ReadColumns(r, []frame.Column{
		{Text: v.T("Name"), Sorts: []string{"name", "-name"}},
		{Name: "sku", Text: v.T("SKU")},
		{Name: "price", Text: v.T("Price"), Class: "number", Sorts: []string{"price", "-price"}},
		{Name: "stock", Text: v.T("Stock"), Class: "number"},
		{Name: "origin", Text: v.T("Comes from")},
	}, l.Sort, func(name, value string) string { return string(l.with(name, value)) })
	if l.params.Del("columns"); columns.Param() != "" {
		l.params.Set("columns", columns.Param())
	}

	l.Choice = frame.ColumnChoice{Columns: columns, Path: l.path}
}

// showView makes the links of the list keep its saved view.
func (l *productList) showView() {
	if l.params.Del("view"); l.Views.Param != "" {
		l.params.Set("view", l.Views.Param)
		l.Hidden = append(l.Hidden, parameter{"view", l.Views.Param})
	}
	l.Choice.Hidden = frame.HiddenParams(string(listURL(l.path, l.params)), "columns")
}

// Plain returns the address of the list without filters.
func (l *productList) Plain() string { return frame.Address(l.path, "view", l.Views.Param) }

type parameter struct{ Name, Value string }

// productRow is a product of the list. Picture is the path of a thumbnail or "".
type productRow struct {
	ID, Name, SKU, Picture string
	MoreVariants           int64
	Price                  string
	Stock                  string
	StockState             string // the code of a frame.State, or "" for plain text
	Archived, Draft        bool
	PushedAt               *frame.Timestamp
}

// pageLink is a page of the list. Gap says that page numbers before it are left out.
type pageLink struct {
	Number  int64
	URL     template.URL
	Current bool
	Gap     bool
}

// facetView is a facet of the list: categories, a feature or an option.
type facetView struct {
	Title  string
	Values []facetValue
	// More is the address of the list with all values of the facet, if some or all are left out.
	More template.URL
	Open bool
	// Range has the fields of a feature of type range; nil for other facets.
	Range *rangeFields
}

type facetValue struct {
	Name     string
	Count    int64
	URL      template.URL
	Selected bool
}

// rangeFields are the fields for the bounds of a range. The placeholders are the lowest and the highest number.
type rangeFields struct{ ID, FromName, From, Least, ToName, To, Most string }

// newProductList returns the list on the page with this path.
func newProductList(v *frame.View, path string, query search.Query, page httpapi.Page) *productList {
	params := v.URL.Query()
	productapi.BracketFilters(params)
	l := &productList{Q: query.Text, PriceFrom: params.Get("price[from]"), PriceTo: params.Get("price[to]"),
		InStock: params.Get("in_stock"), Archived: params.Get("archived"), Origin: params.Get("origin"),
		Sort: cmp.Or(params.Get("sort"), "-created_at"), path: path, params: params, page: page}
	for name, values := range params {
		if len(values) == 0 || !slices.ContainsFunc(values, func(text string) bool { return text != "" }) {
			delete(params, name)
		}
	}

	for _, name := range []string{"page", "facet", "column", "unfit"} {
		params.Del(name)
	}

	selection := cloneParams(params)
	selection.Del("per_page")
	selection.Del("columns")
	selection.Del("view")
	l.Selection = selection.Encode()
	selection.Del("sort")
	selection.Del("group")
	l.Filtered = len(selection) > 0

	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name == "category" || name == "columns" || isChoice(name) {
			for _, value := range params[name] {
				l.Hidden = append(l.Hidden, parameter{name, value})
			}
		}
	}

	return l
}

// isChoice reports whether the parameter selects a value of a feature or an option. The bounds of ranges have fields.
func isChoice(name string) bool {
	return (strings.HasPrefix(name, "features[") || strings.HasPrefix(name, "options[")) &&
		!strings.HasSuffix(name, "[from]") && !strings.HasSuffix(name, "[to]")
}

func cloneParams(params url.Values) url.Values {
	clone := make(url.Values, len(params))
	for name, values := range params {
		clone[name] = slices.Clone(values)
	}
	return clone
}

// listURL returns the address of a list with these parameters.
func listURL(path string, params url.Values) template.URL {
	if len(params) == 0 {
		return template.URL(path)
	}
	return template.URL(path + "?" + params.Encode()) // encoded, so it needs no further escaping
}

// with returns the address of the list with another value of a parameter; "" removes it.
func (l *productList) with(name, value string) template.URL {
	params := cloneParams(l.params)
	if value == "" {
		params.Del(name)
	} else {
		params.Set(name, value)
	}
	return listURL(l.path, params)
}

// toggle returns the address of the list with a value added to a parameter or, if the parameter has it, without it.
func (l *productList) toggle(name, value string) template.URL {
	params := cloneParams(l.params)
	if i := slices.Index(params[name], value); i >= 0 {
		params[name] = slices.Delete(params[name], i, i+1)
		if len(params[name]) == 0 {
			params.Del(name)
		}
	} else {
		params.Add(name, value)
	}
	return listURL(l.path, params)
}

// fill adds the result of the search, of which the page shows a number of products.
func (l *productList) fill(v *frame.View, found search.Result, shown int) {
	l.Total = found.Total
	l.First, l.Last = l.page.Offset()+1, l.page.Offset()+int64(shown)
	l.addPages()
	l.addFacets(v, found.Facets)
}

func newProductRow(v *frame.View, p *view.ProductSummary) productRow {
	row := productRow{ID: p.ID.String(), Name: p.Name, SKU: p.SKU, Picture: picturePath(p.Image, imagefile.Small),
		MoreVariants: max(0, p.VariantCount-1), Archived: p.ArchivedAt != nil,
		Draft: p.Draft}
	if p.PushedAt != nil {
		row.PushedAt = new(v.Timestamp(*p.PushedAt))
	}

	row.Stock, row.StockState = stockText(v, &p.Product)
	row.Price = priceText(v, &p.Product)
	return row
}

// stockText returns what is available of a product, and the code of a frame.State, or "" for plain text.
func stockText(v *frame.View, p *catalog.Product) (text, state string) {
	switch {
	case p.VariantCount == 0:
		return v.T("No variants"), "warn"
	case p.Available == nil:
		return v.T("Not counted"), ""
	case *p.Available == 0:
		return v.T("Sold out"), "bad"
	}
	return v.Decimal(*p.Available), ""
}

// priceText returns the prices of a product, "" for a product without variants.
func priceText(v *frame.View, p *catalog.Product) string {
	switch {
	case p.PriceFrom == nil && p.VariantCount == 0:
		return ""
	case p.PriceFrom == nil:
		return v.T("Not for sale")
	}

	from := v.Money(*p.PriceFrom, v.Store.Currency)
	if *p.PriceTo == *p.PriceFrom {
		return from
	}
	return v.T("%s to %s", from, v.Money(*p.PriceTo, v.Store.Currency))
}

// addPages adds the links to the first, the last and the nearest pages.
func (l *productList) addPages() {
	last := max(1, (l.Total+l.page.PerPage-1)/l.page.PerPage)
	if last == 1 {
		return
	}

	before := int64(0)
	for n := int64(1); n <= last; n++ {
		near := n >= l.page.Number-pagesAround && n <= l.page.Number+pagesAround
		if !near && n != 1 && n != last {
			if n < l.page.Number { // the first page of the nearest ones comes next
				n = max(n, min(l.page.Number-pagesAround, last)-1)
			} else {
				n = last - 1
			}
			continue
		}

		l.Pages = append(l.Pages, pageLink{Number: n, URL: l.pageURL(n), Current: n == l.page.Number,
			Gap: n > before+1})
		before = n
	}

	if l.page.Number > 1 {
		l.Pager.Previous = string(l.pageURL(min(l.page.Number-1, last)))
	}

	if l.page.Number < last {
		l.Pager.Next = string(l.pageURL(l.page.Number + 1))
	}
}

func (l *productList) pageURL(n int64) template.URL {
	if n == 1 {
		return listURL(l.path, l.params)
	}
	return l.with("page", strconv.FormatInt(n, 10))
}

// addFacets adds the facets and the chips of their selected values.
func (l *productList) addFacets(v *frame.View, f *search.Facets) {
	if f == nil {
		return
	}

	open := v.URL.Query().Get("facet")
	categories := make([]facetValue, 0, len(f.Categories))
	for i := range f.Categories {
		c := &f.Categories[i]
		value := facetValue{Name: c.Name, Count: c.Count, Selected: l.params.Get("category") == c.ID.String()}
		if value.URL = l.with("category", c.ID.String()); value.Selected {
			value.URL = l.with("category", "")
		}
		categories = append(categories, value)
	}

	l.addFacet(v.T("Category"), "categories", open, categories)

	for i := range f.Features {
		one := &f.Features[i]
		if one.FieldType == catalog.Range {
			l.addRange(one)
			continue
		}
		l.addValues(one, "features["+one.ID.String()+"][]", open)
	}

	for i := range f.Options {
		l.addValues(&f.Options[i], "options["+f.Options[i].ID.String()+"][]", open)
	}
}

// addValues adds the facet of an attribute. Links are made only for the values that are shown: there may be thousands.
func (l *productList) addValues(one *search.Facet, param, open string) {
	selected := make(map[string]bool, len(l.params[param]))
	for _, value := range l.params[param] {
		selected[value] = true
	}

	shown := maxFacetValues
	switch {
	case open == one.ID.String():
		shown = maxOpenValues
	case len(one.Values) == 0:
		return
	case len(selected) == 0 && len(l.Facets) >= openFacets:
		l.Facets = append(l.Facets, facetView{Title: one.Name, More: l.with("facet", one.ID.String())})
		return
	}

	values := slices.Clone(one.Values)
	slices.SortStableFunc(values, func(a, b search.ValueCount) int { return cmp.Compare(b.Count, a.Count) })
	list := make([]facetValue, 0, min(len(values), shown+len(selected)))
	for i := range values {
		id := values[i].ID.String()
		if i >= shown && !selected[id] {
			continue
		}
		list = append(list, facetValue{Name: values[i].Name, Count: values[i].Count, URL: l.toggle(param, id),
			Selected: selected[id]})
	}

	l.appendFacet(facetView{Title: one.Name, Values: list}, one.ID.String(),
		len(list) < len(values) && open != one.ID.String())
}

func (l *productList) addFacet(title, id, open string, values []facetValue) {
	slices.SortStableFunc(values, func(a, b facetValue) int { return cmp.Compare(b.Count, a.Count) })
	shown := maxFacetValues
	if open == id {
		shown = maxOpenValues
	}
	list := values[:min(shown, len(values))]
	for _, value := range values[len(list):] {
		if value.Selected {
			list = append(slices.Clip(list), value)
		}
	}
	l.appendFacet(facetView{Title: title, Values: list}, id, len(list) < len(values) && open != id)
}

// appendFacet appends a facet that has values, and the chips of the selected ones.
func (l *productList) appendFacet(f facetView, id string, more bool) {
	if len(f.Values) == 0 {
		return
	}
	for _, value := range f.Values {
		if value.Selected {
			l.Chips = append(l.Chips, frame.Link{Text: f.Title + ": " + value.Name, URL: string(value.URL)})
		}
	}
	if more {
		f.More = l.with("facet", id)
	}
	f.Open = true
	l.Facets = append(l.Facets, f)
}

// addRange adds the fields for the bounds of a range feature.
func (l *productList) addRange(one *search.Facet) {
	id := one.ID.String()
	name := "features[" + id + "]"
	f := rangeFields{ID: id, FromName: name + "[from]", ToName: name + "[to]"}
	f.From, f.To = l.params.Get(f.FromName), l.params.Get(f.ToName)
	if one.Range == nil && f.From == "" && f.To == "" {
		return
	}
	if one.Range != nil {
		f.Least = strconv.FormatFloat(one.Range.Min, 'f', -1, 64)
		f.Most = strconv.FormatFloat(one.Range.Max, 'f', -1, 64)
	}
	l.Facets = append(l.Facets, facetView{Title: one.Name, Range: &f, Open: f.From != "" || f.To != ""})
}

// queryURL returns the address of a page with one query parameter and a fragment. The parameter and the fragment need
// no escaping.
func queryURL(path, name, value, fragment string) template.URL {
	return template.URL(path + "?" + name + "=" + value + "#" + fragment)
}
