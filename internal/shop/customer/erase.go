package customer

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// ProvenAddresses returns the login addresses of the customer. A code was confirmed for them, so they belong to this
// person. The contact addresses need not.
func (c *Customer) ProvenAddresses() contact.Set {
	return contact.SetOf(valueOrEmpty(c.LoginEmail), valueOrEmpty(c.LoginPhone))
}

// Find returns a customer, or fault.NotFound.
func Find(ctx context.Context, tx store.Tx, customerID ID) (Customer, error) {
	return selectCustomer(ctx, tx, customerID, "")
}

// Lock returns a customer and locks the row until the commit, or fault.NotFound. While it is locked, nobody can sign in
// as the customer or create a cart for them.
func Lock(ctx context.Context, tx store.Tx, customerID ID) (Customer, error) {
	return selectCustomer(ctx, tx, customerID, tx.Dialect().ForUpdate)
}

// WithLogin returns the customers who sign in with one of the addresses.
func WithLogin(ctx context.Context, tx store.Tx, addresses contact.Set) (_ []Customer, err error) {
	defer fault.AddContext(&err, "find customers of store %s by address", tx.StoreID())
	return selectByLogin(ctx, tx, addresses)
}

// WithContact returns the customers, but no guests, who have named one of the addresses as contact and do not sign in
// with it.
func WithContact(ctx context.Context, tx store.Tx, addresses contact.Set) (_ []Customer, err error) {
	defer fault.AddContext(&err, "find customers of store %s by contact", tx.StoreID())
	list, err := selectByContact(ctx, tx, addresses, "")
	return slices.DeleteFunc(list, func(c Customer) bool { return c.Guest || !c.forget(addresses) }), err
}

// forget removes the addresses from the contact data, unless the customer signs in with them, and reports whether that
// has changed anything.
func (c *Customer) forget(addresses contact.Set) (changed bool) {
	for _, a := range []struct{ contact, login **string }{{&c.Email, &c.LoginEmail}, {&c.Phone, &c.LoginPhone}} {
		if addresses.Has(valueOrEmpty(*a.contact)) && !addresses.Has(valueOrEmpty(*a.login)) {
			*a.contact, changed = nil, true
		}
	}
	return changed
}

// Visited is a session of a customer. Sent is a login code that was sent to an address.
type (
	Visited struct {
		SignedInAt time.Time `json:"signed_in_at"`
		ExpiresAt  time.Time `json:"expires_at"`
	}
	Sent struct {
		Address string
		At      time.Time
	}
)

// Sessions returns the sessions of a customer, oldest first.
func Sessions(ctx context.Context, tx store.Tx, customerKey int64) (_ []Visited, err error) {
	defer fault.AddContext(&err, "read the sessions of a customer")
	return selectSessionsOf(ctx, tx, customerKey)
}

// Logins returns the login codes that were sent to the addresses, oldest first. They are stored for an hour.
func Logins(ctx context.Context, tx store.Tx, addresses contact.Set) (_ []Sent, err error) {
	defer fault.AddContext(&err, "read the login codes of a person")
	return selectLogins(ctx, tx, addresses)
}

// EndSessions ends all sessions of a customer.
func EndSessions(ctx context.Context, tx store.Tx, customerKey int64) error {
	return deleteSessionsOf(ctx, tx, customerKey)
}

// Erase deletes a customer, whose row must be locked, with the sessions. No order may belong to the customer any more.
func Erase(ctx context.Context, tx store.Tx, c Customer) (err error) {
	defer fault.AddContext(&err, "erase a customer of store %s", tx.StoreID())
	return deleteCustomer(ctx, tx, &c)
}

// ForgetAddresses deletes the login codes that were sent to the addresses, and removes the addresses from the contact
// data of customers who do not sign in with them. It returns the number of these customers.
func ForgetAddresses(ctx context.Context, tx store.Tx, addresses contact.Set, now time.Time) (n int, err error) {
	defer fault.AddContext(&err, "forget addresses of a person in store %s", tx.StoreID())

	if err := deleteLogins(ctx, tx, addresses); err != nil {
		return 0, err
	}

	list, err := selectByContact(ctx, tx, addresses, tx.Dialect().ForUpdate)
	if err != nil {
		return 0, err
	}

	for i := range list {
		c := &list[i]
		words := c.searchText()
		if !c.forget(addresses) {
			continue // they sign in with it
		}

		c.bumpVersion(now)
		if err := updateCustomer(ctx, tx, c, words); err != nil {
			return n, err
		}

		n++
	}

	return n, nil
}

// Inactive is a customer who has not signed in for long.
type Inactive struct {
	StoreID store.ID
	Key     int64
	ID      ID

	signedInAt int64
}
