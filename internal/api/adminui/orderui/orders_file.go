package orderui

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// exportBatch is the number of orders that the export reads at a time.
const exportBatch = 250

// exportOrders returns the handler that writes the selected orders as a file. It reads them in batches, each in a
// transaction of its own, so that a long export delays nobody, and holds one batch in memory.
func (ui *UI) exportOrders(format frame.TableFormat) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		l := ui.pages.Language(r)
		shop := r.Principal.Store
		q := readOrdersQuery(r, l, ui.Now())
		if q.Errors != nil {
			r.Query.BadParam("from", "and to must be the days of a period")
		}

		err := r.RecordDownload(audit.Entry{Action: audit.OrdersDownloaded, Object: audit.Object{Kind: "orders"}},
			false)
		if err != nil {
			return err
		}

		return r.Respond(w, func(out *httpapi.Response) error {
			file, err := frame.NewTableFile(out, l, format, l.T("Orders"))
			if err != nil {
				return err
			}
			table := ordersFile{TableFile: file, l: l, zone: shop.Zone()}
			if table.lists, err = frame.InStore(r, ui.Read(r), ui.priceListNames); err != nil {
				return err
			}

			if err := table.header(); err != nil {
				return err
			}
			filter := q.filter()
			filter.Sort = order.ByNewest // a list that is sorted otherwise may be incomplete
			var at *order.Position

			for more := true; more; more = at != nil {
				part, err := frame.InStore(r, ui.Snapshot(r), func(
					ctx context.Context, tx store.Tx,
				) (order.Part, error) {
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
					if err := table.order(&part.Orders[i]); err != nil {
						return err
					}
				}

				at = part.Older
			}

			return file.Close(w, "orders-"+ui.Now().In(shop.Zone()).Format(time.DateOnly))
		})
	}
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

// ordersFile is a file of orders.
type ordersFile struct {
	*frame.TableFile
	l    *frame.Language
	zone *time.Location
	// lists are the names of the price lists that exist.
	lists map[catalog.PriceListID]string
}

// header writes the names of the columns.
func (t ordersFile) header() error {
	l := t.l
	return t.TextRow(l.T("Number"), l.T("State"), l.T("Date"), l.T("Name"), l.T("Phone"), l.T("E-mail"),
		l.T("Address"), l.T("Delivery comment"), l.T("Comment"), l.T("Items"), l.T("Total"), l.T("Currency"),
		l.T("Units of the items"), l.T("VAT rates of the items, %"), l.T("Barcodes of the items"),
		l.T("Price lists of the items"), l.T("Number of the payment in 1C"),
		l.T("Paid"), l.T("Carrier"), l.T("Number of the parcel"), l.T("Link to the parcel"), l.T("Tags"),
		l.T("Note"))
}

// order writes an order.
func (t ordersFile) order(o *order.Order) error {
	at := o.CreatedAt
	if o.SubmittedAt != nil {
		at = *o.SubmittedAt
	}
	paid := ""
	if o.PaidAt != nil {
		paid = o.PaidAt.In(t.zone).Format(time.DateTime)
	}

	var cells []xlsx.Cell
	for _, text := range []string{orderNumber(o), orderState(t.l, o.State).Text, at.In(t.zone).Format(time.DateTime),
		o.Contact.Name, o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment,
		joinItems(o.Items, t.itemText)} {
		cells = append(cells, xlsx.Text(text))
	}
	cells = append(cells, t.Number(int64(o.Total), money.MoneyDecimals))
	for _, text := range []string{o.Currency,
		joinItems(o.Items, func(i *order.Item) string { return i.Unit.Name }),
		joinItems(o.Items, func(i *order.Item) string { return t.Localized(i.VATRate.Text()) }),
		joinItems(o.Items, func(i *order.Item) string { return i.Barcode }),
		joinItems(o.Items, t.priceList), o.PaymentNumber, paid, o.Tracking.Carrier, o.Tracking.Number, o.Tracking.URL,
		strings.Join(o.Tags, ", "), o.Note} {
		cells = append(cells, xlsx.Text(text))
	}

	return t.Row(cells...)
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
func (t ordersFile) priceList(i *order.Item) string {
	if i.PriceList.IsZero() {
		return ""
	}
	return cmp.Or(t.lists[i.PriceList], i.PriceList.String())
}

// itemText returns an item in one line: "Shirt, Colour: red, Gift wrap: Paper × 2 (50.5) (AB-12) × 2". The number in
// parentheses behind a modifier is what one costs.
func (t ordersFile) itemText(i *order.Item) string {
	var b strings.Builder
	b.WriteString(i.Name)
	for _, o := range i.OptionNames() {
		b.WriteString(", " + o.Name + ": " + o.Value)
	}

	for _, m := range i.ModifierList() {
		b.WriteString(", " + m.GroupName + ": " + modifierName(m))
		if m.Price != 0 {
			b.WriteString(" (" + t.Decimal(int64(m.Price), money.MoneyDecimals) + ")")
		}
	}

	if i.SKU != "" {
		b.WriteString(" (" + i.SKU + ")")
	}
	b.WriteString(" × " + t.Decimal(int64(i.Quantity), money.QuantityDecimals))
	return b.String()
}
