package customer

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// sessionLifetime is how long a customer stays signed in.
const sessionLifetime = 30 * 24 * time.Hour

// Session is a new session of a customer. The token is not stored and cannot be shown again.
type Session struct {
	Token     string
	ExpiresAt time.Time
	Customer  Customer
}

// Authenticate returns the principal of a customer token, with its store, in one query. All invalid tokens get the same
// fault, access.BadCredential.
func (s *Service) Authenticate(ctx context.Context, token string) (access.Principal, error) {
	if kind, err := access.ParseToken(token); err != nil || kind != access.CustomerToken {
		return access.Principal{}, access.BadCredential()
	}

	hash := access.HashToken(token)
	now := s.moment()
	row, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (sessionRow, error) {
		return selectCustomerSession(ctx, q, hash, now)
	})
	if errors.Is(err, database.ErrNoRows) {
		return access.Principal{}, access.BadCredential()
	}
	if err != nil {
		return access.Principal{}, fmt.Errorf("authenticate a customer: %w", err)
	}

	if subtle.ConstantTimeCompare(row.hash, hash[:]) != 1 || !row.expiresAt.After(now) {
		return access.Principal{}, access.BadCredential()
	}

	p := access.Principal{Kind: access.CustomerToken, Store: s.Stores.FromRow(&row.store),
		CustomerKey: row.customerKey, CustomerID: row.customerID, Versions: &row.versions}
	if row.cameBy != nil {
		p.CameBy = *row.cameBy
	}
	if row.chain != nil {
		p.Prices = pricing.Chain(*row.chain)
	}
	return p, nil
}

// SignOut ends a session in the caller's transaction. A token without a session is not an error.
func (s *Service) SignOut(ctx context.Context, tx store.Tx, token string) (err error) {
	defer fault.AddContext(&err, "sign a customer out")
	return deleteCustomerSession(ctx, tx, access.HashToken(token))
}
