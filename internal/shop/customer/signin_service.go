package customer

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// SignIn turns the proof into a session in the caller's transaction. It is that of whoever has proven the address before, or of a new customer.
//
// For somebody who is signed in already (the zero ID is nobody) it is theirs: the address becomes one that they sign in with, in place of the
// one of its kind, and is shown in their profile. One that another customer has proven is fault.Conflict. The caller then rolls back, so
// the code can still be used, by whoever wants to be that other customer.
//
// A proof that was used meanwhile, or whose login was replaced, is the fault of CheckCode.
func (s *Service) SignIn(ctx context.Context, q database.Querier, storeID store.ID, signedIn ID, proof Proof) (Session, error) {
	now := s.moment()
	ended, err := endLogin(ctx, q, storeID, proof.login, now)
	if err != nil {
		return Session{}, fmt.Errorf("end login %s: %w", proof.login, err)
	}
	if !ended {
		return Session{}, errInvalidCode()
	}
	var c Customer
	if signedIn.IsZero() {
		c, err = findOrCreate(ctx, q, storeID, proof.address, now)
	} else {
		c, err = addAddress(ctx, q, storeID, signedIn, proof.address, now)
	}
	if err != nil {
		return Session{}, err
	}
	session := Session{Token: access.NewCustomerToken(), ExpiresAt: now.Add(sessionLifetime), Customer: c}
	if err := insertSession(ctx, q, storeID, session, now); err != nil {
		return Session{}, fmt.Errorf("insert a session: %w", err)
	}
	return session, nil
}

// findOrCreate returns the customer who has proven the address, and makes one if nobody has.
func findOrCreate(ctx context.Context, q database.Querier, storeID store.ID, address string, now time.Time) (Customer, error) {
	c := Customer{ID: id.New[access.Customer](), Version: 1, CreatedAt: now, UpdatedAt: now}
	c.setLoginAddress(address)
	c, err := upsertCustomer(ctx, q, storeID, &c)
	if err != nil {
		return Customer{}, fmt.Errorf("find or create a customer: %w", err)
	}
	return c, nil
}

// addAddress makes the address one that the customer signs in with. If it is that already, the profile stays as it is.
func addAddress(ctx context.Context, q database.Querier, storeID store.ID, customerID ID, address string, now time.Time) (Customer, error) {
	c, err := selectCustomer(ctx, q, storeID, customerID, q.Dialect().ForUpdate)
	if err != nil || c.signsInWith(address) {
		return c, err
	}
	c.setLoginAddress(address)
	c.bumpVersion(now)
	return c, updateCustomer(ctx, q, storeID, &c)
}
