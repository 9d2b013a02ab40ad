package catalogui

import (
	"context"
	"math"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const stockPath = "/stock"

// defaultLow is the quantity up to which the stock of a variant is low, unless the query says otherwise.
const defaultLow = money.Quantity(5000)

// maxWarehouses is the number of warehouses that the pages show.
const maxWarehouses = 500

// stockPage is the data of the page with what the warehouses have.
type stockPage struct {
	Search string
	State  view.StockState
	Tabs   []tab
	// Low is the threshold of the tab with low stock.
	Low        string
	Stock      string // the id of the chosen warehouse, or ""
	Warehouses []catalog.Stock
	Rows       []levelRow
	Pager      frame.Pager
	// Back is the address of the page, for forms that return to it.
	Back string
}

// Filtered reports whether the list is restricted.
func (b *stockPage) Filtered() bool {
	return b.Search != "" || b.State != view.AnyStock || b.Stock != ""
}

type tab struct {
	Text, URL string
	Current   bool
}

// levelRow is what the warehouses have of a variant.
type levelRow struct {
	view.Level
	// Options are the values of the variant's options, joined.
	Options    string
	Remainders []remainderRow
	// Others are the warehouses that have no remainder of the variant.
	Others []catalog.Stock
	// Other is the form that counts the variant in one of them.
	Other  otherField
	Orders []order.Waiting
	// MoreOrders says how many orders are not shown, or is "".
	MoreOrders string
	State      frame.State
}

// remainderRow is what a warehouse has of a variant.
type remainderRow struct {
	catalog.Remainder
	Name  string
	Field frame.RowField
}

// otherField is the quantity of a warehouse that is to count a variant, too. Stock is the id of the warehouse.
type otherField struct {
	Stock string
	frame.RowField
}

// maxWaiting is the number of orders that a row shows.
const maxWaiting = 10

// levelQuery is the query of the page.
type levelQuery struct {
	view.LevelFilter
	view.LevelPage
}

// readLevelQuery reads the query of the page.
func readLevelQuery(r *httpapi.Request) (q levelQuery) {
	in := r.URL.Query()
	q.Limit, q.Low = pageSize, defaultLow
	q.Search = r.Query.SearchText()
	switch state := view.StockState(in.Get("state")); state {
	case view.RanOut, view.Wanted, view.LowStock, view.ReservedStock:
		q.State = state
	}

	if text := in.Get("low"); text != "" {
		low, ok := money.ParseTypedQuantity(text)
		if !ok {
			r.Query.BadParam("low", "must be a number such as 5")
		}
		q.Low = low
	}

	if text := in.Get("stock"); text != "" {
		stockID, err := id.Parse[catalog.Stock](text)
		if err != nil {
			r.Query.BadParam("stock", "must be the id of a warehouse")
		}
		q.Stock = &stockID
	}

	q.After, q.Before = frame.PositiveParam(r, "after", math.MaxInt64), frame.PositiveParam(r, "before", math.MaxInt64)
	return q
}

// scans reports whether the database may look at very many variants before it has found the variants of a page.
func (q levelQuery) scans() bool {
	return q.Search != "" || q.State != view.AnyStock || q.Stock != nil
}

// address returns the address of the page, without its position, with some values of its query changed. An empty value
// removes one.
func (q levelQuery) address(pairs ...string) string {
	low, stock := "", ""
	if q.Low != defaultLow {
		low = q.Low.Text()
	}
	if q.Stock != nil {
		stock = q.Stock.String()
	}
	return frame.Address(stockPath,
		append([]string{"q", q.Search, "state", string(q.State), "low", low, "stock", stock}, pairs...)...)
}

func (ui *UI) stockView(r *httpapi.Request) (frame.View, error) {
	q := readLevelQuery(r)
	var levels view.Levels
	var waiting map[int64]order.WaitingOrders

	read := func(ctx context.Context, tx store.Tx) ([]catalog.Stock, error) {
		list, _, err := ui.Catalog.Stocks.List(ctx, tx, "", maxWarehouses, 0)
		if err != nil {
			return nil, err
		}
		if levels, err = view.ReadLevels(ctx, tx, q.LevelFilter, q.LevelPage); err != nil {
			return nil, err
		}

		waiting, err = ui.Orders.WaitingFor(ctx, tx, reservedVariants(levels.List))
		return list, err
	}

	warehouses, err := frame.ReadStore(ui.Frame, r, q.scans(), read)
	if err != nil {
		return frame.View{}, err
	}

	l := ui.pages.Language(r)
	body := &stockPage{Search: q.Search, State: q.State, Low: q.Low.Text(), Warehouses: warehouses,
		Back: q.address("after", positionText(q.After), "before", positionText(q.Before)), Pager: q.pager(levels)}
	if q.Stock != nil {
		body.Stock = q.Stock.String()
	}

	for _, t := range []tab{
		{Text: l.T("All"), URL: ""}, {Text: l.T("Ran out"), URL: string(view.RanOut)},
		{Text: l.T("Ran out, but ordered"), URL: string(view.Wanted)},
		{Text: l.T("Running low"), URL: string(view.LowStock)},
		{Text: l.T("Reserved"), URL: string(view.ReservedStock)},
	} {
		body.Tabs = append(body.Tabs, tab{t.Text, q.address("state", t.URL), t.URL == string(q.State)})
	}

	for _, level := range levels.List {
		body.Rows = append(body.Rows, newLevelRow(l, level, warehouses, waiting[level.Key], q.Low))
	}

	return ui.pages.NewView(r, "Stock", "stock", body), nil
}

// positionText returns a position in the list as the value of a query, which is empty for none.
func positionText(key int64) string {
	if key == 0 {
		return ""
	}
	return strconv.FormatInt(key, 10)
}

// reservedVariants returns the keys of the variants of which something is reserved.
func reservedVariants(levels []view.Level) (keys []int64) {
	for _, l := range levels {
		for _, m := range l.Remainders {
			if m.Reserved > 0 {
				keys = append(keys, l.Key)
				break
			}
		}
	}
	return keys
}

func (q levelQuery) pager(levels view.Levels) (p frame.Pager) {
	if n := len(levels.List); n > 0 {
		if levels.Earlier {
			p.Previous = q.address("before", strconv.FormatInt(levels.List[0].Key, 10))
		}
		if levels.Later {
			p.Next = q.address("after", strconv.FormatInt(levels.List[n-1].Key, 10))
		}
	}
	return p
}

func newLevelRow(
	l *frame.Language, level view.Level, warehouses []catalog.Stock, waiting order.WaitingOrders, low money.Quantity,
) levelRow {
	row := levelRow{Level: level, Orders: waiting.List[:min(len(waiting.List), maxWaiting)],
		State: levelState(l, level.Available, low)}
	switch more := len(waiting.List) - maxWaiting; {
	case more > 0 && waiting.More:
		row.MoreOrders = l.Plural(int64(more), "and more than %d order", "and more than %d orders")
	case more > 0:
		row.MoreOrders = l.Plural(int64(more), "and %d order more", "and %d orders more")
	}

	row.Options = level.OptionText()
	present := map[catalog.StockID]catalog.Remainder{}
	for _, m := range level.Remainders {
		present[m.StockID] = m
	}

	for _, t := range warehouses {
		if m, ok := present[t.ID]; ok {
			row.Remainders = append(row.Remainders, remainderRow{m, t.Name, frame.RowField{Text: m.Quantity.Text()}})
		} else {
			row.Others = append(row.Others, t)
		}
	}

	return row
}

// levelState returns the badge of what is left of a variant.
func levelState(l *frame.Language, available *money.Quantity, low money.Quantity) frame.State {
	switch {
	case available == nil:
		return frame.State{Code: "off", Text: l.T("Not counted")}
	case *available <= 0:
		return frame.State{Code: "bad", Text: l.T("Ran out")}
	case *available <= low:
		return frame.State{Code: "warn", Text: l.T("%s left", l.Decimal(*available))}
	}
	return frame.State{Code: "good", Text: l.T("%s left", l.Decimal(*available))}
}
