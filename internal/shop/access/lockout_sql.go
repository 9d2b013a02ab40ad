package access

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectLockoutSQL = `
SELECT failures, locked_until
FROM operator_lockouts
WHERE store_id = $1 AND operator_id = $2 AND source = $3 AND updated_at > $4`

const upsertLockoutSQL = `
INSERT INTO operator_lockouts (store_id, operator_id, source, failures, locked_until, updated_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (store_id, operator_id, source) DO UPDATE
SET failures = excluded.failures, locked_until = excluded.locked_until, updated_at = excluded.updated_at`

const deleteLockoutSQL = `
DELETE FROM operator_lockouts
WHERE store_id = $1 AND operator_id = $2 AND source = $3`

const deleteLockoutsSQL = `
DELETE FROM operator_lockouts
WHERE store_id = $1 AND operator_id = $2`

const deleteOldLockoutsSQL = `
DELETE FROM operator_lockouts
WHERE updated_at <= $1`

const updateAccountLockoutSQL = `
UPDATE operators
SET failures = $3, locked_until = $4
WHERE store_id = $1 AND id = $2`

// selectLockout returns the lockout of a source, which is zero if there was no failure within lockoutMemory.
func selectLockout(
	ctx context.Context, tx store.Tx, operatorID OperatorID, source string, now time.Time,
) (l loginLockout, err error) {
	err = database.QueryRow(ctx, tx, selectLockoutSQL,
		[]any{operatorID, source, now.Add(-lockoutMemory).UnixMicro()}, &l.failures, database.Time(&l.lockedUntil))
	if errors.Is(err, database.ErrNoRows) {
		return loginLockout{}, nil
	}
	return l, err
}

func upsertLockout(
	ctx context.Context, tx store.Tx, operatorID OperatorID, source string, l loginLockout, now time.Time,
) error {
	return database.Exec(ctx, tx, upsertLockoutSQL, operatorID, source, l.failures, l.lockedUntil.UnixMicro(),
		now.UnixMicro())
}

func deleteLockout(ctx context.Context, tx store.Tx, operatorID OperatorID, source string) error {
	return database.Exec(ctx, tx, deleteLockoutSQL, operatorID, source)
}

func deleteLockouts(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	return database.Exec(ctx, tx, deleteLockoutsSQL, operatorID)
}

// deleteOldLockouts deletes the lockouts of all stores whose last failure is longer ago than lockoutMemory.
func deleteOldLockouts(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteOldLockoutsSQL, now.Add(-lockoutMemory).UnixMicro())
}

func updateAccountLockout(ctx context.Context, tx store.Tx, operatorID OperatorID, l loginLockout) error {
	return database.Exec(ctx, tx, updateAccountLockoutSQL, operatorID, l.failures, max(0, l.lockedUntil.UnixMicro()))
}
