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

// Authenticate returns whom a key or exchange token stands for, with its store, in one query. Whatever is wrong with the
// token, the fault is the same: BadCredential. Sessions of operators are not read here (see Session), nor are those of customers, which package
// customer keeps.
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
	return Principal{Kind: kind, Store: s.stores.FromRow(&row.store), CredentialID: row.key.ID, Scopes: row.key.Scopes}, nil
}

// BadCredential is the Unauthenticated fault for a token that is not valid, whatever is wrong with it: invalid_credential.
func BadCredential() error {
	return fault.New(fault.Unauthenticated, "invalid_credential",
		"The key or token is not valid: it is mistyped, unknown, revoked or expired. Check that it is complete, or ask the store's owner for a new one.")
}

// CreateKey makes a key in the caller's transaction. The string is its token: it is kept nowhere and cannot be shown again.
func (s *Service) CreateKey(ctx context.Context, q database.Querier, storeID store.ID, n NewKey) (Key, string, error) {
	key, err := n.check(s.moment())
	if err != nil {
		return Key{}, "", err
	}
	key.StoreID = storeID
	return s.issueKey(ctx, q, key)
}

// issueKey gives the key its id and a token, and stores it.
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

// Keys returns all keys of a store, revoked and expired ones too, the oldest first.
func (s *Service) Keys(ctx context.Context, q database.Querier, storeID store.ID) ([]Key, error) {
	keys, err := selectKeys(ctx, q, storeID)
	if err != nil {
		return nil, fmt.Errorf("list the keys of store %s: %w", storeID, err)
	}
	return keys, nil
}

// FindKey returns the key that reference names: its id, or the token itself. It looks in all stores, so it is for those who
// administer the machine; Key.StoreID says whose it is. Nothing found is NotFound.
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

// KeyWorks reports whether a key of a store is there and neither revoked nor expired: for work that goes on long after the request that the key
// let in.
func (s *Service) KeyWorks(ctx context.Context, q database.Querier, storeID store.ID, keyID KeyID) (bool, error) {
	key, err := readKey(ctx, q, selectKeySQL, storeID, keyID)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read key %s: %w", keyID, err)
	}
	return key.Active(s.moment()), nil
}

// RevokeKey ends a key from the end of the caller's transaction on; one that was revoked before stays as it is. A key that is not in this store is NotFound.
func (s *Service) RevokeKey(ctx context.Context, q database.Querier, storeID store.ID, keyID KeyID) error {
	key, err := s.keyForUpdate(ctx, q, storeID, keyID)
	if err != nil || key.RevokedAt != nil {
		return err
	}
	if err := setRevoked(ctx, q, storeID, keyID, s.moment()); err != nil {
		return fmt.Errorf("revoke key %s: %w", keyID, err)
	}
	return nil
}

// RotateKey makes a new key of the same kind, name and scopes and lets the old one expire after the overlap (DefaultOverlap
// unless somebody chose; 0 ends it at once). A key that does not work any more is a Conflict. The string is the new token.
func (s *Service) RotateKey(ctx context.Context, q database.Querier, storeID store.ID, keyID KeyID, overlap time.Duration) (Key, string, error) {
	if err := checkOverlap(overlap); err != nil {
		return Key{}, "", err
	}
	old, err := s.keyForUpdate(ctx, q, storeID, keyID)
	if err != nil {
		return Key{}, "", err
	}
	now := s.moment()
	if !old.Active(now) {
		return Key{}, "", fault.New(fault.Conflict, "key_not_active", "The key is revoked or expired and cannot be rotated; create a new one.")
	}
	if err := setExpiry(ctx, q, storeID, keyID, old.rotationEnd(now, overlap)); err != nil {
		return Key{}, "", fmt.Errorf("rotate key %s: %w", keyID, err)
	}
	return s.issueKey(ctx, q, old.successor(now))
}

func (s *Service) keyForUpdate(ctx context.Context, q database.Querier, storeID store.ID, keyID KeyID) (Key, error) {
	key, err := selectKeyForUpdate(ctx, q, storeID, keyID)
	if errors.Is(err, database.ErrNoRows) {
		return Key{}, fault.Missing("key")
	}
	if err != nil {
		return Key{}, fmt.Errorf("lock key %s: %w", keyID, err)
	}
	return key, nil
}
