package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const keyColumns = `c.id, c.store_id, c.kind, c.name, c.hint, c.scopes, c.created_at, c.expires_at, c.revoked_at, c.last_used_at`

// selectCredentialSQL runs once per request.
const selectCredentialSQL = `
SELECT c.hash, ` + keyColumns + `, ` + store.Columns + `
FROM credentials AS c
JOIN stores AS s ON s.id = c.store_id
WHERE c.hash = $1`

const selectKeysSQL = `
SELECT ` + keyColumns + `
FROM credentials AS c
WHERE c.store_id = $1
ORDER BY c.created_at, c.id`

const selectKeySQL = `
SELECT ` + keyColumns + `
FROM credentials AS c
WHERE c.store_id = $1 AND c.id = $2`

const selectKeyByIDSQL = `
SELECT ` + keyColumns + `
FROM credentials AS c
WHERE c.id = $1`

const selectKeyByHashSQL = `
SELECT ` + keyColumns + `
FROM credentials AS c
WHERE c.hash = $1`

// insertKeySQL inserts nothing if the store does not exist.
const insertKeySQL = `
INSERT INTO credentials (id, store_id, kind, name, hash, hint, scopes, created_at, expires_at)
SELECT $1, s.id, $3, $4, $5, $6, $7, $8, $9
FROM stores AS s
WHERE s.id = $2`

const setRevokedSQL = `
UPDATE credentials
SET revoked_at = $3
WHERE store_id = $1 AND id = $2`

const setExpirySQL = `
UPDATE credentials
SET expires_at = $3
WHERE store_id = $1 AND id = $2`

// keyRow receives the keyColumns.
type keyRow struct {
	key                              Key
	kind, scopes                     string
	createdAt                        int64
	expiresAt, revokedAt, lastUsedAt *int64
}

func (r *keyRow) dest() []any {
	return []any{&r.key.ID, &r.key.StoreID, &r.kind, &r.key.Name, &r.key.Hint, &r.scopes, &r.createdAt, &r.expiresAt,
		&r.revokedAt, &r.lastUsedAt}
}

func (r *keyRow) toKey() Key {
	k := r.key
	k.Kind, k.Scopes = Kind(r.kind), parseScopes(r.scopes)
	k.CreatedAt = fromMicros(r.createdAt)
	k.ExpiresAt, k.RevokedAt, k.LastUsedAt = fromOptionalMicros(r.expiresAt), fromOptionalMicros(r.revokedAt),
		fromOptionalMicros(r.lastUsedAt)
	return k
}

// credentialRow is a key with its store and its hash.
type credentialRow struct {
	hash  []byte
	key   Key
	store store.Row
}

func selectCredential(ctx context.Context, q database.Querier, hash tokenHash, into *credentialRow) error {
	var row keyRow
	dest := append([]any{&into.hash}, row.dest()...)
	if err := database.QueryRow(ctx, q, selectCredentialSQL, []any{hash[:]},
		append(dest, into.store.Dest()...)...); err != nil {
		return err
	}
	into.key = row.toKey()
	return nil
}

func selectKeys(ctx context.Context, tx store.Tx) ([]Key, error) {
	keys := []Key{}
	err := database.QueryEach(ctx, tx, selectKeysSQL, nil, func(rows database.Rows) error {
		var row keyRow
		if err := rows.Scan(row.dest()...); err != nil {
			return err
		}
		keys = append(keys, row.toKey())
		return nil
	})
	return keys, err
}

func selectKey(ctx context.Context, tx store.Tx, keyID KeyID) (Key, error) {
	return readKey(ctx, tx.Unscoped(), selectKeySQL, tx.StoreID(), keyID)
}

func selectKeyForUpdate(ctx context.Context, tx store.Tx, keyID KeyID) (Key, error) {
	return readKey(ctx, tx.Unscoped(), selectKeySQL+tx.Dialect().ForUpdate, tx.StoreID(), keyID)
}

func selectKeyByID(ctx context.Context, q database.Querier, keyID KeyID) (Key, error) {
	return readKey(ctx, q, selectKeyByIDSQL, keyID)
}

func selectKeyByHash(ctx context.Context, q database.Querier, hash tokenHash) (Key, error) {
	return readKey(ctx, q, selectKeyByHashSQL, hash[:])
}

func readKey(ctx context.Context, q database.Querier, sql string, args ...any) (Key, error) {
	var row keyRow
	if err := database.QueryRow(ctx, q, sql, args, row.dest()...); err != nil {
		return Key{}, err
	}
	return row.toKey(), nil
}

func insertKey(ctx context.Context, q database.Querier, k Key, hash tokenHash) (int64, error) {
	return q.Exec(ctx, insertKeySQL, k.ID, k.StoreID, string(k.Kind), k.Name, hash[:], k.Hint, k.Scopes.Text(),
		k.CreatedAt.UnixMicro(), optionalMicros(k.ExpiresAt))
}

func setRevoked(ctx context.Context, tx store.Tx, keyID KeyID, at time.Time) error {
	return database.Exec(ctx, tx, setRevokedSQL, keyID, at.UnixMicro())
}

func setExpiry(ctx context.Context, tx store.Tx, keyID KeyID, at time.Time) error {
	return database.Exec(ctx, tx, setExpirySQL, keyID, at.UnixMicro())
}
