package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// Authenticate returns the principal of a key or exchange token, with its store, in one query, which concurrent calls
// with the same token share. The principal must not be modified. All invalid tokens get the same fault, BadCredential.
// Authenticate does not accept the tokens of operator sessions (see Session) or of customers (see package customer).
func (s *Service) Authenticate(ctx context.Context, token string) (Principal, error) {
	kind, err := ParseToken(token)
	if err != nil || kind != PublishableKey && kind != SecretKey && kind != ExchangeToken {
		return Principal{}, BadCredential()
	}
	hash := HashToken(token)
	return s.lookups.do(ctx, hash, func(ctx context.Context) (Principal, error) {
		return s.principalOfKey(ctx, kind, hash)
	})
}

// principalOfKey returns the principal of the token with this kind and hash, or BadCredential.
func (s *Service) principalOfKey(ctx context.Context, kind Kind, hash TokenHash) (Principal, error) {
	row, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (credentialRow, error) {
		return selectCredential(ctx, q, hash)
	})
	if errors.Is(err, database.ErrNoRows) {
		return Principal{}, BadCredential()
	}
	if err != nil {
		return Principal{}, fmt.Errorf("authenticate: %w", err)
	}

	now := s.moment()
	key := row.key.key()
	if subtle.ConstantTimeCompare(row.hash, hash[:]) != 1 || key.Kind != kind || !key.Active(now) {
		return Principal{}, BadCredential()
	}

	s.usedKeys.Record(key.ID, now, key.LastUsedAt)
	p := Principal{Kind: kind, Store: s.Stores.FromRow(&row.store), CredentialID: key.ID, KeyName: key.Name,
		Scopes: key.Scopes, ExpiresAt: key.ExpiresAt, Versions: &row.versions}
	if row.chain != nil {
		p.Prices = pricing.Chain(*row.chain)
	}
	return p, nil
}

// BadCredential returns the Unauthenticated fault invalid_credential. It does not say what is wrong with the token.
func BadCredential() error {
	return fault.New(fault.Unauthenticated, "invalid_credential",
		"The key or token is not valid: it is mistyped, unknown, revoked or expired. Check that it is complete, "+
			"or ask the store's owner for a new one.")
}

// CreateKey creates a key in the caller's transaction. The returned string is its token, which is not stored and cannot
// be shown again.
func (s *Service) CreateKey(ctx context.Context, tx store.Tx, n NewKey) (_ Key, token string, err error) {
	defer fault.AddContext(&err, "create a key in store %s", tx.StoreID())
	key, err := n.check(s.moment())
	if err != nil {
		return Key{}, "", err
	}
	key.StoreID = tx.StoreID()
	if err := checkGroupExists(ctx, tx, key.GroupID); err != nil {
		return Key{}, "", err
	}
	if key, token, err = s.issueKey(ctx, tx.Unscoped(), key); err != nil {
		return Key{}, "", err
	}
	return key, token, key.record(ctx, tx, audit.KeyCreated)
}

// issueKey gives the key an id and a token, and stores it.
func (s *Service) issueKey(ctx context.Context, q database.Querier, key Key) (_ Key, token string, err error) {
	token = NewToken(key.Kind)
	key.ID, key.Hint = id.New[Key](), tokenHint(token)
	n, err := insertKey(ctx, q, key, HashToken(token))
	if err == nil && n == 0 {
		err = store.Missing()
	}
	return key, token, err
}

// Keys returns all keys of a store, including revoked and expired ones, oldest first.
func (s *Service) Keys(ctx context.Context, tx store.Tx) (_ []Key, err error) {
	defer fault.AddContext(&err, "list the keys of store %s", tx.StoreID())
	return selectKeys(ctx, tx)
}

// FindKey returns the key with this id or token, or fault.NotFound. It searches all stores, so it is for administrators
// of the installation only.
func (s *Service) FindKey(ctx context.Context, q database.Querier, reference string) (key Key, err error) {
	defer fault.AddContext(&err, "find a key")
	if keyID, notID := id.Parse[Key](reference); notID == nil {
		key, err = selectKeyByID(ctx, q, keyID)
	} else if _, notToken := ParseToken(reference); notToken == nil {
		key, err = selectKeyByHash(ctx, q, HashToken(reference))
	} else {
		return Key{}, fault.New(fault.Invalid, "invalid_reference", "Name the key by its id, or give the whole token.")
	}
	if errors.Is(err, database.ErrNoRows) {
		err = fault.New(fault.NotFound, "not_found", "There is no such key.")
	}
	return key, err
}

// ActiveKey returns a key of the store, and whether it is neither revoked nor expired. It is for work that continues
// long after the request was authenticated. A key that does not exist is not active.
func (s *Service) ActiveKey(ctx context.Context, tx store.Tx, keyID KeyID) (_ Key, active bool, err error) {
	defer fault.AddContext(&err, "read key %s", keyID)
	key, err := selectKey(ctx, tx, keyID, "")
	if fault.KindOf(err) == fault.NotFound {
		return Key{}, false, nil
	}
	return key, key.Active(s.moment()), err
}

// EditKey changes the name of a key, the members that an exchange token writes, or the group of a publishable key, and
// returns the key. It returns
// fault.NotFound, fault.Invalid, or fault.Stale if check, which may be nil, rejects the key as stored.
func (s *Service) EditKey(
	ctx context.Context, tx store.Tx, keyID KeyID, e KeyEdit, check func(Key) error,
) (_ Key, err error) {
	defer fault.AddContext(&err, "edit key %s", keyID)

	key, err := selectKey(ctx, tx, keyID, tx.Dialect().ForUpdate)
	if err != nil {
		return Key{}, err
	}

	if check != nil {
		if err := check(key); err != nil {
			return Key{}, err
		}
	}

	if err := key.apply(e); err != nil {
		return Key{}, err
	}
	if err := checkGroupExists(ctx, tx, key.GroupID); err != nil {
		return Key{}, err
	}
	if err := updateKey(ctx, tx, key); err != nil {
		return Key{}, err
	}

	return key, key.record(ctx, tx, audit.KeyChanged)
}

// RevokeKey revokes a key in the caller's transaction. A key that was revoked before keeps the time of its
// revocation. It returns fault.NotFound if the store has no such key.
func (s *Service) RevokeKey(ctx context.Context, tx store.Tx, keyID KeyID) (err error) {
	defer fault.AddContext(&err, "revoke key %s", keyID)
	key, err := selectKey(ctx, tx, keyID, tx.Dialect().ForUpdate)
	if err != nil || key.RevokedAt != nil {
		return err
	}
	if err := setRevoked(ctx, tx, keyID, s.moment()); err != nil {
		return err
	}
	return key.record(ctx, tx, audit.KeyRevoked)
}

// RotateKey creates a new key of the same kind, name, scopes, members and group, and lets the old one expire after the
// overlap. An overlap of 0 ends the old key at once. It returns fault.Conflict if the old key is not active. The
// returned string is the new token.
func (s *Service) RotateKey(
	ctx context.Context, tx store.Tx, keyID KeyID, overlap time.Duration,
) (_ Key, token string, err error) {
	defer fault.AddContext(&err, "rotate key %s", keyID)

	if err := checkOverlap(overlap); err != nil {
		return Key{}, "", err
	}

	old, err := selectKey(ctx, tx, keyID, tx.Dialect().ForUpdate)
	if err != nil {
		return Key{}, "", err
	}

	now := s.moment()
	if !old.Active(now) {
		return Key{}, "", fault.New(fault.Conflict, "key_not_active",
			"The key is revoked or expired and cannot be rotated; create a new one.")
	}

	replaced := old
	replaced.ExpiresAt = new(old.rotationEnd(now, overlap))
	if err := setExpiry(ctx, tx, keyID, *replaced.ExpiresAt); err != nil {
		return Key{}, "", err
	}
	if err := replaced.record(ctx, tx, audit.KeyRotated); err != nil {
		return Key{}, "", err
	}

	return s.issueKey(ctx, tx.Unscoped(), old.successor(now))
}
