package order

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// Create makes a draft, and the token by which a guest reaches it, which is known nowhere else. It returns fault.Invalid naming each broken
// rule; the caller then rolls back.
func (s *Service) Create(ctx context.Context, q database.Querier, shop store.Store, e Edit, by Caller) (o Order, token string, err error) {
	now := s.now().UTC().Truncate(time.Microsecond)
	token = newToken()
	o = Order{
		ID: id.New[Order](), State: Draft, Currency: shop.Currency, Version: 1, CreatedAt: now, UpdatedAt: now, token: hashToken(token),
	}
	by.own(&o)
	e.apply(&o)
	var lines []Line
	if e.Items != nil {
		lines = *e.Items
	}
	if err := s.plan(ctx, q, shop.ID, &o, lines, listed); err != nil {
		return Order{}, "", err
	}
	if err := insertOrder(ctx, q, shop.ID, &o); err != nil {
		return Order{}, "", err
	}
	o.Total, _ = sum(o.Items)
	return o, token, insertItems(ctx, q, shop.ID, o.Key, o.Items)
}

// Edit changes what the edit names; a variant that stays keeps its item's id. It returns fault.NotFound, fault.Stale, fault.Conflict for
// what is no draft, or fault.Invalid naming each broken rule; the caller then rolls back.
func (s *Service) Edit(ctx context.Context, q database.Querier, shop store.Store, orderID ID, e Edit, by Caller, pre fault.Precondition) (Order, error) {
	return s.change(ctx, q, shop, orderID, by, pre, func(o *Order) error {
		e.apply(o)
		if e.Items == nil {
			return nil
		}
		if err := s.plan(ctx, q, shop.ID, o, *e.Items, listed); err != nil {
			return err
		}
		if err := deleteItems(ctx, q, shop.ID, o.Key); err != nil {
			return err
		}
		return insertItems(ctx, q, shop.ID, o.Key, o.Items)
	})
}

// AddItem puts some of a variant into a draft, and returns the item that it is in: there is one for each variant. It returns what Edit
// returns.
func (s *Service) AddItem(ctx context.Context, q database.Querier, shop store.Store, orderID ID, line Line, by Caller) (o Order, added ItemID, err error) {
	o, err = s.change(ctx, q, shop, orderID, by, nil, func(o *Order) error {
		one := &Order{Items: o.Items}
		if err := s.plan(ctx, q, shop.ID, one, []Line{line}, func(int) string { return "" }); err != nil {
			return err
		}
		item := one.Items[0]
		added = item.ID
		for i := range o.Items {
			if o.Items[i].ID == item.ID {
				o.Items[i].Quantity += item.Quantity
				return saveQuantity(ctx, q, shop.ID, o, &o.Items[i])
			}
		}
		o.Items = append(o.Items, item)
		if err := checkSize(o, "quantity"); err != nil {
			return err
		}
		return insertItems(ctx, q, shop.ID, o.Key, []Item{item})
	})
	return o, added, err
}

// EditItem sets the quantity of an item. It returns what Edit returns.
func (s *Service) EditItem(ctx context.Context, q database.Querier, shop store.Store, orderID ID, itemID ItemID, quantity catalog.Quantity, by Caller, pre fault.Precondition) (Order, error) {
	return s.changeItem(ctx, q, shop, orderID, itemID, by, pre, func(o *Order, item *Item) error {
		item.Quantity = quantity
		return saveQuantity(ctx, q, shop.ID, o, item)
	})
}

// RemoveItem takes an item out of a draft. It returns what Edit returns.
func (s *Service) RemoveItem(ctx context.Context, q database.Querier, shop store.Store, orderID ID, itemID ItemID, by Caller, pre fault.Precondition) error {
	_, err := s.changeItem(ctx, q, shop, orderID, itemID, by, pre, func(_ *Order, item *Item) error {
		return deleteItem(ctx, q, shop.ID, item.Key)
	})
	return err
}

func (s *Service) changeItem(
	ctx context.Context, q database.Querier, shop store.Store, orderID ID, itemID ItemID, by Caller, pre fault.Precondition, fn func(o *Order, item *Item) error,
) (Order, error) {
	return s.change(ctx, q, shop, orderID, by, pre, func(o *Order) error {
		for i := range o.Items {
			if o.Items[i].ID == itemID {
				return fn(o, &o.Items[i])
			}
		}
		return fault.Missing("item")
	})
}

// change lets fn change a draft, which it gets with its items, and saves it as its next version.
func (s *Service) change(
	ctx context.Context, q database.Querier, shop store.Store, orderID ID, by Caller, pre fault.Precondition, fn func(o *Order) error,
) (Order, error) {
	o, err := s.reach(ctx, q, shop, orderID, by, q.Dialect().ForUpdate)
	if err != nil {
		return Order{}, err
	}
	if err := pre.Check(o.Version); err != nil {
		return Order{}, err
	}
	if err := o.State.edit(); err != nil {
		return Order{}, err
	}
	one := []Order{o}
	if err := s.FillItems(ctx, q, shop, one); err != nil {
		return Order{}, err
	}
	if err := fn(&one[0]); err != nil {
		return Order{}, err
	}
	s.touch(&one[0])
	if err := updateOrder(ctx, q, shop.ID, &one[0]); err != nil {
		return Order{}, err
	}
	return s.Order(ctx, q, shop, orderID, Caller{All: true})
}

// saveQuantity saves the quantity of an item of a draft, if that is not too much.
func saveQuantity(ctx context.Context, q database.Querier, storeID store.ID, o *Order, item *Item) error {
	if err := checkSize(o, "quantity"); err != nil {
		return err
	}
	return setQuantity(ctx, q, storeID, item)
}

// plan makes lines the items of a draft: one for each variant, in the order in which they are first named. A variant that the draft has
// already keeps its item's id. It returns fault.Invalid for variants that are not in the shop; place tells where a line stands in the request.
func (s *Service) plan(ctx context.Context, q database.Querier, storeID store.ID, o *Order, lines []Line, place func(i int) string) error {
	ids := variantsOf(lines)
	if err := checkCount(len(ids)); err != nil {
		return err
	}
	offers, err := s.catalog.Products.Offers(ctx, q, storeID, ids)
	if err != nil {
		return err
	}
	known := make(map[catalog.VariantID]ItemID, len(o.Items))
	for i := range o.Items {
		known[o.Items[i].VariantID] = o.Items[i].ID
	}
	var items []Item
	var broken []fault.Field
	at := map[catalog.VariantID]int{}
	for i, l := range lines {
		offer := offers[l.Variant]
		if offer == nil || !offer.Live {
			broken = append(broken, fault.Field{Field: place(i) + "variant_id", Code: "unknown_variant", Message: "There is no such variant in the shop, or not any more."})
			continue
		}
		n, there := at[l.Variant]
		if !there {
			n = len(items)
			at[l.Variant] = n
			item := Item{ID: id.New[Item]()}
			if was, kept := known[l.Variant]; kept {
				item.ID = was
			}
			item.offer(offer)
			items = append(items, item)
		}
		items[n].Quantity += l.Quantity
	}
	if broken != nil {
		return fault.Fields(broken)
	}
	o.Items = items
	return checkSize(o, "items")
}

// variantsOf are the variants that lines name, each once.
func variantsOf(lines []Line) (ids []catalog.VariantID) {
	seen := make(map[catalog.VariantID]bool, len(lines))
	for _, l := range lines {
		if !seen[l.Variant] {
			seen[l.Variant] = true
			ids = append(ids, l.Variant)
		}
	}
	return ids
}

// listed is where a line stands in a list of items.
func listed(i int) string { return fmt.Sprintf("items[%d].", i) }

// maxQuantity is the largest amount of goods that there is.
const maxQuantity = catalog.Quantity(1e12 - 1)

// checkSize returns fault.Invalid if a draft would hold more than an order can, naming the member of the request that says so.
func checkSize(o *Order, member string) error {
	if err := checkCount(len(o.Items)); err != nil {
		return err
	}
	for i := range o.Items {
		if o.Items[i].Quantity > maxQuantity {
			return fault.OneField(member, "out_of_range", "There would be more than %d of one variant.", maxQuantity/1000)
		}
	}
	if _, fits := sum(o.Items); !fits {
		return fault.OneField(member, "out_of_range", "The order would cost more than an amount can say, which has 12 digits before the point.")
	}
	return nil
}

// checkCount returns fault.Invalid for more lines than an order can have.
func checkCount(lines int) error {
	if lines > MaxItems {
		return fault.OneField("items", "too_many", "An order may have at most %d lines; this one would have %d.", MaxItems, lines)
	}
	return nil
}
