package customer

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const endLoginOfPersonSQL = `
UPDATE login_requests
SET ended_at = $3
WHERE store_id = $1
  AND person = $2
  AND ended_at IS NULL`

const countLoginsSQL = `
SELECT COUNT(*), COALESCE(MIN(created_at), 0)
FROM login_requests
WHERE store_id = $1
  AND person = $2
  AND created_at > $3`

// countStoreLoginsSQL and countPrefixLoginsSQL count up to the limit, the newest logins first. Then the oldest of them
// is the one that has to leave the window.
const countStoreLoginsSQL = `
SELECT COUNT(*), COALESCE(MIN(created_at), 0)
FROM (
	SELECT created_at
	FROM login_requests
	WHERE store_id = $1
	  AND created_at > $2
	ORDER BY created_at DESC
	LIMIT $3
) AS recent`

const countPrefixLoginsSQL = `
SELECT COUNT(*), COALESCE(MIN(created_at), 0)
FROM (
	SELECT created_at
	FROM login_requests
	WHERE store_id = $1
	  AND prefix = $2
	  AND created_at > $3
	ORDER BY created_at DESC
	LIMIT $4
) AS recent`

// insertLoginSQL inserts nothing if a concurrent request has inserted a live login for the same person.
const insertLoginSQL = `
INSERT INTO login_requests (store_id, id, person, contact, prefix, code, attempts, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8)
ON CONFLICT DO NOTHING`

const countAttemptSQL = `
UPDATE login_requests
SET attempts = attempts + 1
WHERE store_id = $1
  AND id = $2
  AND ended_at IS NULL
  AND expires_at > $3
  AND attempts < $4
RETURNING contact, code`

const endLoginSQL = `
UPDATE login_requests
SET ended_at = $3
WHERE store_id = $1
  AND id = $2
  AND ended_at IS NULL`

const deleteOldLoginsSQL = `
DELETE FROM login_requests
WHERE created_at <= $1`

// loginRow is a row of login_requests. codeMAC is stored in the column code.
type loginRow struct {
	id                   LoginID
	person, address      string
	prefix               string // of the country of a phone number; "" for an e-mail address
	codeMAC              []byte
	createdAt, expiresAt time.Time
}

// endLoginOfPerson ends the live login of a person, if there is one.
func endLoginOfPerson(ctx context.Context, tx store.Tx, person string, at time.Time) error {
	return database.Exec(ctx, tx, endLoginOfPersonSQL, person, at.UnixMicro())
}

// countLogins returns how many logins a person has requested since the given time, and when the first was requested.
func countLogins(
	ctx context.Context, tx store.Tx, person string, since time.Time,
) (count int64, first time.Time, err error) {
	err = database.QueryRow(ctx, tx, countLoginsSQL, []any{person, since.UnixMicro()}, &count, database.Time(&first))
	return count, first, err
}

// countStoreLogins returns how many logins of the store were requested since the given time, up to the limit, and when
// the first of these was requested.
func countStoreLogins(
	ctx context.Context, tx store.Tx, since time.Time, limit int,
) (count int64, first time.Time, err error) {
	err = database.QueryRow(ctx, tx, countStoreLoginsSQL, []any{since.UnixMicro(), limit}, &count,
		database.Time(&first))
	return count, first, err
}

// countPrefixLogins is like countStoreLogins for the phone numbers of a country.
func countPrefixLogins(
	ctx context.Context, tx store.Tx, prefix string, since time.Time, limit int,
) (count int64, first time.Time, err error) {
	err = database.QueryRow(ctx, tx, countPrefixLoginsSQL, []any{prefix, since.UnixMicro(), limit}, &count,
		database.Time(&first))
	return count, first, err
}

func insertLogin(ctx context.Context, tx store.Tx, row loginRow) (bool, error) {
	n, err := tx.Exec(ctx, insertLoginSQL, row.id, row.person, row.address, row.prefix, row.codeMAC,
		row.createdAt.UnixMicro(), row.expiresAt.UnixMicro())
	return n > 0, err
}

// countAttempt counts an attempt at a live login. It returns the login's address and the MAC of its code, or
// database.ErrNoRows if the login is not live.
func countAttempt(
	ctx context.Context, tx store.Tx, loginID LoginID, now time.Time,
) (address string, mac []byte, err error) {
	err = database.QueryRow(ctx, tx, countAttemptSQL, []any{loginID, now.UnixMicro(), int64(maxAttempts)},
		&address, &mac)
	return address, mac, err
}

// endLogin ends a login and reports whether it was live.
func endLogin(ctx context.Context, tx store.Tx, loginID LoginID, at time.Time) (bool, error) {
	n, err := tx.Exec(ctx, endLoginSQL, loginID, at.UnixMicro())
	return n > 0, err
}

// deleteOldLogins deletes, in all stores, the logins that were created at the time until or earlier.
func deleteOldLogins(ctx context.Context, q database.Querier, until time.Time) error {
	return database.Exec(ctx, q, deleteOldLoginsSQL, until.UnixMicro())
}
