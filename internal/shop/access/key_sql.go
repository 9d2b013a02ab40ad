package access

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

const keyColumns = `c.id, c.store_id, c.kind, c.name, c.hint, c.scopes, c.members, c.created_at, c.expires_at, ` +
	`c.revoked_at, c.last_used_at, ` +
	`(SELECT g.id FROM customer_groups g WHERE g.store_id = c.store_id AND g.key = c.group_key)`

// selectCredentialSQL runs in every request with a key. It reads the versions of the catalogue, too, so that many
// requests need no other query, and the price lists of the key.
var selectCredentialSQL = `
SELECT c.hash, ` + keyColumns + `, ` + store.Columns + `, ` + store.VersionColumns + `,
	` + pricing.ChainSQL("c.group_key") + `
FROM credentials AS c
JOIN stores AS s ON s.id = c.store_id` + store.VersionJoins + `
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
INSERT INTO credentials (id, store_id, kind, name, hash, hint, scopes, created_at, expires_at, members, group_key)
SELECT $1, s.id, $3, $4, $5, $6, $7, $8, $9, $10,
	(SELECT g.key FROM customer_groups g WHERE g.store_id = s.id AND g.id = $11)
FROM stores AS s
WHERE s.id = $2`

// hasGroupSQL is completed by a locking clause.
const hasGroupSQL = `
SELECT key
FROM customer_groups
WHERE store_id = $1
  AND id = $2`

const setRevokedSQL = `
UPDATE credentials
SET revoked_at = $3
WHERE store_id = $1 AND id = $2`

const setExpirySQL = `
UPDATE credentials
SET expires_at = $3
WHERE store_id = $1 AND id = $2`

const updateKeySQL = `
UPDATE credentials
SET name = $3, members = $4,
	group_key = (SELECT g.key FROM customer_groups g WHERE g.store_id = $1 AND g.id = $5)
WHERE store_id = $1 AND id = $2`

// keyRow is the destination of a Scan of keyColumns.
type keyRow struct {
	Key
	scopes  string
	members int64
}

func (r *keyRow) dest() []any {
	return []any{&r.ID, &r.StoreID, (*string)(&r.Kind), &r.Name, &r.Hint, &r.scopes, &r.members,
		database.Time(&r.CreatedAt),
		database.NullTime(&r.ExpiresAt), database.NullTime(&r.RevokedAt), database.NullTime(&r.LastUsedAt),
		&r.GroupID}
}

func (r *keyRow) key() Key {
	r.Scopes, r.Members = parseScopes(r.scopes), productfield.Set(r.members)
	return r.Key
}

func scanKey(rows database.Rows) (Key, error) {
	var row keyRow
	err := rows.Scan(row.dest()...)
	return row.key(), err
}

// credentialRow is a key with its store and the hash of its token.
type credentialRow struct {
	hash  []byte
	key   keyRow
	store store.Row
	// versions are the versions of the store's catalogue.
	versions store.Versions
	chain    *string // nil if the key has no group with price lists
}

func selectCredential(ctx context.Context, q database.Querier, hash TokenHash) (row credentialRow, err error) {
	err = database.QueryRow(ctx, q, selectCredentialSQL, []any{hash[:]},
		slices.Concat([]any{&row.hash}, row.key.dest(), row.store.Dest(), row.versions.Dest(), []any{&row.chain})...)
	return row, err
}

func selectKeys(ctx context.Context, tx store.Tx) ([]Key, error) {
	keys := []Key{}
	err := database.QueryEach(ctx, tx, selectKeysSQL, nil, database.AppendScanned(&keys, scanKey))
	return keys, err
}

// selectKey returns a key of a store or fault.NotFound. lock is a locking clause of the dialect, or empty.
func selectKey(ctx context.Context, tx store.Tx, keyID KeyID, lock string) (Key, error) {
	return store.SelectOne(ctx, tx, selectKeySQL+lock, []any{keyID}, "key", scanKey)
}

func selectKeyByID(ctx context.Context, q database.Querier, keyID KeyID) (Key, error) {
	return database.QueryOne(ctx, q, selectKeyByIDSQL, []any{keyID}, scanKey)
}

func selectKeyByHash(ctx context.Context, q database.Querier, hash TokenHash) (Key, error) {
	return database.QueryOne(ctx, q, selectKeyByHashSQL, []any{hash[:]}, scanKey)
}

func insertKey(ctx context.Context, q database.Querier, k Key, hash TokenHash) (int64, error) {
	return q.Exec(ctx, insertKeySQL, k.ID, k.StoreID, string(k.Kind), k.Name, hash[:], k.Hint, k.Scopes.Text(),
		k.CreatedAt.UnixMicro(), database.MicrosOrNull(k.ExpiresAt), int64(k.Members), k.GroupID)
}

// checkGroupExists locks the group of a key until the commit. It returns fault.Invalid if the store has no such group.
func checkGroupExists(ctx context.Context, tx store.Tx, groupID *GroupID) error {
	if groupID == nil {
		return nil
	}
	var key int64
	err := database.QueryRow(ctx, tx, hasGroupSQL+tx.Dialect().ForKeyShare, []any{*groupID}, &key)
	if errors.Is(err, database.ErrNoRows) {
		return UnknownGroup("group_id")
	}
	return err
}

const groupNameSQL = `
SELECT name
FROM customer_groups
WHERE store_id = $1
  AND id = $2`

// GroupName returns the name of a customer group, by which the log tells of it. It is empty for no group, and for one
// that the store does not have any more.
func GroupName(ctx context.Context, tx store.Tx, groupID *GroupID) (name string, err error) {
	if groupID == nil {
		return "", nil
	}
	err = database.QueryRow(ctx, tx, groupNameSQL, []any{*groupID}, &name)
	if errors.Is(err, database.ErrNoRows) {
		return "", nil
	}
	return name, err
}

func updateKey(ctx context.Context, tx store.Tx, k Key) error {
	return database.Exec(ctx, tx, updateKeySQL, k.ID, k.Name, int64(k.Members), k.GroupID)
}

func setRevoked(ctx context.Context, tx store.Tx, keyID KeyID, at time.Time) error {
	return database.Exec(ctx, tx, setRevokedSQL, keyID, at.UnixMicro())
}

func setExpiry(ctx context.Context, tx store.Tx, keyID KeyID, at time.Time) error {
	return database.Exec(ctx, tx, setExpirySQL, keyID, at.UnixMicro())
}
