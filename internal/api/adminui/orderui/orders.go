package orderui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// ordersQuery is the selection in the query of the list and of its export.
type ordersQuery struct {
	State order.State // "" for all submitted orders
	// Chosen says that the query names the state.
	Chosen bool
	Q, Tag string
	Sort   order.Sort
	frame.Days
	// Recent is a number of days up to today; 0 for another period.
	Recent int
	// ColumnNames is the choice of columns in the query, "" for all, and View the saved view of the list, if it has
	// one.
	ColumnNames, View string
}

// allOrders stands for all submitted orders in the query.
const allOrders = "all"

// readOrdersQuery reads the selection. Without a state it is all submitted orders.
func readOrdersQuery(r *httpapi.Request, l *frame.Language, now time.Time) (q ordersQuery) {
	state, _ := r.Query.Param("state")
	q.Chosen = state != ""
	if q.State = order.State(state); state == allOrders {
		q.State = ""
	}
	if q.State != "" && !q.State.Known() {
		r.Query.BadParam("state", "must be one of the tabs of the page")
	}

	q.Q = strings.TrimSpace(r.Query.SearchText())
	q.Tag, _ = r.Query.Param("tag")
	if len([]rune(q.Tag)) > order.MaxTag {
		r.Query.BadParam("tag", "must be a tag of an order")
	}

	q.Sort = readOrderSort(r)
	if q.Days = frame.ReadDays(r, l, "from", "to"); q.From == "" && q.To == "" {
		q.readRecent(r, now)
	}
	return q
}

// maxRecent is the largest number of days up to today.
const maxRecent = 366

// readRecent reads the period that ends today. Unlike days, a saved view of it is of use tomorrow, too.
func (q *ordersQuery) readRecent(r *httpapi.Request, now time.Time) {
	days := frame.PositiveParam(r, "days", maxRecent)
	if days == 0 {
		return
	}
	q.Recent = int(days)
	now = now.In(r.Principal.Store.Zone())
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	q.First, q.After = today.AddDate(0, 0, 1-q.Recent), today.AddDate(0, 0, 1)
}

// RecentParam returns the number of days as in the query.
func (q ordersQuery) RecentParam() string {
	if q.Recent == 0 {
		return ""
	}
	return strconv.Itoa(q.Recent)
}

// period reports whether the selection has a period.
func (q ordersQuery) period() bool { return q.From != "" || q.To != "" || q.Recent != 0 }

// newestFirst is the order of the list without a query.
const newestFirst = "-date"

func readOrderSort(r *httpapi.Request) order.Sort {
	text, _ := r.Query.Param("sort")
	if text == newestFirst {
		return order.ByNewest
	}
	if sort := order.Sort(text); sort.Known() {
		return sort
	}
	r.Query.BadParam("sort", "must be one of the orders of the page")
	return order.ByNewest
}

// SortParam returns the sort order as in the query.
func (q ordersQuery) SortParam() string { return cmp.Or(string(q.Sort), newestFirst) }

// StateParam returns the state as in the query.
func (q ordersQuery) StateParam() string {
	if q.State == "" {
		return allOrders
	}
	return string(q.State)
}

// filtered reports whether the selection has a search or a period.
func (q ordersQuery) filtered() bool { return q.Q != "" || q.Tag != "" || q.period() }

// isDefault reports whether the list has this selection without a query: the new orders.
func (q ordersQuery) isDefault() bool { return q.State == order.Submitted && !q.filtered() }

// filter returns the filter of the use-case. Carts have no time of submission.
func (q ordersQuery) filter() order.Filter {
	if q.State == order.Draft {
		return order.Filter{State: q.State, Search: q.Q, Tag: q.Tag, Tolerant: true, CreatedFrom: q.First,
			CreatedBefore: q.After, Sort: q.Sort}
	}
	return order.Filter{
		State: q.State, Search: q.Q, Tag: q.Tag, Tolerant: true, Submitted: true, SubmittedFrom: q.First,
		SubmittedBefore: q.After, Sort: q.Sort,
	}
}

// address returns the address of a list with the selection.
func (q ordersQuery) address(path string, more ...string) string {
	state := q.StateParam()
	if q.isDefault() && path == "/orders" && (q.View == "" || q.View == frame.NoView) {
		state = ""
	}
	return frame.Address(path, append([]string{"state", state, "q", q.Q, "tag", q.Tag, "from", q.From, "to", q.To,
		"days", q.RecentParam(), "sort", string(q.Sort), "columns", q.ColumnNames, "view", q.View}, more...)...)
}

// positionParam returns the position in the query: after for newer and before for older rows, each as numbers with dots
// between them. It returns nil without one.
func positionParam(r *httpapi.Request, fields int) (numbers []int64, newer bool) {
	for _, name := range []string{"before", "after"} {
		text, given := r.Query.Param(name)
		if !given {
			continue
		}

		parts := strings.Split(text, ".")
		for _, part := range parts {
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil || len(parts) != fields {
				r.Query.BadParam(name, "must be as in the links of the page")
				return nil, false
			}
			numbers = append(numbers, n)
		}

		return numbers, name == "after"
	}

	return nil, false
}

// orderPosition returns the position in a list with a sort order: the time of submission or the total, and the key.
func orderPosition(r *httpapi.Request, sort order.Sort) *order.Position {
	numbers, newer := positionParam(r, 2)
	switch {
	case numbers == nil:
		return nil
	case sort == order.ByLargest, sort == order.BySmallest:
		return &order.Position{Total: money.Money(numbers[0]), Key: numbers[1], Newer: newer}
	}
	return &order.Position{SubmittedAt: numbers[0], Key: numbers[1], Newer: newer}
}

// pager returns the links to the adjacent parts of the list at path.
func (q ordersQuery) pager(path string, p order.Part) frame.Pager {
	return frame.NewPager(p.Newer, p.Older, func(name string, at *order.Position) string {
		first := at.SubmittedAt
		if q.Sort == order.ByLargest || q.Sort == order.BySmallest {
			first = int64(at.Total)
		}
		return q.address(path, name, fmt.Sprintf("%d.%d", first, at.Key))
	})
}

// ordersBody is the data of the list.
type ordersBody struct {
	ordersQuery
	orderTable
	Tabs    []tab
	Periods []choice
	Sorts   []sortChoice
	// Address is the address of the page itself.
	Address string
	// MayConfirm, MayComplete and MayCancel say that the list may have orders that can be changed so.
	MayConfirm, MayComplete, MayCancel bool
	// Exact has the order whose number is the text of the search, if it is not in Rows: it may be deep in the list.
	Exact []exactOrder
	// Count and Sums describe the selection.
	Count string
	Sums  []string
	// More says that there are too many orders to sum them up.
	More bool
	// Partly says that only the newest orders of the selection are sorted; it is a text for people.
	Partly string
	Choice frame.ColumnChoice
	Views  frame.Views
	Pager  frame.Pager
	// Exports are the addresses of the list as a file.
	Exports []frame.Link
	// Untagged is the address of the list without the tag; "" if it has none.
	Untagged string
	Clear    string // the address of the list without search and period; "" if it has none
	Empty    frame.Empty
}

// orderTable is the rows of a list of orders. They can be ticked if Tickable is set.
type orderTable struct {
	Rows     []orderRow
	Tickable bool
	frame.Columns
}

// orderColumns returns the columns of a list of orders. Numbers are given in the order of submission, so the date sorts
// by them, too.
func orderColumns(l *frame.Language, carts bool) []frame.Column {
	list := []frame.Column{
		{Text: l.T("Order")},
		{Name: "date", Text: l.T("Date"), Sorts: []string{newestFirst, string(order.ByOldest)}},
		{Name: "customer", Text: l.T("Customer")},
		{Name: "items", Text: l.T("Items"), Class: "number"},
		{Name: "total", Text: l.T("Total"), Class: "number",
			Sorts: []string{string(order.ByLargest), string(order.BySmallest)}},
		{Name: "state", Text: l.T("State")},
	}
	if carts {
		list[4].Sorts = nil
	}
	return list
}

// tab is a link to the rows in a state.
type tab struct {
	Text, Count, URL string
	Current          bool
}

// choice is a link that sets a filter.
type choice struct {
	Text, URL string
	Current   bool
}

// sortChoice is a sort order that can be chosen.
type sortChoice struct {
	Value, Text string
	Current     bool
}

// orderSorts returns the sort orders of the list.
func orderSorts(l *frame.Language, q ordersQuery) []sortChoice {
	list := []sortChoice{{Value: newestFirst, Text: l.T("Newest first")},
		{Value: string(order.ByOldest), Text: l.T("Oldest first")}}
	if q.State != order.Draft {
		list = append(list, sortChoice{Value: string(order.ByLargest), Text: l.T("Largest total first")},
			sortChoice{Value: string(order.BySmallest), Text: l.T("Smallest total first")})
	}
	for i := range list {
		list[i].Current = list[i].Value == q.SortParam()
	}
	return list
}

// exactOrder is the order with a number.
type exactOrder struct {
	ID, Title string
	State     frame.State
}

// orderRow is an order of a list.
type orderRow struct {
	ID, Title, Who, Contact string
	At                      frame.Timestamp
	Items, Total            string
	Tags                    []tagLink
	Paid                    bool
	State                   frame.State
}

func (ui *UI) ordersPage(w http.ResponseWriter, r *httpapi.Request) error {
	v := ui.pages.NewView(r, "Orders", "orders", nil)
	q := readOrdersQuery(r, v.Language, ui.Now())
	if !q.Chosen && !q.filtered() {
		q.State = order.Submitted // what waits; a search without a state looks at all orders
	}
	at := orderPosition(r, q.Sort)
	columns := frame.ReadColumns(r, orderColumns(v.Language, q.State == order.Draft), q.SortParam(), func(
		name, value string,
	) string {
		return q.address("/orders", name, value)
	})
	q.ColumnNames = columns.Param()

	body, err := frame.ReadStore(ui.Frame, r, q.Q != "", func(
		ctx context.Context, tx store.Tx,
	) (b ordersBody, err error) {
		views, err := frame.ReadViews(ctx, tx, r, listview.Orders, q.ColumnNames)
		if err != nil || views.Redirect != "" {
			return ordersBody{Views: views}, err
		}
		q.View = views.Param

		part, err := ui.Orders.List(ctx, tx, v.Store, q.filter(), at, rowsPerPage)
		if err != nil {
			return b, err
		}
		totals, byState, err := ui.readTotals(ctx, tx, q, part)
		if err != nil {
			return b, err
		}

		b = ordersBody{ordersQuery: q, Tabs: orderTabs(v, q, byState), Periods: periods(v, q),
			Sorts: orderSorts(v.Language, q), Views: views,
			orderTable: orderTable{orderRows(v, part), q.State != order.Draft, columns}, Address: r.URL.RequestURI(),
			Choice: frame.ColumnChoice{Columns: columns, Path: "/orders", Hidden: q.hidden("columns")},
			More:   totals.More, Pager: q.pager("/orders", part)}
		for _, format := range []frame.TableFormat{frame.XLSX, frame.CSV} {
			b.Exports = append(b.Exports, frame.Link{Text: strings.ToUpper(string(format)),
				URL: q.address("/orders." + string(format))})
		}
		b.MayConfirm, b.MayComplete, b.MayCancel = q.mayBecome(order.Confirmed), q.mayBecome(order.Completed),
			q.mayBecome(order.Cancelled)
		b.Count = countText(v, q, totals)
		b.Partly = partlyText(v, q, totals)
		for _, sum := range totals.Sums {
			b.Sums = append(b.Sums, v.Money(sum.Total, sum.Currency))
		}

		if b.Exact, err = ui.findExact(ctx, tx, v, q, part); err != nil {
			return b, err
		}

		if q.Tag != "" {
			target := q
			target.Tag = ""
			b.Untagged = target.address("/orders")
		}

		if q.filtered() {
			cleared := ordersQuery{State: q.State, Sort: q.Sort, ColumnNames: q.ColumnNames, View: q.View}
			b.Clear = cleared.address("/orders")
		}

		b.Empty = emptyOrders(v, q, b.Clear, byState.Submitted().Orders > 0)
		return b, nil
	})
	if target := body.Views.Elsewhere(r, err); target != "" {
		return frame.Redirect(w, r.Request, target)
	}
	if err != nil {
		return err
	}

	v.Body = body
	return ui.pages.RenderDays(w, "orders", v, q.Days)
}

// OrdersViewCheck returns a function that reads the query of a request as that of a saved view of the orders. It
// reports errors through r.Fail.
func OrdersViewCheck(ui *UI) func(r *httpapi.Request) {
	return func(r *httpapi.Request) {
		if q := readOrdersQuery(r, ui.pages.Language(r), ui.Now()); q.Errors != nil {
			r.Query.BadParam("from", "and to must be the days of a period")
		}
	}
}

// mayBecome reports whether orders of the list may change to a state.
func (q ordersQuery) mayBecome(to order.State) bool {
	return q.State == "" || q.State.CheckTransition(to) == nil
}

// readTotals returns the totals of the selection, and those by state, which are nil for a search.
func (ui *UI) readTotals(
	ctx context.Context, tx store.Tx, q ordersQuery, shown order.Part,
) (t order.Totals, byState order.StateTotals, err error) {
	if q.Q != "" || q.Tag != "" {
		var whole bool
		if t, whole = shown.Totals(q.filter()); !whole {
			t, err = ui.Orders.Totals(ctx, tx, q.filter())
		}
		return t, nil, err
	}
	byState, err = ui.Orders.TotalsByState(ctx, tx, q.First, q.After)
	if t = byState.Submitted(); q.State != "" {
		t = byState[q.State]
	}
	return t, byState, err
}

// findExact returns the order whose number is the text of the search, or an empty list if there is none or it is in the
// part that the page shows.
func (ui *UI) findExact(
	ctx context.Context, tx store.Tx, v frame.View, q ordersQuery, shown order.Part,
) (list []exactOrder, err error) {
	number, err := strconv.ParseInt(strings.TrimLeft(q.Q, "#№ "), 10, 64)
	if err != nil {
		return list, nil //nolint:nilerr // the text is not a number
	}

	o, err := ui.Orders.WithNumber(ctx, tx, number)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return list, nil
	case err != nil:
		return nil, err
	case slices.ContainsFunc(shown.Orders, func(other order.Order) bool { return other.Key == o.Key }):
		return list, nil
	}

	row := exactOrder{ID: o.ID.String(), Title: orderTitle(v.Language, &o), State: orderState(v.Language, o.State)}
	return append(list, row), nil
}

// hidden returns the parameters of the query without some of them, for a form that has fields for those.
func (q ordersQuery) hidden(without ...string) (list []frame.Param) {
	return frame.HiddenParams(q.address("/orders"), without...)
}

// partlyText says that only the newest orders are sorted by the total; "" if all are.
func partlyText(v frame.View, q ordersQuery, t order.Totals) string {
	byTotal := q.Sort == order.ByLargest || q.Sort == order.BySmallest
	if !byTotal || q.Tag == "" && !q.period() || t.Orders <= order.MaxSorted {
		return ""
	}
	return v.T("Only the newest %s of them are sorted by the total.", v.Number(order.MaxSorted))
}

func countText(v frame.View, q ordersQuery, t order.Totals) string {
	switch {
	case q.State == order.Draft && t.More:
		return v.Plural(t.Orders, "More than %d cart", "More than %d carts")
	case q.State == order.Draft:
		return v.Plural(t.Orders, "%d cart", "%d carts")
	case t.More:
		return v.Plural(t.Orders, "More than %d order", "More than %d orders")
	}
	return v.Plural(t.Orders, "%d order", "%d orders")
}

// orderTabs returns the tabs by state. totals is nil if the tabs have no numbers.
func orderTabs(v frame.View, q ordersQuery, totals order.StateTotals) []tab {
	states := []order.State{"", order.Submitted, order.Confirmed, order.Completed, order.Cancelled, order.Draft}
	texts := []string{v.T("All"), v.Of("orders", "New"), v.Of("orders", "Confirmed"), v.Of("orders", "Completed"),
		v.Of("orders", "Cancelled"), v.T("Carts")}
	tabs := make([]tab, len(states))
	for i, state := range states {
		target := q
		target.State = state
		tabs[i] = tab{Text: texts[i], URL: target.address("/orders"), Current: q.State == state}
		switch {
		case totals == nil:
		case state == "":
			tabs[i].Count = v.Number(totals.Submitted().Orders)
		case totals[state].More:
			tabs[i].Count = v.Number(totals[state].Orders) + "+"
		default:
			tabs[i].Count = v.Number(totals[state].Orders)
		}
	}

	return tabs
}

// periods returns the links to the usual periods, which end today.
func periods(v frame.View, q ordersQuery) []choice {
	list := []choice{{Text: v.T("Today")}, {Text: v.T("7 days")}, {Text: v.T("30 days")}}
	for i, days := range []int{1, 7, 30} {
		target := q
		target.From, target.To, target.Recent = "", "", days
		list[i].URL = target.address("/orders")
		list[i].Current = q.Recent == days
	}
	return list
}

func orderRows(v frame.View, p order.Part) []orderRow {
	rows := make([]orderRow, len(p.Orders))
	for i := range p.Orders {
		o := &p.Orders[i]
		row := orderRow{
			ID: o.ID.String(), Title: orderTitle(v.Language, o), At: v.Timestamp(o.CreatedAt),
			Items: v.Number(p.ItemCounts[i]), Total: v.Money(o.Total, o.Currency),
			State: orderState(v.Language, o.State), Tags: tagLinks(o.Tags), Paid: o.PaidAt != nil,
		}
		if o.SubmittedAt != nil {
			row.At = v.Timestamp(*o.SubmittedAt)
		}
		row.Who, row.Contact = who(o.Contact)
		rows[i] = row
	}
	return rows
}

// who returns the name of a contact and an address, or an address alone.
func who(c order.Contact) (name, address string) {
	address = c.Phone
	if address == "" {
		address = c.Email
	}
	if c.Name == "" {
		return address, ""
	}
	return c.Name, address
}

// orderTitle returns the name of an order for people.
func orderTitle(l *frame.Language, o *order.Order) string {
	if o.Number == nil {
		return l.T("Cart")
	}
	return l.T("No. %s", orderNumber(o))
}

// orderNumber returns the number of an order, or "" for a cart.
func orderNumber(o *order.Order) string {
	if o.Number == nil {
		return ""
	}
	return strconv.FormatInt(*o.Number, 10)
}

// orderState returns the state of an order as a badge.
func orderState(l *frame.Language, s order.State) frame.State {
	switch s {
	case order.Submitted:
		return frame.State{Code: "warn", Text: l.Of("order", "New")}
	case order.Confirmed:
		return frame.State{Code: "info", Text: l.T("Confirmed")}
	case order.Completed:
		return frame.State{Code: "good", Text: l.T("Completed")}
	case order.Cancelled:
		return frame.State{Code: "off", Text: l.T("Cancelled")}
	case order.Draft:
	}
	return frame.State{Code: "off", Text: l.T("Cart")}
}

// emptyOrders says why the list is empty and what to do next. hasOrders says that there are orders in some state.
func emptyOrders(v frame.View, q ordersQuery, clearURL string, hasOrders bool) frame.Empty {
	all := q
	all.State = ""

	switch {
	case q.Q != "" && q.State != "" && q.State != order.Draft:
		return frame.Empty{Text: v.T("Nothing matches this search."),
			Hint: v.T("Only orders in this state were searched."), URL: all.address("/orders"),
			Action: v.T("Search all orders")}

	case clearURL != "":
		return frame.Empty{Text: v.T("Nothing matches this search."), Hint: v.T("Try another word or a longer period."),
			URL: clearURL, Action: v.T("Show all")}
	case q.State == order.Draft:
		return frame.Empty{Text: v.T("There are no carts."),
			Hint: v.T("A cart appears here as soon as a visitor puts something into it.")}
	case q.isDefault() && hasOrders:
		return frame.Empty{Text: v.T("There are no new orders."), Hint: v.T("Each one is confirmed or cancelled."),
			URL: all.address("/orders"), Action: v.T("All orders")}
	case q.State != "" && hasOrders:
		return frame.Empty{Text: v.T("There are no orders in this state.")}
	}

	return frame.Empty{Text: v.T("There are no orders yet."),
		Hint: v.T("An order appears here as soon as a customer submits it on your site.")}
}
