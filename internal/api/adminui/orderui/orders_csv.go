package orderui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// exportBatch is the number of orders that the export reads at a time.
const exportBatch = 250

// byteOrderMark makes spreadsheet programs read the file as UTF-8.
const byteOrderMark = "\ufeff"

// exportOrders writes the selected orders as a CSV file. It reads them in batches, each in a transaction of its own, so
// that a long export delays nobody, and holds one batch in memory.
func (ui *UI) exportOrders(w http.ResponseWriter, r *httpapi.Request) error {
	l := ui.pages.Language(r)
	shop := r.Principal.Store
	q := readOrdersQuery(r, l, ui.Now())
	if q.Errors != nil {
		r.Query.BadParam("from", "and to must be the days of a period")
	}

	err := r.RecordDownload(audit.Entry{Action: audit.OrdersDownloaded, Object: audit.Object{Kind: "orders"}}, false)
	if err != nil {
		return err
	}

	return r.Respond(w, func(out *httpapi.Response) error {
		out.B = append(out.B, byteOrderMark...)
		table := newCSVTable(l)
		if table.lists, err = frame.InStore(r, ui.Read(r), ui.priceListNames); err != nil {
			return err
		}

		out.B = table.append(out.B, l.T("Number"), l.T("State"), l.T("Date"), l.T("Name"), l.T("Phone"), l.T("E-mail"),
			l.T("Address"), l.T("Delivery comment"), l.T("Comment"), l.T("Items"), l.T("Total"), l.T("Currency"),
			l.T("Units of the items"), l.T("VAT rates of the items, %"), l.T("Barcodes of the items"),
			l.T("Price lists of the items"), l.T("Number of the payment in 1C"),
			l.T("Paid"), l.T("Carrier"), l.T("Number of the parcel"), l.T("Link to the parcel"), l.T("Tags"),
			l.T("Note"))
		filter := q.filter()
		filter.Sort = order.ByNewest // a list that is sorted otherwise may be incomplete
		var at *order.Position

		for more := true; more; more = at != nil {
			part, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (order.Part, error) {
				p, err := ui.Orders.List(ctx, tx, shop, filter, at, exportBatch)
				if err == nil {
					err = ui.Orders.FillItems(ctx, tx, shop, p.Orders)
				}
				return p, err
			})
			if err != nil {
				return err
			}

			for i := range part.Orders {
				out.B = table.appendOrder(out.B, l, shop.Zone(), &part.Orders[i])
				if err := out.Spill(); err != nil {
					return err
				}
			}

			at = part.Older
		}

		out.Type = "text/csv; charset=utf-8"
		frame.SetSecurityHeaders(w.Header())
		name := "orders-" + ui.Now().In(shop.Zone()).Format(time.DateOnly) + ".csv"
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)

		return nil
	})
}

// priceListNames returns the names of the store's price lists.
func (ui *UI) priceListNames(ctx context.Context, tx store.Tx) (map[catalog.PriceListID]string, error) {
	lists, _, err := ui.Prices.Lists.List(ctx, tx, "", pricelist.MaxLists, 0)
	names := make(map[catalog.PriceListID]string, len(lists))
	for _, l := range lists {
		names[l.ID] = l.Name
	}
	return names, err
}

// csvTable writes a table as the spreadsheet programs of a language read it.
type csvTable struct {
	separator, point string
	// lists are the names of the price lists that exist.
	lists map[catalog.PriceListID]string
}

// newCSVTable returns the table of a language. Where the comma is the decimal point, a semicolon separates the cells.
func newCSVTable(l *frame.Language) csvTable {
	if l.DecimalComma() {
		return csvTable{separator: ";", point: ","}
	}
	return csvTable{separator: ",", point: "."}
}

// number returns a number of units of 10^-decimals.
func (t csvTable) number(units int64, decimals int) string {
	return t.localized(string(wire.AppendFixed(nil, units, decimals)))
}

// localized returns a plain decimal number with the decimal point of the table.
func (t csvTable) localized(number string) string { return strings.Replace(number, ".", t.point, 1) }

func (t csvTable) appendOrder(b []byte, l *frame.Language, zone *time.Location, o *order.Order) []byte {
	at := o.CreatedAt
	if o.SubmittedAt != nil {
		at = *o.SubmittedAt
	}
	paid := ""
	if o.PaidAt != nil {
		paid = o.PaidAt.In(zone).Format(time.DateTime)
	}
	total := t.number(int64(o.Total), money.MoneyDecimals)

	return t.append(b, orderNumber(o), orderState(l, o.State).Text, at.In(zone).Format(time.DateTime), o.Contact.Name,
		o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment,
		joinItems(o.Items, t.itemText), total, o.Currency,
		joinItems(o.Items, func(i *order.Item) string { return i.Unit.Name }),
		joinItems(o.Items, func(i *order.Item) string { return t.localized(i.VATRate.Text()) }),
		joinItems(o.Items, func(i *order.Item) string { return i.Barcode }),
		joinItems(o.Items, t.priceList), o.PaymentNumber, paid, o.Tracking.Carrier, o.Tracking.Number, o.Tracking.URL,
		strings.Join(o.Tags, ", "), o.Note)
}

// joinItems returns a cell with a text of each item, in the order of the items. An item without the text keeps its
// place. The cell is empty if no item has the text.
func joinItems(items []order.Item, text func(*order.Item) string) string {
	texts := make([]string, len(items))
	for i := range items {
		texts[i] = text(&items[i])
	}

	if !slices.ContainsFunc(texts, func(text string) bool { return text != "" }) {
		return ""
	}
	return strings.Join(texts, "; ")
}

// priceList returns the name of the price list that gave the price of an item, or the id of a list that was deleted. It
// returns "" if the price is that of the variant itself.
func (t csvTable) priceList(i *order.Item) string {
	if i.PriceList.IsZero() {
		return ""
	}
	return cmp.Or(t.lists[i.PriceList], i.PriceList.String())
}

// itemText returns an item in one line: "Shirt, Colour: red, Gift wrap: Paper × 2 (50.5) (AB-12) × 2". The number in
// parentheses behind a modifier is what one costs.
func (t csvTable) itemText(i *order.Item) string {
	var b strings.Builder
	b.WriteString(i.Name)
	for _, o := range i.OptionNames() {
		b.WriteString(", " + o.Name + ": " + o.Value)
	}

	for _, m := range i.ModifierList() {
		b.WriteString(", " + m.GroupName + ": " + modifierName(m))
		if m.Price != 0 {
			b.WriteString(" (" + t.number(int64(m.Price), money.MoneyDecimals) + ")")
		}
	}

	if i.SKU != "" {
		b.WriteString(" (" + i.SKU + ")")
	}
	b.WriteString(" × " + t.number(int64(i.Quantity), money.QuantityDecimals))
	return b.String()
}

// phoneNumber matches a phone number as orders have it. It begins like a formula, but is only a number.
var phoneNumber = regexp.MustCompile(`^\+[0-9]+$`)

// append appends a line of a CSV file. A cell that a spreadsheet program would take for a formula gets an apostrophe in
// front.
func (t csvTable) append(b []byte, cells ...string) []byte {
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && !phoneNumber.MatchString(cell) {
			cells[i] = "'" + cell
		}
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	w.Comma = rune(t.separator[0])
	_ = w.Write(cells) // a bytes.Buffer does not fail
	w.Flush()
	return append(b, line.Bytes()...)
}
