package order

import (
	"context"
	"slices"
	"strconv"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

// maxMergedOrders is how many orders one transaction moves to another person.
const maxMergedOrders = 10_000

// Merges joins customers who turned out to be one person. The work of the shop decides that, which proves nothing: so
// nobody gets access to an order by it.
type Merges struct{ Orders *Service }

// Pair are two people of whom one stays.
type Pair struct{ Kept, Merged customer.Customer }

// Pair returns who of two customers stays: the first one, unless that is a guest and the other one signs in. It returns
// fault.NotFound, or fault.Invalid for the field with if both are the same.
func (m Merges) Pair(ctx context.Context, tx store.Tx, first, second customer.ID) (p Pair, err error) {
	defer fault.AddContext(&err, "find two customers of store %s", tx.StoreID())
	return pairOf(ctx, tx, first, second, customer.Find)
}

func pairOf(
	ctx context.Context, tx store.Tx, first, second customer.ID,
	read func(context.Context, store.Tx, customer.ID) (customer.Customer, error),
) (p Pair, err error) {
	if first == second {
		return p, fault.OneField("with", "same_customer", "This is the same customer. Choose another one.")
	}

	people := map[customer.ID]customer.Customer{}
	ids := []customer.ID{first, second}
	slices.SortFunc(ids, func(a, b customer.ID) int { return slices.Compare(a[:], b[:]) }) // the order of the locks
	for _, customerID := range ids {
		if people[customerID], err = read(ctx, tx, customerID); err != nil {
			return p, err
		}
	}

	p = Pair{people[first], people[second]}
	if p.Kept.Guest && !p.Merged.Guest {
		p.Kept, p.Merged = p.Merged, p.Kept
	}
	return p, nil
}

// Merge joins two customers, as Pair returns them, and returns who stays. The orders of the other one are shown under
// them from then on, with the sums, and their notes become one. The other one is deleted: sessions end, and carts
// become those of guests, which their tokens still open. It cannot be undone. kept and merged are preconditions.
//
// Nobody gets access to an order: orders of a customer who signed in belong to nobody who signs in afterwards, until
// somebody proves the address of the order (see Adoptions). So the orders that the one who stays can read are the same
// as before.
//
// It returns the errors of Pair, fault.Stale, or fault.Conflict if the other one has more than maxMergedOrders orders.
//
// Lock order: the customers by id, the store's row of order_word_progress, the orders, the totals.
func (m Merges) Merge(
	ctx context.Context, tx store.Tx, first, second customer.ID, kept, merged fault.Precondition,
) (_ customer.Customer, err error) {
	defer fault.AddContext(&err, "join two customers of store %s", tx.StoreID())

	p, err := pairOf(ctx, tx, first, second, customer.Lock)
	if err != nil {
		return customer.Customer{}, err
	}
	if err := kept.Check(p.Kept.Version); err != nil {
		return customer.Customer{}, err
	}
	if err := merged.Check(p.Merged.Version); err != nil {
		return customer.Customer{}, err
	}

	if _, err := lockProgress(ctx, tx); err != nil { // as everything that changes guests
		return customer.Customer{}, err
	}
	orders, err := countOrdersOf(ctx, tx, p.Merged.Key, maxMergedOrders+1)
	if err != nil {
		return customer.Customer{}, err
	}
	if orders > maxMergedOrders {
		return customer.Customer{}, fault.New(fault.Conflict, "too_many_orders",
			"A customer with more than %d orders cannot be joined with another one.", maxMergedOrders)
	}

	now := database.Moment(m.Orders.Now())
	if err := moveOrders(ctx, tx, p.Merged.Key, p.Kept.Key, now); err != nil {
		return customer.Customer{}, err
	}
	if err := p.Kept.Absorb(ctx, tx, p.Merged, now); err != nil {
		return customer.Customer{}, err
	}

	err = recordMerge(ctx, tx, &p, orders)
	return p.Kept, err
}

// recordMerge records in the log which two customers were joined. It also moves the former entries about the merged
// customer to the one who is kept, so that the erasure of that customer finds them.
func recordMerge(ctx context.Context, tx store.Tx, p *Pair, orders int64) error {
	err := audit.Move(ctx, tx, "customer", p.Merged.ID.String(), p.Kept.ID.String())
	if err != nil {
		return err
	}

	changes := []audit.Change{{Field: "merged", From: p.Merged.Label(), To: p.Kept.Label()}}
	changes = audit.AppendChange(changes, "orders", "", strconv.FormatInt(orders, 10))
	group, err := access.GroupName(ctx, tx, p.Kept.GroupID)
	if err != nil {
		return err
	}
	if p.Merged.GroupID != nil {
		changes = audit.AppendChange(changes, "group", "", group)
	}
	return audit.Record(ctx, tx, audit.Entry{Action: audit.CustomersMerged, Changes: changes,
		Object: audit.Object{Kind: "customer", ID: p.Kept.ID.String(), Label: p.Kept.Name}})
}
