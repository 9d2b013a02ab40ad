package order

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Filter selects orders of a store. A zero member does not filter.
type Filter struct {
	// Search holds words. Each must be the prefix of a word of the order: of its number, the name, the e-mail address,
	// the phone number, a comment or an SKU.
	Search string
	// PhoneEnds also selects the orders whose phone numbers end in a word of Search with four to nine digits. Tolerant
	// does so, too, and corrects the words that no order has: see store.Reading.
	PhoneEnds, Tolerant bool
	State               State
	// Tag selects submitted orders with a tag, whatever its case.
	Tag           string
	CustomerKey   int64     // row key of the customer
	GuestKey      int64     // row key of the person under whom an order without a customer is shown
	CreatedFrom   time.Time // earliest time of creation
	CreatedBefore time.Time // upper bound of the time of creation, exclusive
	// Submitted selects the orders that were submitted, in any state. List sorts them by that time.
	Submitted bool
	// SubmittedFrom and SubmittedBefore bound the time of the submission as the members above do.
	SubmittedFrom   time.Time
	SubmittedBefore time.Time
	// Sort is the order of List.
	Sort Sort
}

// Sort is an order of the orders in a list. Numbers are given in the order of submission, so ByNewest and ByOldest sort
// by the number, too.
type Sort string

// The orders of a list. Drafts have no stored totals; a list of drafts is sorted by the time of creation in any case.
const (
	ByNewest   Sort = ""
	ByOldest   Sort = "date"
	ByLargest  Sort = "-total"
	BySmallest Sort = "total"
)

// Known reports whether there is such an order.
func (s Sort) Known() bool {
	return s == ByNewest || s == ByOldest || s == ByLargest || s == BySmallest
}

// byTotal reports whether the totals decide.
func (s Sort) byTotal() bool { return s == ByLargest || s == BySmallest }

// MaxSorted is the number of orders that List sorts by the total if the filter has a tag or a period: the newest ones.
// All orders, those in a state, and those that a search finds are sorted without a limit.
const MaxSorted = 10_000

// Orders returns one page of the orders that match the filter, newest first and without their items, and the number of
// all that match.
func (s *Service) Orders(
	ctx context.Context, tx store.Tx, shop store.Store, f Filter, limit, offset int64,
) (list []Order, total int64, err error) {
	defer fault.AddContext(&err, "list orders of store %s", shop.ID)
	sel, err := s.newSelection(ctx, tx, f)
	if err != nil {
		return nil, 0, err
	}
	return sel.selectPage(ctx, tx, limit, offset)
}

// CountNew counts the submitted orders that nobody has confirmed or cancelled yet, up to limit.
func CountNew(ctx context.Context, tx store.Tx, limit int64) (n int64, err error) {
	defer fault.AddContext(&err, "count the new orders of store %s", tx.StoreID())
	return countNew(ctx, tx, limit)
}

// NextNew returns the oldest new order that was submitted after another order, or else the oldest one of all but that
// order. It reports whether there is one.
func NextNew(ctx context.Context, tx store.Tx, o *Order) (next ID, found bool, err error) {
	defer fault.AddContext(&err, "find the new order after order %s of store %s", o.ID, tx.StoreID())
	at := Position{Key: o.Key}
	if o.SubmittedAt != nil {
		at.SubmittedAt = o.SubmittedAt.UnixMicro()
	}

	for _, from := range []Position{at, {}} {
		list, err := selectNextNew(ctx, tx, from)
		if err != nil {
			return next, false, err
		}
		if len(list) > 0 && list[0] != o.ID {
			return list[0], true, nil
		}
	}
	return next, false, nil
}

// WithID returns the order with an id, without its items, or fault.NotFound.
func (s *Service) WithID(ctx context.Context, tx store.Tx, orderID ID) (_ Order, err error) {
	defer fault.AddContext(&err, "find order %s of store %s", orderID, tx.StoreID())
	return selectOrder(ctx, tx, orderID, "")
}

// WithNumber returns the order with a number, without its items, or fault.NotFound.
func (s *Service) WithNumber(ctx context.Context, tx store.Tx, number int64) (_ Order, err error) {
	defer fault.AddContext(&err, "find order %d of store %s", number, tx.StoreID())
	return selectOrderByNumber(ctx, tx, number)
}

// Position is a place in a list of List: next to the order with this key, this time of submission in Unix microseconds,
// and this total. The total counts only if the list is sorted by it, and the time only otherwise.
type Position struct {
	SubmittedAt, Key int64
	Total            money.Money
	// Newer selects the orders before the position in the list, which are newer in the order ByNewest, not those after
	// it.
	Newer bool
}

// Part is a part of a list.
type Part struct {
	// Orders have no items, but ItemCounts.
	Orders []Order
	// ItemCounts are the numbers of items of the orders.
	ItemCounts []int64
	// Newer and Older are the positions of the adjacent parts; nil if there are none.
	Newer, Older *Position

	whole bool // it is the whole list
}

// List returns up to limit orders that match the filter, from a position on; nil is the beginning. Submitted orders are
// sorted as the filter says, and others by the time of the creation, newest first. The orders of a list of drafts
// have their items, since the stored total of a draft is not up to date. Unlike Orders it does not count the
// orders, so it takes the same time however many there are. It runs several statements, so tx should be a snapshot.
func (s *Service) List(
	ctx context.Context, tx store.Tx, shop store.Store, f Filter, at *Position, limit int,
) (p Part, err error) {
	defer fault.AddContext(&err, "list orders of store %s", shop.ID)

	sel, err := s.newSelection(ctx, tx, f)
	if err != nil {
		return Part{}, err
	}

	list, err := sel.selectFrom(ctx, tx, at, limit+1)
	if err != nil {
		return Part{}, err
	}

	backwards := at != nil && at.Newer
	p.Orders, p.Newer, p.Older = store.Window(list, limit, at, backwards, (*Order).position)
	p.whole = at == nil && p.Older == nil

	if f.State != Draft {
		p.ItemCounts, err = countItems(ctx, tx, p.Orders)
		return p, err
	}

	if err := s.fillItems(ctx, tx, shop, p.Orders); err != nil {
		return Part{}, err
	}

	for i := range p.Orders {
		p.ItemCounts = append(p.ItemCounts, int64(len(p.Orders[i].Items)))
	}

	return p, nil
}

// position returns the position next to the order.
func (o *Order) position(newer bool) *Position {
	p := Position{Key: o.Key, Total: o.Total, Newer: newer}
	if o.SubmittedAt != nil {
		p.SubmittedAt = o.SubmittedAt.UnixMicro()
	}
	return &p
}

// CustomerTotals are the submitted orders of a customer or a guest, without cancelled ones. A customer's have those
// that are shown under the customer, too.
type CustomerTotals struct {
	Orders int64
	Sums   []Sum
}

// TotalsOfCustomers returns the totals of customers by their row keys, with one query. Customers without orders are not
// in the map.
func (s *Service) TotalsOfCustomers(
	ctx context.Context, tx store.Tx, customerKeys []int64,
) (_ map[int64]CustomerTotals, err error) {
	defer fault.AddContext(&err, "sum orders of customers of store %s", tx.StoreID())
	return sumOfCustomers(ctx, tx, customerKeys)
}

// ReservedItem is what is reserved in a stock for an item of an order.
type ReservedItem struct {
	ItemKey  int64
	Stock    string // name of the stock
	Quantity money.Quantity
}

// Reserved returns what is reserved for orders, by item and stock. Only submitted and confirmed orders have
// reservations, and no item whose stock is not kept.
func (s *Service) Reserved(ctx context.Context, tx store.Tx, orderKeys ...int64) (_ []ReservedItem, err error) {
	defer fault.AddContext(&err, "read reservations of %d orders of store %s", len(orderKeys), tx.StoreID())
	return selectReserved(ctx, tx, orderKeys)
}

// OrdersOf returns the orders with these ids and their items, in this order. Those that do not exist are left out. tx
// should be a snapshot.
func (s *Service) OrdersOf(ctx context.Context, tx store.Tx, shop store.Store, ids []ID) (list []Order, err error) {
	defer fault.AddContext(&err, "read %d orders of store %s", len(ids), shop.ID)
	found, err := ordersOfIDs(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	for _, orderID := range ids {
		if o, ok := found[orderID]; ok {
			list = append(list, o)
		}
	}
	return list, s.fillItems(ctx, tx, shop, list)
}
