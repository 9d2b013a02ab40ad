package customer

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// selectCustomerSessionSQL runs once per request of a customer. A key that is revoked or has expired at $2 gives nobody
// prices any more.
var selectCustomerSessionSQL = `
SELECT x.hash, x.expires_at, c.key, c.id, x.credential_id,
	` + pricing.ChainSQL("COALESCE("+pricing.CustomerGroupSQL("c")+", k.group_key)") + `,
	` + store.Columns + `, ` + store.VersionColumns + `
FROM customer_sessions AS x
JOIN customers AS c ON c.store_id = x.store_id AND c.key = x.customer_key
JOIN stores AS s ON s.id = x.store_id
LEFT JOIN credentials AS k ON k.store_id = x.store_id AND k.id = x.credential_id
	AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)` + store.VersionJoins + `
WHERE x.hash = $1`

const insertCustomerSessionSQL = `
INSERT INTO customer_sessions (hash, store_id, customer_key, created_at, expires_at, credential_id)
VALUES ($1, $2, $3, $4, $5, $6)`

const deleteCustomerSessionSQL = `
DELETE FROM customer_sessions
WHERE store_id = $1
  AND hash = $2`

const deleteExpiredCustomerSessionsSQL = `
DELETE FROM customer_sessions
WHERE expires_at <= $1`

// sessionRow is a session with its customer and store.
type sessionRow struct {
	hash        []byte
	expiresAt   time.Time
	customerKey int64
	customerID  ID
	cameBy      *access.KeyID
	chain       *string // nil if neither the customer nor the active key has a group with price lists
	store       store.Row
	versions    store.Versions // of the store's catalogue
}

func selectCustomerSession(
	ctx context.Context, q database.Querier, hash [sha256.Size]byte, now time.Time,
) (row sessionRow, err error) {
	dest := []any{&row.hash, database.Time(&row.expiresAt), &row.customerKey, &row.customerID, &row.cameBy,
		&row.chain}
	err = database.QueryRow(ctx, q, selectCustomerSessionSQL, []any{hash[:], now.UnixMicro()},
		slices.Concat(dest, row.store.Dest(), row.versions.Dest())...)
	return row, err
}

func insertCustomerSession(
	ctx context.Context, tx store.Tx, s Session, cameBy *access.KeyID, now time.Time,
) error {
	hash := access.HashToken(s.Token)
	return database.Exec(ctx, tx.Unscoped(), insertCustomerSessionSQL, hash[:], tx.StoreID(), s.Customer.Key,
		now.UnixMicro(), s.ExpiresAt.UnixMicro(), cameBy)
}

func deleteCustomerSession(ctx context.Context, tx store.Tx, hash [sha256.Size]byte) error {
	return database.Exec(ctx, tx, deleteCustomerSessionSQL, hash[:])
}

// deleteExpiredCustomerSessions deletes the sessions of all stores that expire at or before the given time.
func deleteExpiredCustomerSessions(ctx context.Context, q database.Querier, at time.Time) error {
	return database.Exec(ctx, q, deleteExpiredCustomerSessionsSQL, at.UnixMicro())
}
