package orderui

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"regexp"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/audit"
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
	q := readOrdersQuery(r, l)
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
		out.B = table.append(out.B, l.T("Number"), l.T("State"), l.T("Date"), l.T("Name"), l.T("Phone"), l.T("E-mail"),
			l.T("Address"), l.T("Delivery comment"), l.T("Comment"), l.T("Items"), l.T("Total"), l.T("Currency"))
		var at *order.Position

		for more := true; more; more = at != nil {
			part, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (order.Part, error) {
				p, err := ui.Orders.List(ctx, tx, shop, q.filter(), at, exportBatch)
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

// csvTable writes a table as the spreadsheet programs of a language read it.
type csvTable struct{ separator, point string }

// newCSVTable returns the table of a language. Where the comma is the decimal point, a semicolon separates the cells.
func newCSVTable(l *frame.Language) csvTable {
	if l.DecimalComma() {
		return csvTable{";", ","}
	}
	return csvTable{",", "."}
}

// number returns a number of units of 10^-decimals.
func (t csvTable) number(units int64, decimals int) string {
	return strings.Replace(string(wire.AppendFixed(nil, units, decimals)), ".", t.point, 1)
}

func (t csvTable) appendOrder(b []byte, l *frame.Language, zone *time.Location, o *order.Order) []byte {
	at := o.CreatedAt
	if o.SubmittedAt != nil {
		at = *o.SubmittedAt
	}
	items := make([]string, len(o.Items))
	for i := range o.Items {
		items[i] = t.itemText(&o.Items[i])
	}
	total := t.number(int64(o.Total), money.MoneyDecimals)
	return t.append(b, orderNumber(o), orderState(l, o.State).Text, at.In(zone).Format(time.DateTime), o.Contact.Name,
		o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment, strings.Join(items, "; "),
		total, o.Currency)
}

// itemText returns an item in one line: "Shirt, Colour: red (AB-12) × 2".
func (t csvTable) itemText(i *order.Item) string {
	var b strings.Builder
	b.WriteString(i.Name)
	for _, o := range i.OptionNames() {
		b.WriteString(", " + o.Name + ": " + o.Value)
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
