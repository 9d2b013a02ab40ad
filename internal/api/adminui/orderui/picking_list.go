package orderui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// pickingBody is the data of a picking list: what is to be fetched for several orders, by warehouse.
type pickingBody struct {
	Orders []severalRow
	// Left are the orders for which there is nothing to fetch.
	Left       []severalRow
	Warehouses []pickingWarehouse
}

// pickingWarehouse is what is to be fetched from a warehouse. It has no name for goods whose stock is not kept.
type pickingWarehouse struct {
	Name string
	Rows []pickingRow
}

// pickingRow is a thing to fetch, and the orders that it is for.
type pickingRow struct {
	Name, SKU, Barcode, Picture string
	Options                     []order.ItemOption
	Modifiers                   []modifierRow
	Quantity, Unit              string
	// For lists the orders: "No. 5, No. 7 × 2".
	For string

	quantity money.Quantity
	parts    []pickingPart
}

// pickingPart is the quantity of a thing for an order.
type pickingPart struct {
	order    string
	quantity money.Quantity
}

// pickingKey identifies a thing in a warehouse: lines with different modifiers are packed differently.
type pickingKey struct {
	warehouse, variant, modifiers string
}

// pickingView returns the picking list of the ticked orders. For completed and cancelled ones nothing is fetched.
func (ui several) pickingView(
	ctx context.Context, tx store.Tx, v *frame.View, orders []order.Order, _ string,
) (any, error) {
	v.Title = v.T("Picking list")
	b := pickingBody{}
	var keys []int64
	var open []order.Order
	for i := range orders {
		o := &orders[i]
		if o.State != order.Submitted && o.State != order.Confirmed {
			b.Left = append(b.Left, newSeveralRow(*v, o))
			continue
		}
		b.Orders = append(b.Orders, newSeveralRow(*v, o))
		keys = append(keys, o.Key)
		open = append(open, *o)
	}

	reserved, err := ui.Orders.Reserved(ctx, tx, keys...)
	if err != nil {
		return nil, err
	}

	b.Warehouses = pickByWarehouse(*v, open, reserved)
	return b, nil
}

// pickByWarehouse adds up the items of orders by what is fetched, and from where.
func pickByWarehouse(v frame.View, orders []order.Order, reserved []order.ReservedItem) []pickingWarehouse {
	ofItem := map[int64][]order.ReservedItem{}
	for _, r := range reserved {
		ofItem[r.ItemKey] = append(ofItem[r.ItemKey], r)
	}

	rows := map[pickingKey]*pickingRow{}
	for i := range orders {
		o := &orders[i]
		for n := range o.Items {
			item := &o.Items[n]
			parts := ofItem[item.Key]
			if parts == nil {
				parts = []order.ReservedItem{{Quantity: item.Quantity}}
			}
			for _, part := range parts {
				addToPick(v, rows, orderTitle(v.Language, o), o.Currency, item, part)
			}
		}
	}

	return pickingWarehouses(v, rows)
}

// addToPick adds a part of an item to what is fetched.
func addToPick(
	v frame.View, rows map[pickingKey]*pickingRow, title, currency string, item *order.Item, part order.ReservedItem,
) {
	modifiers := modifierRows(v, item, currency)
	var chosen []string
	for i := range modifiers {
		modifiers[i].Price = "" // not the business of who packs
		chosen = append(chosen, modifiers[i].Group+"\x00"+modifiers[i].Name)
	}

	key := pickingKey{part.Stock, item.VariantID.String(), strings.Join(chosen, "\x00")}
	row := rows[key]
	if row == nil {
		row = &pickingRow{Name: item.Name, SKU: item.SKU, Barcode: item.Barcode, Unit: item.Unit.Name,
			Picture: picturePath(item.ThumbnailPath), Options: item.OptionNames(), Modifiers: modifiers}
		rows[key] = row
	}
	row.quantity += part.Quantity
	row.parts = append(row.parts, pickingPart{title, part.Quantity})
}

// pickingWarehouses returns the rows by warehouse, and by name in each. Goods whose stock is not kept come last.
func pickingWarehouses(v frame.View, rows map[pickingKey]*pickingRow) (list []pickingWarehouse) {
	byName := map[string][]pickingRow{}
	for key, row := range rows {
		row.Quantity = v.Decimal(row.quantity)
		row.For = forOrders(v, row.parts)
		byName[key.warehouse] = append(byName[key.warehouse], *row)
	}

	for name, of := range byName {
		slices.SortFunc(of, func(a, b pickingRow) int {
			return cmp.Or(locale.CompareNatural(a.Name, b.Name), locale.CompareNatural(a.SKU, b.SKU),
				cmp.Compare(a.For, b.For))
		})
		list = append(list, pickingWarehouse{name, of})
	}
	slices.SortFunc(list, func(a, b pickingWarehouse) int {
		if (a.Name == "") != (b.Name == "") {
			return strings.Compare(b.Name, a.Name)
		}
		return locale.CompareNatural(a.Name, b.Name)
	})
	return list
}

// forOrders names the orders that a thing is for, with its quantity if that is not one.
func forOrders(v frame.View, parts []pickingPart) string {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = part.order
		if part.quantity != pricing.One {
			names[i] += " × " + v.Decimal(part.quantity)
		}
	}
	return strings.Join(names, ", ")
}
