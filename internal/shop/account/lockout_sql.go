package account

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

const selectLockoutSQL = `
SELECT failures, locked_until
FROM account_lockouts
WHERE account_id = $1 AND source = $2 AND updated_at > $3`

const upsertLockoutSQL = `
INSERT INTO account_lockouts (account_id, source, failures, locked_until, updated_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, source) DO UPDATE
SET failures = excluded.failures, locked_until = excluded.locked_until, updated_at = excluded.updated_at`

const deleteLockoutSQL = `
DELETE FROM account_lockouts
WHERE account_id = $1 AND source = $2`

const deleteLockoutsSQL = `
DELETE FROM account_lockouts
WHERE account_id = $1`

const deleteOldLockoutsSQL = `
DELETE FROM account_lockouts
WHERE updated_at <= $1`

const updateAccountLockoutSQL = `
UPDATE accounts
SET failures = $2, locked_until = $3
WHERE id = $1`

// selectLockout returns the lockout of a source of logins, such as a device or a network, from an account. The lockout
// is zero if there was no failure within lockoutMemory.
func selectLockout(
	ctx context.Context, q database.Querier, accountID access.AccountID, source string, now time.Time,
) (l loginLockout, err error) {
	err = database.QueryRow(ctx, q, selectLockoutSQL,
		[]any{accountID, source, now.Add(-lockoutMemory).UnixMicro()}, &l.failures, database.Time(&l.lockedUntil))
	if errors.Is(err, database.ErrNoRows) {
		return loginLockout{}, nil
	}
	return l, err
}

func upsertLockout(
	ctx context.Context, q database.Querier, accountID access.AccountID, source string, l loginLockout, now time.Time,
) error {
	return database.Exec(ctx, q, upsertLockoutSQL, accountID, source, l.failures, max(0, l.lockedUntil.UnixMicro()),
		now.UnixMicro())
}

func deleteLockout(ctx context.Context, q database.Querier, accountID access.AccountID, source string) error {
	return database.Exec(ctx, q, deleteLockoutSQL, accountID, source)
}

func deleteLockouts(ctx context.Context, q database.Querier, accountID access.AccountID) error {
	return database.Exec(ctx, q, deleteLockoutsSQL, accountID)
}

// deleteOldLockouts deletes the lockouts of all accounts whose last failure is longer ago than lockoutMemory.
func deleteOldLockouts(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteOldLockoutsSQL, now.Add(-lockoutMemory).UnixMicro())
}

func updateAccountLockout(ctx context.Context, q database.Querier, accountID access.AccountID, l loginLockout) error {
	return database.Exec(ctx, q, updateAccountLockoutSQL, accountID, l.failures, max(0, l.lockedUntil.UnixMicro()))
}
