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

// insertLoginSQL inserts nothing where somebody else has just done so for the same person.
const insertLoginSQL = `
INSERT INTO login_requests (store_id, id, person, contact, code, attempts, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, 0, $6, $7)
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

// loginRow is a login as it is kept.
type loginRow struct {
	id                   LoginID
	person, address      string
	codeMAC              []byte
	createdAt, expiresAt time.Time
}

// endLoginOfPerson ends the login of a person that is live, if there is one.
func endLoginOfPerson(ctx context.Context, q database.Querier, storeID store.ID, person string, at time.Time) error {
	_, err := q.Exec(ctx, endLoginOfPersonSQL, storeID, person, at.UnixMicro())
	return err
}

// countLogins returns how many logins a person has asked for since then, and when the first of them was.
func countLogins(ctx context.Context, q database.Querier, storeID store.ID, person string, since time.Time) (count int64, first time.Time, err error) {
	var at int64
	err = database.QueryRow(ctx, q, countLoginsSQL, []any{storeID, person, since.UnixMicro()}, &count, &at)
	return count, time.UnixMicro(at), err
}

func insertLogin(ctx context.Context, q database.Querier, storeID store.ID, row loginRow) (bool, error) {
	n, err := q.Exec(ctx, insertLoginSQL, storeID, row.id, row.person, row.address, row.codeMAC, row.createdAt.UnixMicro(), row.expiresAt.UnixMicro())
	return n > 0, err
}

// countAttempt counts a try at a login that is live and returns what it was sent to and what is kept of its code; otherwise database.ErrNoRows.
func countAttempt(ctx context.Context, q database.Querier, storeID store.ID, loginID LoginID, now time.Time) (address string, mac []byte, err error) {
	err = database.QueryRow(ctx, q, countAttemptSQL, []any{storeID, loginID, now.UnixMicro(), int64(maxAttempts)}, &address, &mac)
	return address, mac, err
}

// endLogin ends a login and reports whether it was live until now.
func endLogin(ctx context.Context, q database.Querier, storeID store.ID, loginID LoginID, at time.Time) (bool, error) {
	n, err := q.Exec(ctx, endLoginSQL, storeID, loginID, at.UnixMicro())
	return n > 0, err
}

// deleteOldLogins removes those of all stores that are older than that.
func deleteOldLogins(ctx context.Context, q database.Querier, before time.Time) error {
	_, err := q.Exec(ctx, deleteOldLoginsSQL, before.UnixMicro())
	return err
}
