package order

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// LineUpdate changes a line of a submitted order, or adds one.
type LineUpdate struct {
	// Item is the line that changes. The zero value adds a line with the variant and the modifiers; if the order has
	// such a line, its quantity grows.
	Item      ItemID
	Variant   catalog.VariantID
	Modifiers []modifier.Choice
	// Quantity is the new quantity of the line, 0 to remove it, or how much is added.
	Quantity money.Quantity
	// Price is what one piece costs with its modifiers. nil keeps the price of a line; a new line has the present price
	// of the variant for the customer.
	Price *money.Money
}

// lineChanges are the changes of the lines of an order.
type lineChanges struct {
	order *Order
	// items are the items after the change. Those that were added have no key yet. before are the items until now, by
	// id.
	items  []Item
	before map[ItemID]Item
	// sent has the index of the update of each changed item.
	sent map[ItemID]int
	// choices are what the updates that add lines choose, by the index of the update.
	choices map[int]*choosing
}

// lineChanger changes the lines of submitted orders.
type lineChanger struct{ catalog *catalog.Service }

func lineField(i int) string { return fmt.Sprintf("lines[%d]", i) }

// changeLines changes the items of an order that is locked, and what it reserves. It writes all but the order itself.
// It returns the keys of the products whose stock changed. The fields of its faults are named lines[n].
func (l lineChanger) changeLines(
	ctx context.Context, tx store.Tx, shop store.Store, o *Order, updates []LineUpdate,
) (products []int64, err error) {
	c := lineChanges{order: o, before: map[ItemID]Item{}, sent: map[ItemID]int{}}
	for _, item := range o.Items {
		c.before[item.ID] = item
	}

	offers, err := l.catalog.Products.Offers(ctx, tx, addedVariants(updates))
	if err != nil {
		return nil, err
	}
	if c.choices, err = l.chooseAdded(ctx, tx, updates, offers); err != nil {
		return nil, err
	}
	if err := c.apply(updates, offers); err != nil {
		return nil, err
	}
	if err := l.priceAdded(ctx, tx, shop, &c, updates); err != nil {
		return nil, err
	}
	if err := c.checkLimits(); err != nil {
		return nil, err
	}

	if products, err = l.reserveChanges(ctx, tx, &c); err != nil {
		return nil, err
	}
	return products, nil
}

// addedVariants returns the variants of the lines that are added.
func addedVariants(updates []LineUpdate) (ids []catalog.VariantID) {
	for _, u := range updates {
		if u.Item.IsZero() {
			ids = append(ids, u.Variant)
		}
	}
	slices.SortFunc(ids, func(a, b catalog.VariantID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// chooseAdded returns what the updates that add lines choose, by their indexes.
func (l lineChanger) chooseAdded(
	ctx context.Context, tx store.Tx, updates []LineUpdate, offers map[catalog.VariantID]*catalog.Offer,
) (map[int]*choosing, error) {
	var list []choosing
	var indexes []int
	for i, u := range updates {
		if u.Item.IsZero() {
			list = append(list, choosing{offer: offers[u.Variant], choices: u.Modifiers})
			indexes = append(indexes, i)
		}
	}
	if err := (modifierReader{l.catalog.Products}).choose(ctx, tx, list); err != nil {
		return nil, err
	}

	choices := map[int]*choosing{}
	var wrong []fault.Field
	for n, i := range indexes {
		choices[i] = &list[n]
		for _, p := range list[n].problems {
			wrong = append(wrong, p.At(lineField(i)+"."+p.Path()))
		}
	}
	return choices, fault.Fields(wrong)
}

// apply sets the items after the change, without the prices of those that are added.
func (c *lineChanges) apply(updates []LineUpdate, offers map[catalog.VariantID]*catalog.Offer) error {
	c.items = slices.Clone(c.order.Items)
	var wrong []fault.Field
	for i, u := range updates {
		var chosen []modifier.Chosen
		if u.Item.IsZero() {
			chosen = c.choices[i].chosen
		}
		at := slices.IndexFunc(c.items, func(item Item) bool {
			return item.ID == u.Item ||
				u.Item.IsZero() && item.VariantID == u.Variant && item.choice == modifier.Key(chosen)
		})
		quantity := u.Quantity

		switch {
		case at >= 0 && u.Item.IsZero():
			quantity += c.items[at].Quantity
		case at < 0 && !u.Item.IsZero():
			wrong = append(wrong, fault.NewField(lineField(i), "unknown_item",
				"The order does not have this line any more."))
			continue
		case at < 0:
			offer := offers[u.Variant]
			if offer == nil || !offer.Live {
				wrong = append(wrong, fault.NewField(lineField(i), "unknown_variant",
					"This is not in the shop any more."))
				continue
			}
			item := Item{ID: id.New[Item]()}
			item.setOffer(offer)
			item.setModifiers(chosen)
			c.items = append(c.items, item)
			at = len(c.items) - 1
		}

		item := &c.items[at]
		item.Quantity = quantity
		c.sent[item.ID] = i
		if u.Price != nil {
			item.Price = money.NewPrice(*u.Price)
			if item.Price != c.before[item.ID].Price {
				item.PriceList = catalog.PriceListID{}
			}
		}
	}

	c.items = slices.DeleteFunc(c.items, func(item Item) bool { return item.Quantity == 0 })
	return fault.Fields(wrong)
}

// priceAdded gives the lines that were added without a price the present one for the customer of the order.
func (l lineChanger) priceAdded(
	ctx context.Context, tx store.Tx, shop store.Store, c *lineChanges, updates []LineUpdate,
) error {
	var added []*Item
	var keys []int64
	for i := range c.items {
		item := &c.items[i]
		if _, stored := c.before[item.ID]; !stored {
			added = append(added, item)
			keys = append(keys, item.variantKey)
		}
	}

	if added == nil {
		return nil
	}
	chain, err := selectChain(ctx, tx, c.order.Key)
	if err != nil {
		return err
	}
	prices, err := readItemPrices(ctx, tx, chain, keys)
	if err != nil {
		return err
	}

	var wrong []fault.Field
	for _, item := range added {
		field := lineField(c.sent[item.ID])
		fixed := updates[c.sent[item.ID]].Price != nil
		fits := true
		if !fixed {
			prices.apply(item)
			fits = item.addModifierPrices()
		}
		switch {
		case !fits:
			wrong = append(wrong, tooExpensivePiece(field+".modifiers"))
		case !item.Price.IsSet():
			wrong = append(wrong, fault.NewField(field, "not_for_sale", "This has no price. Enter one."))
		case !fixed && shop.Currency != c.order.Currency:
			wrong = append(wrong, fault.NewField(field, "price_required",
				"The currency of the shop has changed since the order. Enter a price in %s.", c.order.Currency))
		}
	}
	return fault.Fields(wrong)
}

// checkLimits returns fault.Invalid if the order would have no line, or too much of something.
func (c *lineChanges) checkLimits() error {
	if len(c.items) == 0 {
		return fault.OneField("lines", "order_empty",
			"An order has at least one line. Cancel the order instead of removing all of them.")
	}
	for i := range c.items {
		item := &c.items[i]
		if item.Quantity > maxQuantity {
			return fault.OneField(lineField(c.sent[item.ID]), "out_of_range",
				"At most %d of one variant can be ordered.", maxQuantity/1000)
		}
	}
	return checkOrderLimits(&Order{Items: c.items}, "lines")
}

// reserveChanges gives back what lines reserve no longer, reserves what they need more, and writes the items. Lines
// that keep their quantities keep their reservations, also of variants that are not sold any more.
func (l lineChanger) reserveChanges(ctx context.Context, tx store.Tx, c *lineChanges) (products []int64, err error) {
	held, err := selectItemReservations(ctx, tx, c.order.Key)
	if err != nil {
		return nil, err
	}
	if err := l.catalog.Stocks.Lock(ctx, tx, c.variantKeys()); err != nil {
		return nil, err
	}

	freed := c.free(held)
	released, err := l.catalog.Stocks.Release(ctx, tx, freed)
	if err != nil {
		return nil, err
	}

	raised, wanted := c.wanted()
	var r catalog.Reservation
	if len(wanted) > 0 {
		if r, err = l.catalog.Stocks.Reserve(ctx, tx, wanted); err != nil {
			return nil, err
		}
	}
	if err := c.checkReserved(raised, &r); err != nil {
		return nil, err
	}

	if err := c.saveItems(ctx, tx); err != nil {
		return nil, err
	}
	changed := slices.Clone(freed)
	for i, item := range raised {
		for _, part := range r.Parts[i] {
			held[item] = append(held[item], part)
			changed = append(changed, part)
		}
	}
	if err := c.saveReservations(ctx, tx, held); err != nil {
		return nil, err
	}

	if c.order.taken != nil { // accounting has to take the order anew
		if err := l.catalog.Stocks.ForgetPushedQuantities(ctx, tx, changed); err != nil {
			return nil, err
		}
		if err := clearTaken(ctx, tx, c.order.Key); err != nil {
			return nil, err
		}
	}

	products = slices.Sorted(slices.Values(append(released, r.Products...)))
	return slices.Compact(products), nil
}

// variantKeys returns the variants of the items before and after the change.
func (c *lineChanges) variantKeys() []int64 {
	keys := variantKeysOfItems(c.items)
	for _, item := range c.before {
		keys = append(keys, item.variantKey)
	}
	return keys
}

// free takes from held what items reserve no longer, from the last stock on, and returns it.
func (c *lineChanges) free(held map[ItemID][]catalog.Reserved) (freed []catalog.Reserved) {
	quantities := map[ItemID]money.Quantity{}
	for i := range c.items {
		quantities[c.items[i].ID] = c.items[i].Quantity
	}

	for _, before := range c.order.Items {
		left := quantities[before.ID]
		kept := []catalog.Reserved{}
		for _, part := range held[before.ID] {
			n := min(part.Quantity, left)
			left -= n
			if n > 0 {
				kept = append(kept, catalog.Reserved{Variant: part.Variant, Stock: part.Stock, Quantity: n})
			}
			if n < part.Quantity {
				part.Quantity -= n
				freed = append(freed, part)
			}
		}
		held[before.ID] = kept
	}
	return freed
}

// wanted returns the items that need more than before, and how much more.
func (c *lineChanges) wanted() (raised []ItemID, wanted []catalog.Wanted) {
	for i := range c.items {
		item := &c.items[i]
		if more := item.Quantity - c.before[item.ID].Quantity; more > 0 {
			raised = append(raised, item.ID)
			wanted = append(wanted, catalog.Wanted{Variant: item.VariantID, Quantity: more})
		}
	}
	return raised, wanted
}

// checkReserved returns fault.Conflict with a field for each line that could not be reserved.
func (c *lineChanges) checkReserved(raised []ItemID, r *catalog.Reservation) error {
	if r.Complete() {
		return nil
	}

	var fields []fault.Field
	for i, item := range raised {
		field := lineField(c.sent[item])
		switch {
		case r.Offers[i] == nil:
			fields = append(fields, fault.NewField(field, "unknown_variant", "This is not in the shop any more."))
		case r.Short[i]:
			most := c.before[item].Quantity + r.Left[i]
			broken := fault.NewField(field, "out_of_stock", "There is not enough in stock: at most %s.",
				string(decimalOf(most)))
			broken.Available = string(decimalOf(most))
			fields = append(fields, broken)
		}
	}

	f := fault.New(fault.Conflict, "out_of_stock", "There is not enough of some of the lines; nothing was changed.")
	f.Fields = fields
	return f
}

// saveItems writes the items, and sets their keys.
func (c *lineChanges) saveItems(ctx context.Context, tx store.Tx) error {
	var removed []int64
	var added, changed []Item
	after := map[ItemID]bool{}
	for _, item := range c.items {
		before, stored := c.before[item.ID]
		after[item.ID] = true
		switch {
		case !stored:
			added = append(added, item)
		case before.Quantity != item.Quantity || before.Price != item.Price || before.PriceList != item.PriceList:
			changed = append(changed, item)
		}
	}

	for _, item := range c.order.Items {
		if !after[item.ID] {
			removed = append(removed, item.Key)
		}
	}

	if err := deleteReservationsOfOrder(ctx, tx, c.order.Key); err != nil {
		return err
	}
	if err := deleteItems(ctx, tx, removed); err != nil {
		return err
	}
	if err := updateLines(ctx, tx, changed); err != nil {
		return err
	}
	if err := insertItems(ctx, tx, c.order.Key, added); err != nil {
		return err
	}

	items, err := selectItems(ctx, tx, c.order.Key)
	c.order.Items = items
	c.order.Total, _ = sumItems(items)
	return err
}

// saveReservations writes what the items reserve.
func (c *lineChanges) saveReservations(
	ctx context.Context, tx store.Tx, held map[ItemID][]catalog.Reserved,
) error {
	parts := make([][]catalog.Reserved, len(c.order.Items))
	for i := range c.order.Items {
		parts[i] = sumByStock(held[c.order.Items[i].ID])
	}
	return insertReservations(ctx, tx, c.order.Items, parts)
}

// sumByStock returns one part for each stock.
func sumByStock(parts []catalog.Reserved) (sums []catalog.Reserved) {
	slices.SortStableFunc(parts, func(a, b catalog.Reserved) int { return cmp.Compare(a.Stock, b.Stock) })
	for _, part := range parts {
		if n := len(sums); n > 0 && sums[n-1].Stock == part.Stock {
			sums[n-1].Quantity += part.Quantity
			continue
		}
		sums = append(sums, part)
	}
	return sums
}

// lineTexts returns the changed lines for the log: "Shirt, red (AB-12): 2 × 19.5".
func lineTexts(before, after []Item) (changes []audit.Change) {
	byID := map[ItemID]*Item{}
	for i := range after {
		byID[after[i].ID] = &after[i]
	}
	for i := range before {
		was := &before[i]
		changes = audit.AppendChange(changes, "lines", was.logText(), byID[was.ID].logText())
		delete(byID, was.ID)
	}
	for i := range after {
		if byID[after[i].ID] != nil {
			changes = audit.AppendChange(changes, "lines", "", after[i].logText())
		}
	}
	return changes
}

// logText returns an item for the log, or "" for nil.
func (i *Item) logText() string {
	if i == nil {
		return ""
	}
	name := i.Name
	if i.SKU != "" {
		name += " (" + i.SKU + ")"
	}
	return name + ": " + i.Quantity.Text() + " × " + i.Price.Text()
}
