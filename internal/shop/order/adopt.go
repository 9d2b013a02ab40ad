package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

const (
	// adoptKind is the kind of the jobs that link the orders which Adopt has left.
	adoptKind = "order.adopt"
	// adoptBatch is the maximum number of orders that one transaction links for each address.
	adoptBatch = 100
)

// Adoptions link orders of guests to the customers who have proven the address of the order.
type Adoptions struct{ AdoptionDeps }

// AdoptionDeps are the dependencies of Adoptions.
type AdoptionDeps struct {
	DB    *database.DB
	Queue *queue.Queue
	Now   func() time.Time
}

// NewAdoptions returns Adoptions. The queue must know their Kind before Adopt is called.
func NewAdoptions(d AdoptionDeps) *Adoptions { return &Adoptions{d} }

// Adopt makes the submitted orders of guests whose contact has an address that the customer signs in with orders of the
// customer. The other address of such an order proves nothing: nobody gets further orders by it. The versions of the
// orders rise, and the totals of the customer follow; no event is emitted, since nothing changes that the shop works
// with. The tokens of the orders remain valid. Carts stay what they are.
//
// Adopt links up to adoptBatch orders for each address. If there are more, a job links them.
//
// The guests under whom the administration has shown nothing but these orders are removed; what was noted on them is
// noted on the customer.
//
// Lock order: the customer, whose row must be locked, the store's row of order_word_progress, the orders by key, the
// totals.
func (a *Adoptions) Adopt(ctx context.Context, tx store.Tx, c *customer.Customer) (err error) {
	defer fault.AddContext(&err, "link orders of guests to customer %s", c.ID)

	more, err := a.adoptBatch(ctx, tx, c)
	if err != nil || !more {
		return err
	}
	j := adoption{tx.StoreID(), c.ID}
	return a.Queue.Add(ctx, tx.Unscoped(), queue.Job{Kind: adoptKind, Lane: tx.StoreID().String(),
		UniqueName: c.ID.String(), Payload: j.payload()})
}

// adoptBatch links the next orders to the customer. It reports whether there may be more.
func (a *Adoptions) adoptBatch(ctx context.Context, tx store.Tx, c *customer.Customer) (more bool, err error) {
	// Before the words, since orders get words and are counted in one transaction.
	indexed, err := indexedNumber(ctx, tx, "")
	if err != nil {
		return false, err
	}

	var keys []int64
	for _, address := range []*string{c.LoginEmail, c.LoginPhone} {
		if address == nil {
			continue
		}
		part, err := selectAdoptable(ctx, tx, *address, indexed)
		if err != nil {
			return false, err
		}
		keys = append(keys, part...)
		more = more || len(part) == adoptBatch
	}

	if len(keys) == 0 {
		return false, nil
	}
	slices.Sort(keys)
	return more, a.link(ctx, tx, c, slices.Compact(keys))
}

// link makes orders with these row keys orders of a customer, unless they have one meanwhile.
func (a *Adoptions) link(ctx context.Context, tx store.Tx, c *customer.Customer, keys []int64) error {
	if _, err := lockProgress(ctx, tx); err != nil { // as everything that changes guests
		return err
	}
	orders, err := lockGuestOrders(ctx, tx, keys)
	if err != nil {
		return err
	}
	now := database.Moment(a.Now())
	if err := setCustomer(ctx, tx, c.Key, orders, now); err != nil {
		return err
	}

	sums := personSums{}
	for i := range orders {
		sums.add(orders[i].guestKey, &orders[i], -1)
		sums.add(c.Key, &orders[i], 1)
	}
	if err := sums.save(ctx, tx); err != nil {
		return err
	}
	removed, err := removeEmptyGuests(ctx, tx, sums.people(c.Key))
	if err != nil {
		return err
	}
	return customer.AddNotes(ctx, tx, c, removed, now)
}

// adoption is the payload of a job: the customer who gets orders.
type adoption struct {
	storeID    store.ID
	customerID customer.ID
}

func (j adoption) payload() []byte { return append(j.storeID[:], j.customerID[:]...) }

func decodeAdoption(b []byte) (adoption, error) {
	if len(b) != 32 {
		return adoption{}, fmt.Errorf("the payload of an adoption of orders has %d bytes, want 32", len(b))
	}
	return adoption{store.ID(b[:16]), customer.ID(b[16:])}, nil
}

// Kind returns the kind of the jobs.
func (a *Adoptions) Kind() queue.Kind[adoption, queue.NoOutput] {
	return queue.Kind[adoption, queue.NoOutput]{
		Name: adoptKind, LaneSlots: 1, NodeSlots: 1, Decode: decodeAdoption, Run: a.run,
		Owner:   func(j adoption) string { return j.storeID.String() },
		Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour},
	}
}

// run links the orders that are left, each batch in a transaction of its own. It ends if the customer was deleted.
func (a *Adoptions) run(ctx context.Context, t *queue.TaskOf[adoption, queue.NoOutput]) error {
	ctx = database.InBackground(ctx)

	for more := true; more; {
		err := a.DB.Write(ctx, func(q database.Querier) error {
			tx := store.In(q, t.Payload.storeID)
			c, err := customer.Lock(ctx, tx, t.Payload.customerID)
			if err != nil {
				return err
			}
			more, err = a.adoptBatch(ctx, tx, &c)
			return err
		})

		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
	}

	return nil
}
