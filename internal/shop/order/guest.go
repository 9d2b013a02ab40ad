package order

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

// ordersPerGuestBatch is the maximum number of orders whose people one transaction finds.
const ordersPerGuestBatch = 500

// guestFinder finds the people of orders without a customer.
type guestFinder struct{ db *database.DB }

// findGuests finds the people under whom the administration shows submitted orders without a customer, in all stores:
// new orders, those from before there were guests, and those whose contact has changed. It goes on where it has
// stopped.
func (f guestFinder) findGuests(ctx context.Context) error {
	ctx = database.InBackground(ctx)

	for {
		stores, err := database.Read(ctx, f.db, func(q database.Querier) ([]store.ID, error) {
			return storeWithUnassigned(ctx, q)
		})
		if err != nil || len(stores) == 0 {
			return err
		}

		err = f.db.Write(ctx, func(q database.Querier) error {
			return assignGuests(ctx, store.In(q, stores[0]))
		})
		if err != nil {
			return err
		}
	}
}

// assignGuests finds or creates the people of up to ordersPerGuestBatch orders of a store that have none, links the
// orders to them, and adds the orders to their totals.
//
// Lock order: the store's row of order_word_progress, the orders by key, the totals. Whatever changes guests locks
// the row of order_word_progress, so that no guest is created twice or removed meanwhile.
func assignGuests(ctx context.Context, tx store.Tx) error {
	if _, err := lockProgress(ctx, tx); err != nil {
		return err
	}
	orders, contacts, err := lockUnassigned(ctx, tx, ordersPerGuestBatch)
	if err != nil || len(orders) == 0 {
		return err
	}
	keys, err := customer.KeysOfContacts(ctx, tx, contacts)
	if err != nil {
		return err
	}

	if err := setGuests(ctx, tx, orders, keys); err != nil {
		return err
	}
	sums := personSums{}
	for i := range orders {
		sums.add(keys[i], &orders[i], 1)
	}
	return sums.save(ctx, tx)
}

// releaseGuest takes a submitted order from the person under whom it is shown, because its contact has changed. A
// worker looks the person up again. The store's row of order_word_progress and the order must be locked.
func releaseGuest(ctx context.Context, tx store.Tx, before *Order) error {
	orders := []linkedOrder{before.linked()}
	if err := unassign(ctx, tx, orders, nil); err != nil {
		return err
	}
	return leaveGuests(ctx, tx, orders, 0)
}

// linked returns what the totals of a person need of the order.
func (o *Order) linked() linkedOrder {
	l := linkedOrder{key: o.Key, currency: o.Currency, total: o.Total, state: o.State}
	if o.CustomerKey == nil && o.GuestKey != nil {
		l.guestKey = *o.GuestKey
	}
	return l
}

// leaveGuests subtracts orders from the totals of the people under whom they were shown, and removes the guests among
// these who have no order any more, but for one whom the caller removes.
func leaveGuests(ctx context.Context, tx store.Tx, orders []linkedOrder, except int64) error {
	sums := personSums{}
	for i := range orders {
		sums.add(orders[i].guestKey, &orders[i], -1)
	}
	if err := sums.save(ctx, tx); err != nil {
		return err
	}
	_, err := removeEmptyGuests(ctx, tx, sums.people(except))
	return err
}

// removeEmptyGuests deletes those of the people who are guests under whom no order is shown, and returns them.
func removeEmptyGuests(ctx context.Context, tx store.Tx, people []int64) ([]customer.Customer, error) {
	if len(people) == 0 {
		return nil, nil
	}
	empty, err := peopleWithoutOrders(ctx, tx, people)
	if err != nil || len(empty) == 0 {
		return nil, err
	}
	guests, err := customer.RemoveGuests(ctx, tx, empty)
	if err != nil {
		return nil, err
	}
	return guests, deleteTotalsOfGuests(ctx, tx, guests)
}

// personSums are changes of the totals of people, in one currency each.
type personSums map[personCurrency]sumParts

type personCurrency struct {
	key      int64
	currency string
}

type sumParts struct{ orders, whole, rest int64 }

// add adds an order to the totals of a person, or subtracts it with the sign -1. Cancelled orders are not in them. A
// key of 0 is nobody.
func (s personSums) add(key int64, o *linkedOrder, sign int64) {
	if key == 0 {
		return
	}
	at := personCurrency{key, o.currency}
	p := s[at]
	if o.state != Cancelled {
		p.orders += sign
		p.whole += sign * (int64(o.total) / moneyUnit)
		p.rest += sign * (int64(o.total) % moneyUnit)
	}
	s[at] = p
}

// people returns the row keys of the people but for one, in ascending order.
func (s personSums) people(except int64) (keys []int64) {
	for at := range s {
		if at.key != except {
			keys = append(keys, at.key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// sorted returns the people and currencies in the order in which their totals are locked.
func (s personSums) sorted() []personCurrency {
	return slices.SortedFunc(maps.Keys(s), func(a, b personCurrency) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.currency, b.currency))
	})
}
