package order

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// Create creates a draft and its order token. Only a hash of the token is stored. It returns fault.Invalid with a field
// for each broken rule; the transaction must then be rolled back.
func (s *Service) Create(
	ctx context.Context, tx store.Tx, shop store.Store, e Edit, caller Caller,
) (o Order, token string, err error) {
	defer fault.AddContext(&err, "create order in store %s", shop.ID)

	now := database.Moment(s.Now())
	token = newOrderToken()
	o = Order{
		ID: id.New[Order](), State: Draft, Currency: shop.Currency, Version: 1, CreatedAt: now, UpdatedAt: now,
		token: hashOrderToken(token), CredentialID: caller.KeyID, prices: caller.Prices, entered: caller.enters,
	}
	caller.claim(&o)
	e.apply(&o)
	var lines []Line

	if e.Items != nil {
		lines = *e.Items
	}

	if err := s.setItems(ctx, tx, &o, requestedLines{lines: lines, fieldPath: itemFieldPath}, caller); err != nil {
		return Order{}, "", err
	}

	// Last, because it may delete other drafts: a request that is refused for another reason must not count.
	if err := s.admitDraft(ctx, tx, caller); err != nil {
		return Order{}, "", err
	}
	if err := insertOrder(ctx, tx, &o); err != nil {
		return Order{}, "", err
	}

	o.Total, _ = sumItems(o.Items)
	s.countCart(tx, shop, 0, len(o.Items))

	if err := insertItems(ctx, tx, o.Key, o.Items); err != nil {
		return Order{}, "", err
	}

	orders := []Order{o}
	err = fillLinks(ctx, tx, orders)
	return orders[0], token, err
}

// Edit applies the edit to a draft. The item of a variant and a choice that stays in the draft keeps its id. It returns
// fault.NotFound, fault.Stale, fault.Conflict if the order is not a draft, or fault.Invalid with a field for each
// broken rule; the transaction must then be rolled back.
func (s *Service) Edit(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, e Edit, caller Caller,
	pre fault.Precondition,
) (_ Order, err error) {
	defer fault.AddContext(&err, "edit order %s", orderID)
	return s.editDraft(ctx, tx, shop, orderID, caller, pre, func(o *Order) error {
		e.apply(o)
		if e.Items == nil {
			return nil
		}
		request := requestedLines{lines: *e.Items, fieldPath: itemFieldPath}
		if err := s.setItems(ctx, tx, o, request, caller); err != nil {
			return err
		}
		if err := deleteItemsOfOrder(ctx, tx, o.Key); err != nil {
			return err
		}
		return insertItems(ctx, tx, o.Key, o.Items)
	})
}

// AddItem adds a line to a draft and returns the id of its item. If the draft already has an item of the same variant
// with the same modifiers, AddItem increases the quantity of that item. It returns the same errors as Edit, except
// fault.Stale.
func (s *Service) AddItem(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, line Line, caller Caller,
) (o Order, added ItemID, err error) {
	defer fault.AddContext(&err, "add item to order %s", orderID)

	o, err = s.editDraft(ctx, tx, shop, orderID, caller, nil, func(o *Order) error {
		addition := &Order{Items: o.Items, prices: o.prices}
		request := requestedLines{[]Line{line}, func(int) string { return "" }, true}
		if err := s.setItems(ctx, tx, addition, request, caller); err != nil {
			return err
		}

		item := addition.Items[0]
		added = item.ID
		for i := range o.Items {
			if o.Items[i].ID == item.ID {
				return s.setQuantity(ctx, tx, o, &o.Items[i], o.Items[i].Quantity+item.Quantity, caller)
			}
		}

		o.Items = append(o.Items, item)
		pieces, before := o.piecesWith(&item, 0)
		if err := s.checkQuantity(pieces, before, "quantity", caller); err != nil {
			return err
		}
		if err := checkOrderLimits(o, "quantity"); err != nil {
			return err
		}

		return insertItems(ctx, tx, o.Key, []Item{item})
	})

	return o, added, err
}

// EditItem sets the quantity of an item of a draft. It returns the same errors as Edit, and fault.NotFound if the draft
// has no such item.
func (s *Service) EditItem(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, itemID ItemID, quantity money.Quantity,
	caller Caller, pre fault.Precondition,
) (_ Order, err error) {
	defer fault.AddContext(&err, "edit item %s of order %s", itemID, orderID)
	return s.editDraftItem(ctx, tx, shop, orderID, itemID, caller, pre, func(o *Order, item *Item) error {
		return s.setQuantity(ctx, tx, o, item, quantity, caller)
	})
}

// RemoveItem removes an item from a draft. It returns the same errors as EditItem.
func (s *Service) RemoveItem(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, itemID ItemID, caller Caller,
	pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "remove item %s from order %s", itemID, orderID)
	_, err = s.editDraftItem(ctx, tx, shop, orderID, itemID, caller, pre, func(o *Order, item *Item) error {
		key := item.Key
		o.Items = slices.DeleteFunc(o.Items, func(i Item) bool { return i.Key == key })
		return deleteItem(ctx, tx, key)
	})
	return err
}

// editDraftItem calls editDraft with a function that changes one item. It returns fault.NotFound if the draft has no
// such item.
func (s *Service) editDraftItem(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, itemID ItemID, caller Caller,
	pre fault.Precondition, fn func(o *Order, item *Item) error,
) (Order, error) {
	return s.editDraft(ctx, tx, shop, orderID, caller, pre, func(o *Order) error {
		for i := range o.Items {
			if o.Items[i].ID == itemID {
				return fn(o, &o.Items[i])
			}
		}
		return fault.Missing("item")
	})
}

// editDraft locks a draft, reads its items, calls fn to change it, and saves it with the next version. fn itself must
// write the items that it changes, also in o. editDraft returns the draft as it was saved.
func (s *Service) editDraft(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, caller Caller, pre fault.Precondition,
	fn func(o *Order) error,
) (Order, error) {
	o, err := s.authorizedOrder(ctx, tx, orderID, caller, tx.Dialect().ForUpdate)
	if err != nil {
		return Order{}, err
	}
	if err := pre.Check(o.Version); err != nil {
		return Order{}, err
	}
	if err := o.State.checkEditable(); err != nil {
		return Order{}, err
	}

	orders := []Order{o}
	if err := s.fillItems(ctx, tx, shop, orders); err != nil {
		return Order{}, err
	}

	before := len(orders[0].Items)
	if err := fn(&orders[0]); err != nil {
		return Order{}, err
	}

	s.countCart(tx, shop, before, len(orders[0].Items))
	s.raiseVersion(&orders[0])

	if err := updateOrder(ctx, tx, &orders[0]); err != nil {
		return Order{}, err
	}

	return s.readOrder(ctx, tx, shop, orderID, Caller{AllOrders: true})
}

// countCart counts a draft that got its first items, once the transaction is committed. A cart that is emptied and
// filled again counts again.
func (s *Service) countCart(tx store.Tx, shop store.Store, before, after int) {
	if s.Counts != nil && before == 0 && after > 0 {
		tx.Unscoped().AfterCommit(func() { s.Counts.Add(shop, CartsCount) })
	}
}

// setQuantity sets the quantity of an item of the draft o and writes it, or returns fault.Invalid if o exceeds a limit.
func (s *Service) setQuantity(
	ctx context.Context, tx store.Tx, o *Order, item *Item, quantity money.Quantity, caller Caller,
) error {
	before := item.Quantity
	item.Quantity = quantity
	pieces, before := o.piecesWith(item, before)
	if err := s.checkQuantity(pieces, before, "quantity", caller); err != nil {
		return err
	}

	if err := s.priceItem(ctx, tx, o, item); err != nil {
		return err
	}
	if err := checkOrderLimits(o, "quantity"); err != nil {
		return err
	}
	return updateItemQuantity(ctx, tx, item)
}

// priceItem sets the price of an item of a draft for its quantity, if the draft has price lists. An item that has no
// price for the quantity stays: the draft shows it without a price.
func (s *Service) priceItem(ctx context.Context, tx store.Tx, o *Order, item *Item) error {
	if o.prices.IsBase() {
		return nil
	}
	offers, err := s.Catalog.Products.Offers(ctx, tx, []catalog.VariantID{item.VariantID})
	if err != nil || offers[item.VariantID] == nil {
		return err
	}
	prices, err := readItemPrices(ctx, tx, o.prices, []int64{item.variantKey})
	if err != nil {
		return err
	}
	item.setOffer(offers[item.VariantID])
	prices.apply(item)
	item.addModifierPrices()
	return nil
}

// requestedLines are the lines of a request. fieldPath returns the path of a line, for the fields of faults. onTop says
// that the lines are added to what the draft has of the same variants with the same modifiers.
type requestedLines struct {
	lines     []Line
	fieldPath func(i int) string
	onTop     bool
}

// checkPriced returns fault.Conflict if an item has no price. itemOf has the index of the item of each line.
func (r requestedLines) checkPriced(items []Item, itemOf []int) error {
	var unpriced []fault.Field
	for i := range r.lines {
		if item := &items[itemOf[i]]; !item.Price.IsSet() && !item.agreed.IsSet() {
			unpriced = append(unpriced, fault.NewField(r.fieldPath(i)+"variant_id", "not_for_sale",
				"This is not for sale: it has no price."))
		}
	}

	if unpriced == nil {
		return nil
	}
	f := fault.New(fault.Conflict, "not_for_sale", "Some of this is not for sale: it has no price.")
	f.Fields = unpriced
	return f
}

// priceItems replaces the prices of the items by those of the price lists for their quantities: with onTop, for what
// the draft has of the same lines as well, which are the items old. The prices are without modifiers.
func priceItems(
	ctx context.Context, tx store.Tx, chain pricing.Chain, items []Item, old map[lineKey]*Item, onTop bool,
) error {
	prices, err := readItemPrices(ctx, tx, chain, variantKeysOfItems(items))
	if err != nil {
		return err
	}

	for i := range items {
		item := &items[i]
		added := item.Quantity
		if before := old[item.lineKey()]; onTop && before != nil {
			item.Quantity += before.Quantity
		}
		prices.apply(item)
		item.Quantity = added
	}
	return nil
}

func variantKeysOfItems(items []Item) []int64 {
	keys := make([]int64, len(items))
	for i := range items {
		keys[i] = items[i].variantKey
	}
	return keys
}

// lineKey tells the lines of an order apart.
type lineKey struct {
	variant catalog.VariantID
	choice  string
}

func (i *Item) lineKey() lineKey { return lineKey{i.VariantID, i.choice} }

// setItems replaces the items of the draft o by lines. Lines of the same variant with the same modifiers are combined
// into one item; items are in the order in which lines first name them. If o already has such an item, its id is kept.
// setItems writes nothing to the database. It returns fault.Invalid if a variant does not exist or is archived, if the
// modifiers of a line are not possible, or if o would exceed a limit, and fault.Conflict if a variant has no price for
// its quantity.
func (s *Service) setItems(
	ctx context.Context, tx store.Tx, o *Order, request requestedLines, caller Caller,
) error {
	ids := distinctVariants(request.lines)
	if err := checkLineCount(len(ids)); err != nil {
		return err
	}
	if err := checkModifierCount(modifiersOfLines(request.lines)); err != nil {
		return err
	}

	offers, err := s.Catalog.Products.Offers(ctx, tx, ids)
	if err != nil {
		return err
	}
	choices, err := modifierReader{s.Catalog.Products}.chooseForLines(ctx, tx, request, offers)
	if err != nil {
		return err
	}

	old := make(map[lineKey]*Item, len(o.Items))
	for i := range o.Items {
		old[o.Items[i].lineKey()] = &o.Items[i]
	}

	items, itemOf := combineLines(request.lines, offers, choices, old)
	if err := priceItems(ctx, tx, o.prices, items, old, request.onTop); err != nil {
		return err
	}
	if err := request.checkPriced(items, itemOf); err != nil {
		return err
	}

	for i := range items {
		if !items[i].addModifierPrices() {
			return fault.Fields([]fault.Field{
				tooExpensivePiece(request.fieldPath(slices.Index(itemOf, i)) + "modifiers")})
		}
		items[i].agree()
	}

	before, after := piecesOfVariants(o.Items), piecesOfVariants(items)
	for i := range items {
		variant := items[i].VariantID
		if err := s.checkQuantity(after[variant], before[variant], "items", caller); err != nil {
			return err
		}
	}

	o.Items = items
	return checkOrderLimits(o, "items")
}

// combineLines returns the items of lines, without prices of lists and modifiers, and the index of the item of each
// line. choices are the chosen modifiers of each line. An item that the draft has keeps its id.
func combineLines(
	lines []Line, offers map[catalog.VariantID]*catalog.Offer, choices []choosing, old map[lineKey]*Item,
) (items []Item, itemOf []int) {
	indexes := map[lineKey]int{}
	itemOf = make([]int, len(lines))
	for i, line := range lines {
		item := Item{VariantID: line.VariantID}
		item.setModifiers(choices[i].chosen)
		index, seen := indexes[item.lineKey()]
		if !seen {
			index = len(items)
			indexes[item.lineKey()] = index
			item.ID = id.New[Item]()
			if before := old[item.lineKey()]; before != nil {
				item.ID = before.ID
			}

			offer := offers[line.VariantID]
			item.setOffer(offer)
			item.setAvailable(offer)
			item.agreed = line.Price
			items = append(items, item)
		}

		items[index].Quantity += line.Quantity
		itemOf[i] = index
	}

	return items, itemOf
}

// piecesOfVariants returns the sum of the quantities of each variant.
func piecesOfVariants(items []Item) map[catalog.VariantID]money.Quantity {
	pieces := make(map[catalog.VariantID]money.Quantity, len(items))
	for i := range items {
		pieces[items[i].VariantID] += items[i].Quantity
	}
	return pieces
}

// distinctVariants returns the variants of the lines without repetitions.
func distinctVariants(lines []Line) (ids []catalog.VariantID) {
	seen := make(map[catalog.VariantID]bool, len(lines))
	for _, l := range lines {
		if !seen[l.VariantID] {
			seen[l.VariantID] = true
			ids = append(ids, l.VariantID)
		}
	}
	return ids
}

// itemFieldPath returns the path of a line in a request with a list of items.
func itemFieldPath(i int) string { return fmt.Sprintf("items[%d].", i) }

// maxQuantity is the largest quantity of one item, in thousandths: 999,999,999.999.
const maxQuantity = money.Quantity(1e12 - 1)

// largestQuantity returns the largest quantity of one item that the caller may order. A visitor's is smaller than that
// of the shop: a single order could reserve the whole stock.
func (s *Service) largestQuantity(caller Caller) money.Quantity {
	if caller.AllOrders || s.MaxLinePieces == 0 {
		return maxQuantity
	}
	return min(money.Quantity(s.MaxLinePieces)*1000, maxQuantity)
}

// piecesWith returns the quantity of the variant of an item in all lines of o, and what it was when the item had the
// quantity before.
func (o *Order) piecesWith(item *Item, before money.Quantity) (pieces, was money.Quantity) {
	pieces = piecesOfVariants(o.Items)[item.VariantID]
	return pieces, pieces - item.Quantity + before
}

// checkQuantity returns fault.Invalid for the member field of the request if the quantity of a variant, in all lines,
// is too large for the caller. before is the quantity that it had. A visitor may leave or lower a larger quantity that
// the shop has set.
func (s *Service) checkQuantity(quantity, before money.Quantity, field string, caller Caller) error {
	if largest := s.largestQuantity(caller); quantity > largest && quantity > before {
		return fault.OneField(field, "out_of_range", "At most %d of one variant can be ordered.", largest/1000)
	}
	return nil
}

// checkOrderLimits returns fault.Invalid if the draft has too many items or modifiers, or too large a total. For a
// total, the fault names field, which is a member of the request.
func checkOrderLimits(o *Order, field string) error {
	if err := checkLineCount(len(o.Items)); err != nil {
		return err
	}
	if err := checkModifierCount(modifiersOfItems(o.Items)); err != nil {
		return err
	}
	if _, fits := sumItems(o.Items); !fits {
		return fault.OneField(field, "out_of_range",
			"The total of the order would be more than the largest amount of money, "+
				"which has 12 digits before the point.")
	}
	return nil
}

// tooExpensivePiece returns the fault of a field with modifiers that cost too much.
func tooExpensivePiece(field string) fault.Field {
	return fault.NewField(field, "out_of_range", "One piece with these modifiers would cost more than the largest "+
		"amount of money, which has 12 digits before the point.")
}

// checkLineCount returns fault.Invalid if an order would have more than MaxItems lines.
func checkLineCount(lines int) error {
	if lines > MaxItems {
		return fault.OneField("items", "too_many",
			"An order may have at most %d lines; this one would have %d.", MaxItems, lines)
	}
	return nil
}
