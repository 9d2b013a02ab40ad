package account

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// ActiveSession is an open session of a person.
type ActiveSession struct {
	// Store is the name of the store in which the session is.
	Store                 string
	Network, Browser      string
	CreatedAt, LastSeenAt time.Time
	// Current says that it is the session of the request.
	Current bool

	hash access.TokenHash
}

// ID identifies the session for End. It is not the token.
func (s ActiveSession) ID() string { return hex.EncodeToString(s.hash[:]) }

// List returns the open sessions of the person whose session it is, in all stores, the last used one first.
func (s *Sessions) List(ctx context.Context, q database.Querier, p access.Principal) (_ []ActiveSession, err error) {
	if p.Kind != access.OperatorSession {
		return nil, SessionRequired()
	}
	defer fault.AddContext(&err, "list the sessions of operator %s", p.Operator.ID)

	all, err := selectAccountSessions(ctx, q, p.Operator.AccountID)
	if err != nil {
		return nil, err
	}

	now := s.moment()
	all = slices.DeleteFunc(all, func(one ActiveSession) bool {
		return sessionExpired(one.CreatedAt, one.LastSeenAt, now)
	})
	for i := range all {
		all[i].Current = all[i].hash == p.Session
	}

	return all, nil
}

// End ends a session of the person whose session it is, in the caller's transaction. It returns fault.NotFound
// if the person has no such session.
func (s *Sessions) End(ctx context.Context, q database.Querier, p access.Principal, sessionID string) (err error) {
	if p.Kind != access.OperatorSession {
		return SessionRequired()
	}
	defer fault.AddContext(&err, "end a session of operator %s", p.Operator.ID)
	var hash access.TokenHash
	if decoded, err := hex.DecodeString(sessionID); err != nil || copy(hash[:], decoded) != len(hash) {
		return fault.Missing("session")
	}
	ended, err := deleteAccountSession(ctx, q, p.Operator.AccountID, hash)
	if err == nil && !ended {
		err = fault.Missing("session")
	}
	return err
}

// EndOthers ends all sessions of the person except the session of the request, in the caller's transaction. It also
// forgets the person's devices.
func (s *Sessions) EndOthers(ctx context.Context, q database.Querier, p access.Principal) (err error) {
	if p.Kind != access.OperatorSession {
		return SessionRequired()
	}
	defer fault.AddContext(&err, "end the other sessions of operator %s", p.Operator.ID)
	if err := deleteAccountSessions(ctx, q, p.Operator.AccountID, p.Session); err != nil {
		return err
	}
	return deleteDevices(ctx, q, p.Operator.AccountID)
}

// StoresOf returns the stores that the person of a session administers, by name.
func (s *Sessions) StoresOf(ctx context.Context, q database.Querier, p access.Principal) (_ []AccountStore, err error) {
	if p.Kind != access.OperatorSession {
		return nil, SessionRequired()
	}
	defer fault.AddContext(&err, "list the stores of operator %s", p.Operator.ID)
	return selectAccountStores(ctx, q, p.Operator.AccountID)
}

// SwitchStore replaces the session by one in another store of the same person, in the caller's transaction, and returns
// its token. It returns fault.NotFound if the person does not administer the store.
func (s *Sessions) SwitchStore(
	ctx context.Context, q database.Querier, p access.Principal, storeID store.ID,
) (token string, err error) {
	if p.Kind != access.OperatorSession {
		return "", SessionRequired()
	}
	defer fault.AddContext(&err, "switch operator %s to store %s", p.Operator.ID, storeID)

	tx := store.In(q, storeID)
	o, err := selectOperatorOfAccount(ctx, tx, p.Operator.AccountID, "")
	if errors.Is(err, database.ErrNoRows) || err == nil && !o.Active() {
		return "", store.Missing()
	}
	if err != nil {
		return "", err
	}

	token = access.NewToken(access.OperatorSession)
	if err := s.replaceSession(ctx, q, p, token, o); err != nil {
		return "", err
	}
	if err := recordSignIn(ctx, tx, o.ID, s.moment()); err != nil {
		return "", err
	}

	return token, logSignIn(ctx, tx, o, s.moment())
}
