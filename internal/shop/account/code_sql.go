package account

import (
	"context"
	"crypto/sha256"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

const updateCodesSQL = `
UPDATE accounts
SET code_secret = $2, code_step = $3, updated_at = $4
WHERE id = $1`

const updateCodeStepSQL = `
UPDATE accounts
SET code_step = $2
WHERE id = $1`

const deleteRecoveryCodesSQL = `
DELETE FROM account_recovery_codes
WHERE account_id = $1`

const insertRecoveryCodesSQL = `
WITH r(hash) AS (ROWS)
INSERT INTO account_recovery_codes (account_id, hash)
SELECT $1, r.hash
FROM r
WHERE TRUE`

const deleteRecoveryCodeSQL = `
DELETE FROM account_recovery_codes
WHERE account_id = $1 AND hash = $2`

const countRecoveryCodesSQL = `
SELECT COUNT(*)
FROM account_recovery_codes
WHERE account_id = $1`

// updateCodes stores the sealed secret of the codes and the step of the first code, which is used up.
func updateCodes(
	ctx context.Context, q database.Querier, accountID access.AccountID, sealed []byte, step int64, now time.Time,
) error {
	return database.Exec(ctx, q, updateCodesSQL, accountID, sealed, step, now.UnixMicro())
}

func updateCodeStep(ctx context.Context, q database.Querier, accountID access.AccountID, step int64) error {
	return database.Exec(ctx, q, updateCodeStepSQL, accountID, step)
}

// deleteCodes turns the second step off.
func deleteCodes(ctx context.Context, q database.Querier, accountID access.AccountID, now time.Time) error {
	if err := updateCodes(ctx, q, accountID, nil, 0, now); err != nil {
		return err
	}
	return database.Exec(ctx, q, deleteRecoveryCodesSQL, accountID)
}

// replaceRecoveryCodes replaces all recovery codes of an account.
func replaceRecoveryCodes(
	ctx context.Context, q database.Querier, accountID access.AccountID, hashes [][sha256.Size]byte,
) error {
	if err := database.Exec(ctx, q, deleteRecoveryCodesSQL, accountID); err != nil {
		return err
	}
	batch := database.NewBatch(database.Bytes)
	for _, hash := range hashes {
		batch.Add(hash[:])
	}
	return database.ExecRows(ctx, q, insertRecoveryCodesSQL, batch, accountID)
}

// useRecoveryCode deletes a recovery code and reports whether there was one.
func useRecoveryCode(
	ctx context.Context, q database.Querier, accountID access.AccountID, hash [sha256.Size]byte,
) (bool, error) {
	n, err := q.Exec(ctx, deleteRecoveryCodeSQL, accountID, hash[:])
	return n == 1, err
}

func countRecoveryCodes(ctx context.Context, q database.Querier, accountID access.AccountID) (n int64, err error) {
	err = database.QueryRow(ctx, q, countRecoveryCodesSQL, []any{accountID}, &n)
	return n, err
}
