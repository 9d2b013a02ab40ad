package settingsui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/store"
)

// entriesPerPage is how many entries a page of the log shows.
const entriesPerPage = 50

// logPage is the data of the page of the log.
type logPage struct {
	Rows []logRow
	// By, Kind and Days are the chosen filters.
	By, Kind string
	frame.Days
	People   []choice
	Kinds    []choice
	Filtered bool
	Pager    frame.Pager
}

// choice is an option of a filter.
type choice struct{ Value, Text string }

// logRow is an entry of the log in words.
type logRow struct {
	When    frame.Timestamp
	Who     string
	WhoURL  string // the log of this author alone
	What    string
	Object  string
	URL     string // the page of the object, or ""
	Changes []changeRow
}

type changeRow struct{ Field, From, To string }

func (ui *UI) logPage(w http.ResponseWriter, r *httpapi.Request) error {
	page := logPage{By: queryText(r, "by"), Kind: queryText(r, "kind"),
		Days: frame.ReadDays(r, ui.pages.Language(r), "from", "until")}
	filter, err := page.filter(r)
	if err != nil {
		return err
	}

	page.Filtered = page.By != "" || page.Kind != "" || page.From != "" || page.To != ""

	page, err = frame.ReadStore(ui.Frame, r, page.Filtered, func(ctx context.Context, tx store.Tx) (logPage, error) {
		filled := page
		records, more, err := ui.Audit.List(ctx, tx, filter, entriesPerPage)
		if err != nil {
			return page, err
		}

		for _, record := range records {
			filled.Rows = append(filled.Rows, ui.logRow(r, record))
		}

		if more {
			filled.Pager.Next = nextLogPage(r, records[len(records)-1].Position())
		}

		filled.People, err = ui.logAuthors(ctx, tx, r)
		return filled, err
	})
	if err != nil {
		return err
	}

	page.Kinds = logKinds(ui.pages.Language(r))
	return ui.pages.RenderDays(w, "log", ui.pages.NewView(r, "Log", "settings", page), page.Days)
}

// queryText returns a parameter of the query, or "". An unusable one is reported through r.Query.BadParam.
func queryText(r *httpapi.Request, name string) string {
	text, _ := r.Query.Param(name)
	return text
}

// filter returns the filter of the query.
func (p logPage) filter(r *httpapi.Request) (f audit.Filter, err error) {
	if kind, id, found := strings.Cut(p.By, ":"); found {
		f.By = store.Actor{Kind: store.ActorKind(kind), ID: id}
	} else if p.By != "" {
		r.Query.BadParam("by", "must be chosen from the list")
	}

	if p.Kind != "" {
		f.ObjectKinds = append([]string{p.Kind}, moreKinds[p.Kind]...)
	}

	f.From, f.Until = p.First, p.After

	if cursor := queryText(r, "before"); cursor != "" {
		at, sequence, _ := strings.Cut(cursor, "-")
		micros, err1 := strconv.ParseInt(at, 10, 64)
		n, err2 := strconv.ParseInt(sequence, 10, 64)
		if err1 != nil || err2 != nil {
			r.Query.BadParam("before", "must be as in the links of the page")
		}
		f.Before = audit.Position{At: time.UnixMicro(micros).UTC(), Sequence: n}
	}

	return f, r.Err()
}

// nextLogPage returns the address of the entries before a position.
func nextLogPage(r *httpapi.Request, p audit.Position) string {
	q := r.URL.Query()
	q.Set("before", fmt.Sprintf("%d-%d", p.At.UnixMicro(), p.Sequence))
	return "/settings/log?" + q.Encode()
}

// logAuthors returns those who can have changed something: the team, the keys for programs, the exchange tokens, the
// command line, and the retention.
func (ui *UI) logAuthors(ctx context.Context, tx store.Tx, r *httpapi.Request) (people []choice, err error) {
	l := ui.pages.Language(r)
	operators, err := ui.Accounts.Operators.List(ctx, tx)
	if err != nil {
		return nil, err
	}

	for _, o := range operators {
		people = append(people, choice{actorValue(o.Actor()), o.Email})
	}

	keys, err := ui.Access.Keys(ctx, tx)
	if err != nil {
		return nil, err
	}

	for _, k := range keys {
		by := store.Actor{Kind: store.ByKey, ID: k.ID.String(), Name: k.Name}
		switch k.Kind {
		case access.PublishableKey:
			continue // what visitors of the shop do is not in the log
		case access.ExchangeToken:
			by.Kind = store.ByToken
		}
		people = append(people, choice{actorValue(by), actorName(l, by) + " " + k.Hint})
	}

	for _, by := range []store.Actor{{Kind: store.ByStranger}, {Kind: store.ByCommand}, {Kind: store.ByRetention}} {
		people = append(people, choice{actorValue(by), actorName(l, by)})
	}

	return people, nil
}

func actorValue(a store.Actor) string { return string(a.Kind) + ":" + a.ID }

// actorName returns the author of a change in words.
func actorName(l *frame.Language, a store.Actor) string {
	switch a.Kind {
	case store.ByKey:
		return l.T("Key “%s”", a.Name)
	case store.ByToken:
		return l.T("Accounting “%s”", a.Name)
	case store.ByCommand:
		return l.T("Command line of the server")
	case store.ByStranger:
		return l.T("Somebody who is not signed in")
	case store.ByRetention:
		return l.T("Retention (automatic)")
	}
	return a.Name
}

func (ui *UI) logRow(r *httpapi.Request, record audit.StoredEntry) logRow {
	l := ui.pages.Language(r)
	row := logRow{When: ui.pages.NewTimestamp(r, record.At), Who: actorName(l, record.Actor),
		WhoURL: "/settings/log?by=" + url.QueryEscape(actorValue(record.Actor)), What: actionWords(l, record.Action),
		Object: objectWords(l, record.Object)}

	// What was deleted has no page any more, and bulk changes have one for some days.
	gone := strings.HasSuffix(string(record.Action), ".deleted") ||
		strings.HasSuffix(string(record.Action), ".removed") ||
		strings.HasSuffix(string(record.Action), ".erased") ||
		record.Object.Kind == "products" && ui.Audit.Now().Sub(record.At) > bulk.Retention
	if !gone {
		row.URL = pageOfObject(record.Object)
	}

	for _, c := range record.Changes {
		row.Changes = append(row.Changes, changeRow{fieldWords(l, c.Field),
			ui.valueWords(r, record.Object.Kind, c.Field, c.From),
			ui.valueWords(r, record.Object.Kind, c.Field, c.To)})
	}

	return row
}

// pageOfObject returns the page of a changed object, or "" if it has none.
func pageOfObject(o audit.Object) string {
	if o.Kind == "settings" || o.Kind == "store" {
		return "/settings"
	}
	if o.ID == "" {
		return ""
	}

	id := url.PathEscape(o.ID)
	switch o.Kind {
	case "order":
		return "/orders/" + id
	case "product", "product_image":
		return "/products/" + id
	case "products":
		return "/product-changes/" + id
	case "option":
		return "/options/" + id
	case "feature":
		return "/features/" + id
	case "category":
		return "/categories"
	case "feed":
		return feedsPath + "/" + id
	case "price_list":
		return "/price-lists/" + id
	case "customer_group":
		return "/customer-groups/" + id
	case "stock", "remainder":
		return "/stock"
	case "inquiry":
		return "/inquiries/" + id
	case "customer":
		return "/customers/" + id
	case "run":
		return "/exchange/" + id
	case "receiver":
		return "/webhooks/" + id
	case "delivery":
		return "/deliveries/" + id
	case "key":
		return "/keys"
	case "operator":
		return "/settings/team/" + id
	}

	return ""
}

// moreKinds has the kinds of objects that a choice of the filter selects beside its own.
var moreKinds = map[string][]string{
	"product": {"products"}, "image": {"product_image"}, "stock": {"remainder"}, "receiver": {"delivery"},
	"settings": {"store", "mailbox"}, "run": {"exchange"}, "order": {"orders"}, "category": {"redirect"},
}

// logKinds returns the kinds of objects for the filter, by their names.
func logKinds(l *frame.Language) []choice {
	kinds := []choice{{"order", l.T("Orders")}, {"inquiry", l.T("Inquiries")}, {"product", l.T("Products")},
		{"image", l.T("Images")}, {"option", l.T("Options")}, {"feature", l.T("Features")},
		{"category", l.T("Categories")}, {"stock", l.T("Stock")}, {"price_list", l.T("Price lists")},
		{"customer_group", l.T("Customer groups")}, {"run", l.T("Exchange")},
		{"receiver", l.T("Webhooks")}, {"key", l.T("Keys")}, {"operator", l.T("Team")},
		{"account", l.T("Own accounts")},
		{"settings", l.T("Settings")}}
	slices.SortStableFunc(kinds, func(a, b choice) int { return cmp.Compare(a.Text, b.Text) })
	return kinds
}
