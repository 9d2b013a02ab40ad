package customer

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// SignIn exchanges the proof for a session in the caller's transaction. signedIn is the customer who is signed in
// already, or the zero ID.
//
// If nobody is signed in, the session belongs to the customer with the proven login address; SignIn creates the
// customer if there is none.
//
// If a customer is signed in, the session belongs to that customer, and the proven address replaces their login address
// and contact address of the same kind. SignIn returns fault.Conflict if another customer has this login address. The
// caller then rolls back, so that the code remains usable to sign in as the other customer.
//
// The session remembers the key by which the customer came, whose group gives the prices if the customer has no group.
//
// SignIn returns the fault invalid_code, like CheckCode, if the proof was used or its login replaced since it was
// checked.
func (s *Service) SignIn(
	ctx context.Context, tx store.Tx, signedIn ID, proof Proof, cameBy *access.KeyID,
) (_ Session, err error) {
	defer fault.AddContext(&err, "sign in by login %s", proof.login)

	now := s.moment()
	ended, err := endLogin(ctx, tx, proof.login, now)
	if err != nil {
		return Session{}, err
	}
	if !ended {
		return Session{}, errInvalidLoginCode()
	}

	var c Customer
	if signedIn.IsZero() {
		c, err = findOrCreateCustomer(ctx, tx, proof.address, now)
	} else {
		c, err = addLoginAddress(ctx, tx, signedIn, proof.address, now)
	}

	if err != nil {
		return Session{}, err
	}
	if err := setSignedIn(ctx, tx, c.Key, now); err != nil {
		return Session{}, err
	}

	session := Session{Token: access.NewToken(access.CustomerToken), ExpiresAt: now.Add(sessionLifetime), Customer: c}
	return session, insertCustomerSession(ctx, tx, session, cameBy, now)
}

// Register returns the customer who signs in with an e-mail address or a phone number, with the edit applied to their
// profile, and creates them if there is none. It is for data that is made up: nobody has proven the address.
func (s *Service) Register(ctx context.Context, tx store.Tx, address string, e Edit) (_ Customer, err error) {
	defer fault.AddContext(&err, "register a customer")
	c, err := findOrCreateCustomer(ctx, tx, address, s.moment())
	if err != nil {
		return Customer{}, err
	}
	return s.EditCustomer(ctx, tx, c.ID, e, nil)
}

// findOrCreateCustomer returns the customer with this login address, or creates one.
func findOrCreateCustomer(ctx context.Context, tx store.Tx, address string, now time.Time) (Customer, error) {
	c := Customer{ID: id.New[access.Customer](), Version: 1, CreatedAt: now, UpdatedAt: now}
	c.setLoginAddress(address)
	return upsertCustomer(ctx, tx, &c)
}

// addLoginAddress makes the address a login address of the customer. If it is one already, nothing changes.
func addLoginAddress(ctx context.Context, tx store.Tx, customerID ID, address string, now time.Time) (Customer, error) {
	c, err := selectCustomer(ctx, tx, customerID, tx.Dialect().ForUpdate)
	if err != nil || c.signsInWith(address) {
		return c, err
	}
	words := c.searchText()
	c.setLoginAddress(address)
	c.bumpVersion(now)
	err = updateCustomer(ctx, tx, &c, words)
	return c, err
}
