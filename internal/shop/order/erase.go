package order

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// ErasedName is the contact name of an order whose personal data was erased.
const ErasedName = "[erased]"

// Erased is the result of Erase.
type Erased struct {
	// Orders are the ids of the orders whose personal data was erased. Carts is the number of deleted carts.
	Orders []ID
	Carts  int
	// Events are the ids of the events that announced the states and other changes of the orders.
	Events []event.ID
}

// KeysOf returns the row keys of the orders and carts of a person, in ascending order. A person has the orders of the
// customer and the orders with one of the addresses as contact. customerKey is 0 for a guest. Orders whose personal
// data was erased are not among them.
func KeysOf(ctx context.Context, tx store.Tx, customerKey int64, addresses contact.Set) (keys []int64, err error) {
	defer fault.AddContext(&err, "find the orders of a person in store %s", tx.StoreID())
	if customerKey != 0 {
		if keys, err = selectKeysOfCustomer(ctx, tx, customerKey); err != nil {
			return nil, err
		}
	}
	if !addresses.IsEmpty() {
		more, err := selectKeysByContact(ctx, tx, addresses)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// KeysOfGuest returns the row keys of the orders that are shown under a guest, in ascending order.
func KeysOfGuest(ctx context.Context, tx store.Tx, guestKey int64) (keys []int64, err error) {
	defer fault.AddContext(&err, "find the orders of a guest in store %s", tx.StoreID())
	return selectKeysOfGuest(ctx, tx, guestKey)
}

// Personal returns the orders with these row keys and their stored items.
func Personal(ctx context.Context, tx store.Tx, keys []int64) (list []Order, err error) {
	defer fault.AddContext(&err, "read the orders of a person in store %s", tx.StoreID())
	if list, _, err = selectOrdersByKeys(ctx, tx, keys, ""); err != nil {
		return nil, err
	}
	return list, selectItemsOfOrders(ctx, tx, list)
}

// LockPersonal is Personal for orders that Erase erases in the same transaction: nobody can change them until then.
func LockPersonal(ctx context.Context, tx store.Tx, keys []int64) (list []Order, err error) {
	defer fault.AddContext(&err, "lock the orders of a person in store %s", tx.StoreID())
	if _, err := lockProgress(ctx, tx); err != nil { // as Erase
		return nil, err
	}
	list, _, err = selectOrdersByKeys(ctx, tx, keys, tx.Dialect().ForUpdate)
	return list, err
}

// StillFinished locks orders that FinishedBefore has returned, and returns the row keys of those that it would return
// now: others were changed or erased meanwhile.
func StillFinished(ctx context.Context, tx store.Tx, keys []int64, before time.Time) (finished []int64, err error) {
	list, err := LockPersonal(ctx, tx, keys)
	for i := range list {
		if o := &list[i]; (o.State == Completed || o.State == Cancelled) && o.UpdatedAt.Before(before) {
			finished = append(finished, o.Key)
		}
	}
	return finished, err
}

// Erase deletes the carts with these row keys and replaces the personal data of the orders: contact, delivery, comment,
// note, tags, tracking, the records of mails, and the link to the customer with the given row key, which is 0 to keep
// all links. Numbers, items and totals stay. Nobody can open such an order by its token any more. Guests
// without further orders are deleted, but for one with the given row key. The search forgets the words of the contact.
func Erase(
	ctx context.Context, tx store.Tx, keys []int64, customerKey int64, now time.Time,
) (e Erased, err error) {
	defer fault.AddContext(&err, "erase orders of store %s", tx.StoreID())

	// Lock order: the indexer of words locks its progress first, too.
	indexed, err := lockProgress(ctx, tx)
	if err != nil {
		return Erased{}, err
	}

	orders, stored, err := selectOrdersByKeys(ctx, tx, keys, tx.Dialect().ForUpdate)
	if err != nil {
		return Erased{}, err
	}
	if err := selectItemsOfOrders(ctx, tx, orders); err != nil {
		return Erased{}, err
	}

	rows := erasedRows{customerKey: customerKey, at: now,
		texts: database.NewBatch(database.BigInt, database.Text), words: store.NewWordChanges(store.SearchedOrders)}
	var submitted []int64   // row keys
	var shown []linkedOrder // under guests
	for i := range orders {
		o := &orders[i]
		if o.State == Draft {
			rows.carts = append(rows.carts, o.Key)
			continue
		}

		before := stored[i] + o.searchText()
		o.Contact = Contact{Name: ErasedName}
		o.Delivery = Delivery{}
		o.Comment, o.Note, o.Tags = "", "", nil
		submitted = append(submitted, o.Key)
		shown = append(shown, o.linked())
		rows.add(o, before, *o.Number <= indexed)
		e.Orders = append(e.Orders, o.ID)

		for _, eventID := range o.Events {
			e.Events = append(e.Events, eventID)
		}
		e.Events = append(e.Events, o.MoreEvents...)
	}

	e.Carts = len(rows.carts)
	updates, err := updatesOfOrders(ctx, tx, submitted)
	if err != nil {
		return Erased{}, err
	}
	e.Events = append(e.Events, updates...)
	if err := deleteTagsOfOrders(ctx, tx, submitted); err != nil {
		return Erased{}, err
	}
	if err := deleteMailsOfOrders(ctx, tx, submitted); err != nil {
		return Erased{}, err
	}

	if err := rows.save(ctx, tx); err != nil {
		return Erased{}, err
	}
	return e, leaveGuests(ctx, tx, shown, customerKey)
}

// ForgetCustomer deletes the totals of a customer or a guest, who is deleted in the same transaction. The orders of the
// customer must have been erased; those that were shown under the person are shown under others from then on.
func ForgetCustomer(ctx context.Context, tx store.Tx, customerKey int64) error {
	if _, err := lockProgress(ctx, tx); err != nil { // as everything that changes guests
		return err
	}
	if err := releaseOrdersOfPerson(ctx, tx, customerKey); err != nil {
		return err
	}
	return deleteCustomerTotals(ctx, tx, customerKey)
}

// Finished is a completed or cancelled order of a store.
type Finished struct {
	StoreID store.ID
	Key     int64
}
