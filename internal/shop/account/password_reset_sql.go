package account

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

const upsertPasswordResetSQL = `
INSERT INTO account_password_resets (account_id, hash, requested_at, expires_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id) DO UPDATE
SET hash = excluded.hash, requested_at = excluded.requested_at, expires_at = excluded.expires_at`

const selectPasswordResetTimeSQL = `
SELECT requested_at
FROM account_password_resets
WHERE account_id = $1`

const selectPasswordResetSQL = `
SELECT r.account_id, a.email, r.expires_at
FROM account_password_resets AS r
JOIN accounts AS a ON a.id = r.account_id
WHERE r.hash = $1 AND r.expires_at > $2`

// endPasswordResetSQL keeps the row, so that the time of the last request limits how often mail is sent.
const endPasswordResetSQL = `
UPDATE account_password_resets
SET expires_at = 0
WHERE account_id = $1 AND expires_at > 0`

const deleteOldPasswordResetsSQL = `
DELETE FROM account_password_resets
WHERE requested_at <= $1`

func upsertPasswordReset(
	ctx context.Context, q database.Querier, r PasswordReset, hash access.TokenHash, now time.Time,
) error {
	return database.Exec(ctx, q, upsertPasswordResetSQL, r.accountID, hash[:], now.UnixMicro(), r.ExpiresAt.UnixMicro())
}

// selectPasswordResetTime returns when the last link of an account was asked for, or the zero time.
func selectPasswordResetTime(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (at time.Time, err error) {
	err = database.QueryRow(ctx, q, selectPasswordResetTimeSQL, []any{accountID}, database.Time(&at))
	if errors.Is(err, database.ErrNoRows) {
		err = nil
	}
	return at, err
}

// selectPasswordReset returns a link that works by the hash of its token, or database.ErrNoRows.
func selectPasswordReset(
	ctx context.Context, q database.Querier, hash access.TokenHash, now time.Time,
) (PasswordReset, error) {
	return database.QueryOne(ctx, q, selectPasswordResetSQL, []any{hash[:], now.UnixMicro()},
		func(rows database.Rows) (r PasswordReset, err error) {
			err = rows.Scan(&r.accountID, &r.Email, database.Time(&r.ExpiresAt))
			return r, err
		})
}

// endPasswordReset ends the link of an account.
func endPasswordReset(ctx context.Context, q database.Querier, accountID access.AccountID) error {
	return database.Exec(ctx, q, endPasswordResetSQL, accountID)
}

// deleteOldPasswordResets deletes the links that do not work any more.
func deleteOldPasswordResets(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteOldPasswordResetsSQL, now.Add(-PasswordResetLifetime).UnixMicro())
}
