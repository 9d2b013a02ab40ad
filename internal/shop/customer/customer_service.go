package customer

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// Filter restricts a list of customers.
type Filter struct {
	// Search, if not empty, must match the name, the e-mail address or the phone number.
	Search string
	// From and Before bound the time of creation: From is inclusive, Before exclusive. A zero time is no bound.
	From, Before time.Time
}

// Customers returns one page of a store's customers, newest first, and the total number of matching customers.
func (s *Service) Customers(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) (_ []Customer, total int64, err error) {
	defer fault.Wrap(&err, "list the customers of store %s", tx.StoreID())
	return selectCustomers(ctx, tx, f, limit, offset)
}

// Customer returns one customer, or fault.NotFound.
func (s *Service) Customer(ctx context.Context, tx store.Tx, customerID ID) (_ Customer, err error) {
	defer fault.Wrap(&err, "read customer %s", customerID)
	return selectCustomer(ctx, tx, customerID, "")
}

// EditCustomer applies an edit. It returns fault.NotFound or fault.Stale.
func (s *Service) EditCustomer(
	ctx context.Context, tx store.Tx, customerID ID, e Edit, pre fault.Precondition,
) (_ Customer, err error) {
	defer fault.Wrap(&err, "edit customer %s", customerID)
	c, err := selectCustomer(ctx, tx, customerID, tx.Dialect().ForUpdate)
	if err != nil {
		return Customer{}, err
	}
	if err := pre.Check(c.Version); err != nil {
		return Customer{}, err
	}
	c.apply(e)
	c.bumpVersion(s.moment())
	return c, updateCustomer(ctx, tx, &c)
}
