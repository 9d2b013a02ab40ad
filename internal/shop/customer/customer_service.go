package customer

import (
	"context"
	"fmt"
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
) ([]Customer, int64, error) {
	list, total, err := selectCustomers(ctx, tx, f, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list the customers of store %s: %w", tx.StoreID(), err)
	}
	return list, total, nil
}

// Customer returns one customer, or fault.NotFound.
func (s *Service) Customer(ctx context.Context, tx store.Tx, customerID ID) (Customer, error) {
	return selectCustomer(ctx, tx, customerID, "")
}

// EditCustomer applies an edit. It returns fault.NotFound or fault.Stale.
func (s *Service) EditCustomer(
	ctx context.Context, tx store.Tx, customerID ID, e Edit, pre fault.Precondition,
) (Customer, error) {
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
