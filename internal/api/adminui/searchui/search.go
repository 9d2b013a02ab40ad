// Package searchui serves the search over orders, products, customers and inquiries, pages and settings, and what can
// be done with them.
package searchui

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/contact"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the search uses.
type Deps struct {
	*frame.Frame
	Orders    *order.Service
	Customers *customer.Service
	Inquiries *inquiry.Service
	Catalog   *catalog.Service
	Search    *search.Service
}

// UI serves the page. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("searchui", templates, nil)} }

// Routes returns the route of the page.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{frame.Page("GET", "/search", access.StoreRead, ui.searchPage)}
}

// hitsPerGroup is how many hits of each kind the page shows.
const hitsPerGroup = 8

// productsRead is how many products are read that match the search. Those that have a variant with exactly this SKU
// come first.
const productsRead = 50

// results are what a search has found.
type results struct {
	Q      string
	Groups []group
}

// group has the hits of one kind. All is the address of the whole list, or "" if the group has all hits.
type group struct {
	Name, Icon string
	// IsActions says that the hits begin a job.
	IsActions bool
	Hits      []hit
	All       string
}

// hit is something that was found.
type hit struct {
	Title, Detail, URL string
	// Exact says that the search is the whole number, SKU, name, e-mail address or phone number of the thing.
	Exact bool
}

// searchPage lists what matches q, or all that can be opened if there is no q. If one thing matches, or one exactly, it
// redirects there: so the number of an order leads to the order. htmx, which shows suggestions during typing, gets
// the list.
func (ui *UI) searchPage(w http.ResponseWriter, r *httpapi.Request) error {
	q := strings.TrimSpace(r.Query.SearchText())
	v := ui.pages.NewView(r, "Search", "", results{Q: q})

	if r.Err() != nil {
		return r.Err()
	}
	if q == "" {
		v.Body = results{Groups: merged(findPlaces(v, "", false))}
		return ui.pages.Render(w, http.StatusOK, "search", v)
	}

	found, err := ui.find(r, v, q, false)
	if err == nil && len(found.Groups) == 0 {
		found, err = ui.find(r, v, q, true)
	}
	if err != nil {
		return err
	}
	if target := found.target(); target != "" && r.Header.Get("HX-Request") == "" {
		return frame.Redirect(w, r.Request, target)
	}

	v.Body = found
	return ui.pages.Render(w, http.StatusOK, "search", v)
}

// target returns the address of the only hit, or of the only exact one, or "".
func (f results) target() (target string) {
	exact, all := 0, 0
	for _, g := range f.Groups {
		for _, h := range g.Hits {
			all++
			if h.Exact {
				exact++
			}
			if h.Exact || exact == 0 {
				target = h.URL
			}
		}
	}

	if exact == 1 || exact == 0 && all == 1 {
		return target
	}

	return ""
}

// find searches in all that the operator may see. If tolerant is set, words that nothing has are corrected.
func (ui *UI) find(r *httpapi.Request, v frame.View, q string, tolerant bool) (found results, err error) {
	found = results{Q: q}
	var action group
	var goods []group
	if v.May(string(access.CatalogRead)) {
		if action, err = ui.doSKU(r, v, q); err != nil {
			return found, err
		}
		products, err := ui.products(r, v, q, tolerant)
		if err != nil {
			return found, err
		}
		goods = append(goods, products)
	}

	people, err := frame.ReadStore(ui.Frame, r, true, func(ctx context.Context, tx store.Tx) (list []group, err error) {
		for _, area := range []struct {
			needs access.Scope
			run   func(context.Context, store.Tx, frame.View, string, bool) (group, error)
		}{
			{access.OrdersRead, ui.doOrder}, {access.OrdersRead, ui.orders}, {access.CustomersRead, ui.customers},
			{access.InquiriesRead, ui.inquiries},
		} {
			if !v.May(string(area.needs)) {
				continue
			}
			g, err := area.run(ctx, tx, v, q, tolerant)
			if err != nil {
				return nil, err
			}
			list = append(list, g)
		}

		return list, nil
	})
	if err != nil {
		return found, err
	}

	found.Groups = merged([]group{action}, people, goods, findPlaces(v, q, tolerant))
	return found, nil
}

// merged returns the groups of several lists that have hits, actions first. Groups with the same name become one.
func merged(lists ...[]group) (all []group) {
	for _, g := range slices.Concat(lists...) {
		if len(g.Hits) == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(before group) bool { return before.Name == g.Name })
		if i >= 0 {
			all[i].Hits = append(all[i].Hits, g.Hits...)
		} else {
			all = append(all, g)
		}
	}

	if i := slices.IndexFunc(all, func(g group) bool { return g.IsActions }); i > 0 {
		actions := all[i]
		copy(all[1:], all[:i])
		all[0] = actions
	}

	return all
}

// all returns the group with the address of the whole list, if it does not have all of its hits. list is that address
// without the search: a path, or one with parameters.
func (g group) all(list, q string, more bool) group {
	if more {
		path, params, _ := strings.Cut(list, "?")
		g.All = path + "?" + strings.TrimPrefix(params+"&q="+url.QueryEscape(q), "&")
	}
	return g
}

// isOneOf reports whether the search is one of the names or addresses. A phone number may have separators.
func isOneOf(q string, names ...string) bool {
	phone, err := contact.CheckPhone(q)
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && (strings.EqualFold(name, q) || err == nil && name == phone)
	})
}

// numberPattern matches an order number as people write it: 15, №15, #15, No. 15 or N15. It does not match a SKU such
// as N15-BLUE.
var numberPattern = regexp.MustCompile(`^(?i:№|#|no\.|n)?\s*([0-9]+)$`)

// orderNumber returns the digits of a search that is the number of an order, or "".
func orderNumber(q string) string {
	if m := numberPattern.FindStringSubmatch(q); m != nil {
		return m[1]
	}
	return ""
}

func (ui *UI) orders(
	ctx context.Context, tx store.Tx, v frame.View, q string, tolerant bool,
) (g group, err error) {
	number := orderNumber(q)
	filter := order.Filter{Search: cmp.Or(number, q), PhoneEnds: number == "" || number == q, Tolerant: tolerant,
		Submitted: true}
	part, err := ui.Orders.List(ctx, tx, v.Store, filter, nil, hitsPerGroup)
	if err != nil {
		return g, err
	}

	g = group{Name: v.T("Orders"), Icon: "shopping-bag"}
	for _, o := range part.Orders {
		h := hit{URL: "/orders/" + o.ID.String(), Detail: joined(o.Contact.Name, v.Money(o.Total, o.Currency))}
		if o.Number != nil {
			text := strconv.FormatInt(*o.Number, 10)
			h.Title = v.T("Order %s", text)
			h.Exact = text == number
		}
		g.Hits = append(g.Hits, h)
	}

	return g.all("/orders", q, part.Older != nil), nil
}

func (ui *UI) products(r *httpapi.Request, v frame.View, q string, tolerant bool) (g group, err error) {
	g = group{Name: v.T("Products"), Icon: "package"}
	query := search.Query{Text: q, Limit: productsRead, Archived: catalog.AnyArchived}
	list := "/products?archived=any"
	if !v.May(string(access.CatalogWrite)) || tolerant { // only live products are searched with errors
		query.Archived = catalog.Live
		query.Sort = search.ByRelevance
		list = "/products"
	}

	err = frame.FindProducts(ui.Frame, r, ui.Search, query,
		func(ctx context.Context, tx store.Tx, found search.Result) error {
			if tolerant && found.Text.Matched == search.MatchedPartial {
				found = search.Result{}
			}
			withSKU, err := view.ProductsWithSKU(ctx, tx, found.Keys, q)
			if err != nil {
				return err
			}

			// An exact hit is not to be missed because of others that only begin with the text.
			keys := slices.Clone(found.Keys)
			slices.SortStableFunc(keys, func(a, b int64) int { return rank(withSKU[a]) - rank(withSKU[b]) })
			products, err := view.Summaries(ctx, tx, keys[:min(hitsPerGroup, len(keys))])
			g.Hits = nil
			for _, p := range products {
				detail := cmp.Or(withSKU[p.Key], p.SKU)
				if p.ArchivedAt != nil {
					detail = joined(detail, v.T("archived"))
				}
				g.Hits = append(g.Hits, hit{Title: p.Name, Detail: detail, URL: "/products/" + p.ID.String(),
					Exact: withSKU[p.Key] != "" || strings.EqualFold(p.Name, q)})
			}

			g = g.all(list, q, found.Total > int64(len(products)))
			return err
		})

	return g, err
}

// rank orders the products with the SKU before those without.
func rank(sku string) int {
	if sku != "" {
		return 0
	}
	return 1
}

func (ui *UI) customers(
	ctx context.Context, tx store.Tx, v frame.View, q string, tolerant bool,
) (g group, err error) {
	filter := customer.Filter{Search: q, PhoneEnds: true, Tolerant: tolerant}
	part, err := ui.Customers.List(ctx, tx, filter, nil, hitsPerGroup)
	if err != nil {
		return g, err
	}
	g = group{Name: v.T("Customers"), Icon: "users"}
	for _, c := range part.Customers {
		names := append([]string{c.Name}, c.Addresses()...)
		exact := !c.Guest && isOneOf(q, names...) // the orders of a guest are found by the same text
		title := cmp.Or(names...)
		detail := joined(slices.DeleteFunc(names, func(name string) bool { return name == title })...)
		g.Hits = append(g.Hits, hit{Title: title, Detail: detail, URL: "/customers/" + c.ID.String(), Exact: exact})
	}
	return g.all("/customers", q, part.Older != nil), nil
}

func (ui *UI) inquiries(
	ctx context.Context, tx store.Tx, v frame.View, q string, tolerant bool,
) (g group, err error) {
	filter := inquiry.HandlingFilter{Search: q, PhoneEnds: true, Tolerant: tolerant}
	part, err := ui.Inquiries.List(ctx, tx, filter, nil, hitsPerGroup)
	if err != nil {
		return g, err
	}
	g = group{Name: v.T("Inquiries"), Icon: "message-circle"}
	for _, i := range part.Inquiries {
		g.Hits = append(g.Hits, hit{Title: cmp.Or(i.Name, i.Email, i.Phone), Detail: shortened(i.Text),
			URL: "/inquiries/" + i.ID.String(), Exact: isOneOf(q, i.Name, i.Email, i.Phone)})
	}
	return g.all("/inquiries", q, part.Older != nil), nil
}

// joined returns the texts that are not empty, with dots between them.
func joined(texts ...string) string {
	var parts []string
	for _, text := range texts {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " · ")
}

// shortened returns the beginning of a text, on one line.
func shortened(text string) string {
	const most = 80
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most]) + "…"
}
