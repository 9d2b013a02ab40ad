package account

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

const upsertEmailChangeSQL = `
INSERT INTO account_email_changes (account_id, hash, email, requested_at, expires_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id) DO UPDATE
SET hash = excluded.hash, email = excluded.email, requested_at = excluded.requested_at,
	expires_at = excluded.expires_at`

const emailChangeColumns = `c.account_id, a.email, c.email, c.requested_at, c.expires_at`

const selectEmailChangeSQL = `
SELECT ` + emailChangeColumns + `
FROM account_email_changes AS c
JOIN accounts AS a ON a.id = c.account_id
WHERE c.account_id = $1`

const selectEmailChangeByHashSQL = `
SELECT ` + emailChangeColumns + `
FROM account_email_changes AS c
JOIN accounts AS a ON a.id = c.account_id
WHERE c.hash = $1 AND c.expires_at > $2`

// endEmailChangeSQL keeps the row, so that the time of the last request limits how often mail is sent.
const endEmailChangeSQL = `
UPDATE account_email_changes
SET email = '', expires_at = 0
WHERE account_id = $1 AND expires_at > 0`

const deleteOldEmailChangesSQL = `
DELETE FROM account_email_changes
WHERE requested_at <= $1`

func scanEmailChange(rows database.Rows) (c EmailChange, err error) {
	err = rows.Scan(&c.accountID, &c.Before, &c.Email, database.Time(&c.requestedAt), database.Time(&c.ExpiresAt))
	return c, err
}

func upsertEmailChange(ctx context.Context, q database.Querier, c EmailChange, hash access.TokenHash) error {
	return database.Exec(ctx, q, upsertEmailChangeSQL, c.accountID, hash[:], c.Email, c.requestedAt.UnixMicro(),
		c.ExpiresAt.UnixMicro())
}

// selectEmailChange returns the last change of an account, also one that has ended, or database.ErrNoRows.
func selectEmailChange(ctx context.Context, q database.Querier, accountID access.AccountID) (EmailChange, error) {
	return database.QueryOne(ctx, q, selectEmailChangeSQL, []any{accountID}, scanEmailChange)
}

// selectEmailChangeByHash returns a pending change by the hash of its token, or database.ErrNoRows.
func selectEmailChangeByHash(
	ctx context.Context, q database.Querier, hash access.TokenHash, now time.Time,
) (EmailChange, error) {
	return database.QueryOne(ctx, q, selectEmailChangeByHashSQL, []any{hash[:], now.UnixMicro()}, scanEmailChange)
}

// endEmailChange ends the pending change of an account and reports whether there was one.
func endEmailChange(ctx context.Context, q database.Querier, accountID access.AccountID) (bool, error) {
	n, err := q.Exec(ctx, endEmailChangeSQL, accountID)
	return n > 0, err
}

// deleteOldEmailChanges deletes the changes that can not be confirmed any more.
func deleteOldEmailChanges(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteOldEmailChangesSQL, now.Add(-EmailChangeLifetime).UnixMicro())
}
