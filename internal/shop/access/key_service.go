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
	"vitrine/internal/shop/store"
)

// Authenticate returns the principal of a key or exchange token, with its store, in one query. All invalid tokens get
// the same fault, BadCredential. Authenticate does not accept the tokens of operator sessions (see Session) or of
// customers (see package customer).
func (s *Service) Authenticate(ctx context.Context, token string) (Principal, error) {
	kind, err := ParseToken(token)
	if err != nil || kind == OperatorSession || kind == CustomerToken {
		return Principal{}, BadCredential()
	}
	hash := hashToken(token)
	var row credentialRow
	err = s.db.Read(ctx, func(q database.Querier) error { return selectCredential(ctx, q, hash, &row) })
	if errors.Is(err, database.ErrNoRows) {
		return Principal{}, BadCredential()
	}
	if err != nil {
		return Principal{}, fmt.Errorf("authenticate: %w", err)
	}
	now := s.moment()
	if subtle.ConstantTimeCompare(row.hash, hash[:]) != 1 || row.key.Kind != kind || !row.key.Active(now) {
		return Principal{}, BadCredential()
	}
	s.usedKeys.record(row.key.ID, now, row.key.LastUsedAt)
	return Principal{
		Kind: kind, Store: s.stores.FromRow(&row.store), CredentialID: row.key.ID, Scopes: row.key.Scopes,
	}, nil
}

// BadCredential returns the Unauthenticated fault invalid_credential. It does not say what is wrong with the token.
func BadCredential() error {
	return fault.New(fault.Unauthenticated, "invalid_credential",
		"The key or token is not valid: it is mistyped, unknown, revoked or expired. Check that it is complete, or ask the store's owner for a new one.")
}

// CreateKey creates a key in the caller's transaction. The returned string is its token, which is not stored and cannot
// be shown again.
func (s *Service) CreateKey(ctx context.Context, tx store.Tx, n NewKey) (Key, string, error) {
	key, err := n.check(s.moment())
	if err != nil {
		return Key{}, "", err
	}
	key.StoreID = tx.StoreID()
	return s.issueKey(ctx, tx.Unscoped(), key)
}

// issueKey gives the key an id and a token, and stores it.
func (s *Service) issueKey(ctx context.Context, q database.Querier, key Key) (Key, string, error) {
	token := newToken(key.Kind, randomBits())
	key.ID, key.Hint = id.New[Key](), hint(token)
	n, err := insertKey(ctx, q, key, hashToken(token))
	if err != nil {
		return Key{}, "", fmt.Errorf("create a key in store %s: %w", key.StoreID, err)
	}
	if n == 0 {
		return Key{}, "", store.Missing()
	}
	return key, token, nil
}

// Keys returns all keys of a store, including revoked and expired ones, oldest first.
func (s *Service) Keys(ctx context.Context, tx store.Tx) ([]Key, error) {
	keys, err := selectKeys(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("list the keys of store %s: %w", tx.StoreID(), err)
	}
	return keys, nil
}

// FindKey returns the key with this id or token, or fault.NotFound. It searches all stores, so it is for administrators
// of the installation only.
func (s *Service) FindKey(ctx context.Context, q database.Querier, reference string) (Key, error) {
	var key Key
	var err error
	if keyID, notID := id.Parse[Key](reference); notID == nil {
		key, err = selectKeyByID(ctx, q, keyID)
	} else if _, notToken := ParseToken(reference); notToken == nil {
		key, err = selectKeyByHash(ctx, q, hashToken(reference))
	} else {
		return Key{}, fault.New(fault.Invalid, "invalid_reference", "Name the key by its id, or give the whole token.")
	}
	if errors.Is(err, database.ErrNoRows) {
		return Key{}, fault.New(fault.NotFound, "not_found", "There is no such key.")
	}
	if err != nil {
		return Key{}, fmt.Errorf("find a key: %w", err)
	}
	return key, nil
}

// KeyActive reports whether the store has this key and it is neither revoked nor expired. It is for work that continues
// long after the request was authenticated.
func (s *Service) KeyActive(ctx context.Context, tx store.Tx, keyID KeyID) (bool, error) {
	key, err := selectKey(ctx, tx, keyID)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read key %s: %w", keyID, err)
	}
	return key.Active(s.moment()), nil
}

// RevokeKey revokes a key in the caller's transaction. A key that was revoked before keeps the time of its
// revocation. It returns fault.NotFound if the store has no such key.
func (s *Service) RevokeKey(ctx context.Context, tx store.Tx, keyID KeyID) error {
	key, err := s.keyForUpdate(ctx, tx, keyID)
	if err != nil || key.RevokedAt != nil {
		return err
	}
	if err := setRevoked(ctx, tx, keyID, s.moment()); err != nil {
		return fmt.Errorf("revoke key %s: %w", keyID, err)
	}
	return nil
}

// RotateKey creates a new key of the same kind, name and scopes, and lets the old one expire after the overlap. An
// overlap of 0 ends the old key at once. It returns fault.Conflict if the old key is not active. The returned string is
// the new token.
func (s *Service) RotateKey(ctx context.Context, tx store.Tx, keyID KeyID, overlap time.Duration) (Key, string, error) {
	if err := checkOverlap(overlap); err != nil {
		return Key{}, "", err
	}
	old, err := s.keyForUpdate(ctx, tx, keyID)
	if err != nil {
		return Key{}, "", err
	}
	now := s.moment()
	if !old.Active(now) {
		return Key{}, "", fault.New(fault.Conflict, "key_not_active",
			"The key is revoked or expired and cannot be rotated; create a new one.")
	}
	if err := setExpiry(ctx, tx, keyID, old.rotationEnd(now, overlap)); err != nil {
		return Key{}, "", fmt.Errorf("rotate key %s: %w", keyID, err)
	}
	return s.issueKey(ctx, tx.Unscoped(), old.successor(now))
}

func (s *Service) keyForUpdate(ctx context.Context, tx store.Tx, keyID KeyID) (Key, error) {
	key, err := selectKeyForUpdate(ctx, tx, keyID)
	if errors.Is(err, database.ErrNoRows) {
		return Key{}, fault.Missing("key")
	}
	if err != nil {
		return Key{}, fmt.Errorf("lock key %s: %w", keyID, err)
	}
	return key, nil
}
