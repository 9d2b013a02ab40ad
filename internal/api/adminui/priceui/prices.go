package priceui

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const (
	pricesPath  = listsPath + "/prices"
	rowsPerPage = 50
	// shownLists is the number of price lists that the grid shows beside each other.
	shownLists = 6
)

// pricesPage is the data of the grid: the variants are its rows, the price lists its columns.
type pricesPage struct {
	Search  string
	List    string              // the id of the only list to show, or ""
	Lists   []catalog.PriceList // all lists
	Columns []catalog.PriceList // the lists that are shown
	Rows    []priceRow
	Pager   frame.Pager
	// Back is the address of the page, for forms that return to it.
	Back string
}

// Filtered reports whether the page does not show all variants.
func (b *pricesPage) Filtered() bool { return b.Search != "" }

// priceRow is a variant. Cells are its prices in the lists of the columns.
type priceRow struct {
	view.PriceRow
	Options string
	Cells   []priceCell
	// New is a price for another quantity that was refused.
	New     stepField
	Message string // why the row was refused
}

// priceCell has the prices of a variant in a list, by quantity. It begins with the price for 1.
type priceCell struct {
	List  catalog.PriceList
	Steps []stepField
}

// stepField is the field of a price. Was is the price with which the page was rendered.
type stepField struct {
	List, From, Was, Text string
	One                   bool // the price for 1
}

// pricesQuery is the query of the page.
type pricesQuery struct {
	search string
	list   *catalog.PriceListID
	view.LevelPage
}

func readPricesQuery(r *httpapi.Request) (q pricesQuery) {
	q.search = r.Query.SearchText()
	q.Limit = rowsPerPage
	q.After, q.Before = frame.PositiveParam(r, "after", math.MaxInt64), frame.PositiveParam(r, "before", math.MaxInt64)
	if text := r.URL.Query().Get("list"); text != "" {
		listID, err := id.Parse[catalog.PriceList](text)
		if err != nil {
			r.Query.BadParam("list", "must be the id of a price list")
		}
		q.list = &listID
	}
	return q
}

// address returns the address of the page with a position, which may be "".
func (q pricesQuery) address(name string, key int64) string {
	list, at := "", ""
	if q.list != nil {
		list = q.list.String()
	}
	if key > 0 {
		at = strconv.FormatInt(key, 10)
	}
	return frame.Address(pricesPath, "q", q.search, "list", list, name, at)
}

func (ui *UI) pricesView(r *httpapi.Request) (frame.View, error) {
	q := readPricesQuery(r)
	v := ui.pages.NewView(r, "Prices", "prices", nil)
	body := &pricesPage{Search: q.search, Back: q.address("after", q.After)}
	if q.Before > 0 {
		body.Back = q.address("before", q.Before)
	}

	found, err := frame.ReadStore(ui.Frame, r, q.search != "", func(
		ctx context.Context, tx store.Tx,
	) (found view.PriceRows, err error) {
		if body.Lists, err = ui.readLists(ctx, tx); err != nil {
			return found, err
		}
		return view.ReadPriceRows(ctx, tx, q.search, q.LevelPage)
	})
	if err != nil {
		return v, err
	}

	body.Columns = body.Lists[:min(len(body.Lists), shownLists)]
	if q.list != nil {
		body.List = q.list.String()
		body.Columns = slices.DeleteFunc(slices.Clone(body.Lists),
			func(l catalog.PriceList) bool { return l.ID != *q.list })
	}

	for _, row := range found.List {
		body.Rows = append(body.Rows, newPriceRow(row, body.Columns))
	}
	if n := len(found.List); n > 0 {
		if found.Earlier {
			body.Pager.Previous = q.address("before", found.List[0].Key)
		}
		if found.Later {
			body.Pager.Next = q.address("after", found.List[n-1].Key)
		}
	}

	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Price lists"), URL: listsPath}}
	return v, nil
}

func newPriceRow(found view.PriceRow, columns []catalog.PriceList) priceRow {
	row := priceRow{PriceRow: found, Options: found.OptionText()}

	for _, l := range columns {
		cell := priceCell{List: l, Steps: []stepField{{List: l.ID.String(), From: "1", One: true}}}
		for _, p := range found.Prices {
			if p.ListKey != l.Key {
				continue
			}
			text := money.NewOptional(p.Price).Text()
			if p.FromQuantity == catalog.DefaultFromQuantity {
				cell.Steps[0].Was, cell.Steps[0].Text = text, text
				continue
			}
			cell.Steps = append(cell.Steps,
				stepField{List: l.ID.String(), From: p.FromQuantity.Text(), Was: text, Text: text})
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// priceForm is the form of a row.
type priceForm struct {
	product catalog.ProductID
	variant catalog.VariantID
	steps   []stepField
}

// readPriceForm reads the form of a row. The error is fault.Invalid.
func readPriceForm(r *httpapi.Request) (f priceForm, err error) {
	var productErr, variantErr error
	f.product, productErr = id.Parse[catalog.Product](r.PostForm.Get("product"))
	f.variant, variantErr = id.Parse[catalog.Variant](r.PostForm.Get("variant"))
	lists, from, was, texts := r.PostForm["list"], r.PostForm["from"], r.PostForm["was"], r.PostForm["price"]
	if productErr != nil || variantErr != nil || len(from) != len(lists) || len(was) != len(lists) ||
		len(texts) != len(lists) {
		return f, fault.OneField("price", "required", "Load the page again.")
	}

	for i := range lists {
		f.steps = append(f.steps, stepField{List: lists[i], From: strings.TrimSpace(from[i]), Was: was[i],
			Text: strings.TrimSpace(texts[i])})
	}
	return f, nil
}

// changes returns the prices that the operator has changed. The error is fault.Invalid.
func (f priceForm) changes(lists []catalog.PriceList) (changes []catalog.ListPriceChange, err error) {
	for _, step := range f.steps {
		if step.Text == step.Was {
			continue
		}

		at := slices.IndexFunc(lists, func(l catalog.PriceList) bool { return l.ID.String() == step.List })
		if at < 0 {
			return nil, fault.Fields([]fault.Field{store.UnknownPriceList().At("price")})
		}
		quantity, ok := money.ParseTypedQuantity(step.From)
		if !ok {
			return nil, fault.OneField("price", "out_of_range", "A quantity is a number such as 10 or 1.5.")
		}
		price, broken := parseTypedPrice(step.Text)
		if broken != nil {
			return nil, fault.OneField("price", broken.Code, "%s", broken.Message)
		}
		was, broken := parseTypedPrice(step.Was)
		if broken != nil {
			return nil, fault.OneField("price", "required", "Load the page again.")
		}

		changes = append(changes,
			catalog.ListPriceChange{List: &lists[at], FromQuantity: quantity, Was: was, Price: price})
	}
	return changes, nil
}

// parseTypedPrice parses a price that a person wrote, with a decimal point or comma. An empty text is no price.
func parseTypedPrice(text string) (money.Price, *fault.Field) {
	if text == "" {
		return money.Price{}, nil
	}
	return money.ParseTypedPrice(text)
}

func (ui *UI) setPrices(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	f, err := readPriceForm(r)
	if err == nil {
		_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (changed int, err error) {
			lists, err := ui.readLists(ctx, tx)
			if err != nil {
				return 0, err
			}
			changes, err := f.changes(lists)
			if err != nil || len(changes) == 0 {
				return 0, err
			}
			return len(changes), ui.Catalog.Products.SetListPrices(ctx, tx, f.product, f.variant, changes)
		})
	}
	if frame.Refused(err) {
		return ui.rejectPrices(w, r, f, err)
	}

	return ui.Done(w, r, err, frame.BackTo(r, pricesPath), ui.pages.Language(r).T("Saved."))
}

// rejectPrices shows the page again with what the operator wrote and the reason in the row of the variant.
func (ui *UI) rejectPrices(w http.ResponseWriter, r *httpapi.Request, f priceForm, refusal error) error {
	frame.ShowAgain(r, pricesPath)
	v, err := ui.pricesView(r)
	if err != nil {
		return err
	}

	message := v.Refusal(refusal)
	if fault.KindOf(refusal) == fault.Stale {
		message = v.StaleImpact()
	}
	body := v.Body.(*pricesPage)
	at := slices.IndexFunc(body.Rows, func(row priceRow) bool { return row.ID == f.variant })
	if at < 0 {
		return ui.pages.Reject(w, "prices", v, message)
	}

	body.Rows[at].Message = message
	if fault.KindOf(refusal) != fault.Stale { // else the present prices are shown
		body.Rows[at].fill(f.steps)
	}
	return ui.pages.Reject(w, "prices", v, v.T("Nothing was saved: look at the marked fields."))
}

// fill puts refused prices into the fields of the row.
func (row *priceRow) fill(steps []stepField) {
	for _, typed := range steps {
		if typed.Was == "" && typed.From != "1" {
			row.New = typed
			continue
		}
		for i := range row.Cells {
			for j := range row.Cells[i].Steps {
				field := &row.Cells[i].Steps[j]
				if field.List == typed.List && field.From == typed.From {
					field.Text = typed.Text
				}
			}
		}
	}
}
