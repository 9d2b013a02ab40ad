package account

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// accountsEmail is the unique index on e-mail addresses, by its name for PostgreSQL and by its columns for SQLite.
const (
	accountsEmail        = "accounts_email"
	accountsEmailColumns = "accounts.email"
)

const accountColumns = `a.id, a.email, a.language, a.code_secret IS NOT NULL, a.updated_at, a.password_hash,
	a.code_secret, a.code_step, a.failures,
	a.locked_until, a.unlogged_failures, a.failures_logged_at`

// The accounts of all stores are in one table, so statements about them have no store_id.
const selectAccountSQL = `
SELECT ` + accountColumns + `
FROM accounts AS a
WHERE a.email = $1`

const selectAccountByIDSQL = `
SELECT ` + accountColumns + `
FROM accounts AS a
WHERE a.id = $1`

// selectSignInOperatorSQL finds the store that the person used last.
const selectSignInOperatorSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
JOIN accounts AS a ON a.id = o.account_id
WHERE o.account_id = $1 AND o.joined_at IS NOT NULL AND o.disabled_at IS NULL
ORDER BY COALESCE(o.signed_in_at, 0) DESC, o.created_at, o.id
LIMIT 1`

const selectAccountOperatorsSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
JOIN accounts AS a ON a.id = o.account_id
WHERE o.account_id = $1
ORDER BY o.created_at, o.id`

const selectAccountStoresSQL = `
SELECT s.id, s.name, o.role
FROM operators AS o
JOIN stores AS s ON s.id = o.store_id
WHERE o.account_id = $1 AND o.joined_at IS NOT NULL AND o.disabled_at IS NULL
ORDER BY s.name, s.id`

// insertAccountSQL inserts nothing if there is an account with the e-mail address.
const insertAccountSQL = `
INSERT INTO accounts (id, email, password_hash, language, failures, locked_until, code_secret, code_step,
	created_at, updated_at)
VALUES ($1, $2, $3, '', 0, 0, NULL, 0, $4, $4)
ON CONFLICT (email) DO NOTHING`

const updateAccountSQL = `
UPDATE accounts
SET email = $2, language = $3, updated_at = $4
WHERE id = $1`

const updatePasswordSQL = `
UPDATE accounts
SET password_hash = $2, failures = 0, locked_until = 0, updated_at = $3
WHERE id = $1`

// updateAccountOperatorsSQL raises the version of the operators of an account, since they show its e-mail address.
const updateAccountOperatorsSQL = `
UPDATE operators
SET updated_at = $2
WHERE account_id = $1`

const joinInvitedOperatorsSQL = `
UPDATE operators
SET joined_at = $2, updated_at = $2
WHERE account_id = $1 AND joined_at IS NULL`

const countAccountOperatorsSQL = `
SELECT COUNT(*)
FROM operators
WHERE account_id = $1`

const deleteAccountSQL = `
DELETE FROM accounts
WHERE id = $1`

// accountRow is an account with its secrets and its lockout.
type accountRow struct {
	Account
	passwordHash string
	codeSecret   []byte // sealed; nil if no codes are needed
	codeStep     int64
	lockout      loginLockout
	// unloggedFailures are the failed sign-ins since failuresLoggedAt, when the log got the last entry about them.
	unloggedFailures int64
	failuresLoggedAt time.Time
}

func scanAccount(rows database.Rows) (a accountRow, err error) {
	err = rows.Scan(&a.ID, &a.Email, &a.Language, &a.CodesEnabled, database.Time(&a.UpdatedAt), &a.passwordHash,
		&a.codeSecret, &a.codeStep, &a.lockout.failures, database.Time(&a.lockout.lockedUntil),
		&a.unloggedFailures, database.Time(&a.failuresLoggedAt))
	return a, err
}

// selectAccount returns the account with an e-mail address, or database.ErrNoRows. lock is a locking clause of the
// dialect, or empty.
func selectAccount(ctx context.Context, q database.Querier, email, lock string) (accountRow, error) {
	return database.QueryOne(ctx, q, selectAccountSQL+lock, []any{email}, scanAccount)
}

// selectAccountByID is like selectAccount, by id.
func selectAccountByID(
	ctx context.Context, q database.Querier, accountID access.AccountID, lock string,
) (accountRow, error) {
	return database.QueryOne(ctx, q, selectAccountByIDSQL+lock, []any{accountID}, scanAccount)
}

// selectSignInOperator returns the operator of the store that the person used last, or database.ErrNoRows if there is
// no store to which the person may sign in.
func selectSignInOperator(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (access.Operator, error) {
	return database.QueryOne(ctx, q, selectSignInOperatorSQL, []any{accountID}, scanOperator)
}

// selectAccountOperators returns the operators of an account in all stores.
func selectAccountOperators(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (all []access.Operator, err error) {
	err = database.QueryEach(ctx, q, selectAccountOperatorsSQL, []any{accountID},
		database.AppendScanned(&all, scanOperator))
	return all, err
}

func selectAccountStores(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (all []AccountStore, err error) {
	err = database.QueryEach(ctx, q, selectAccountStoresSQL, []any{accountID},
		database.AppendScanned(&all, func(rows database.Rows) (s AccountStore, err error) {
			err = rows.Scan(&s.ID, &s.Name, (*string)(&s.Role))
			return s, err
		}))
	return all, err
}

// insertAccount reports whether it inserted the account: it does not if there is one with the e-mail address.
func insertAccount(
	ctx context.Context, q database.Querier, accountID access.AccountID, email, passwordHash string, now time.Time,
) (bool, error) {
	n, err := q.Exec(ctx, insertAccountSQL, accountID, email, passwordHash, now.UnixMicro())
	return n == 1, err
}

func updateAccount(ctx context.Context, q database.Querier, a Account) error {
	return database.Exec(ctx, q, updateAccountSQL, a.ID, a.Email, a.Language, a.UpdatedAt.UnixMicro())
}

func updatePassword(
	ctx context.Context, q database.Querier, accountID access.AccountID, hash string, now time.Time,
) error {
	return database.Exec(ctx, q, updatePasswordSQL, accountID, hash, now.UnixMicro())
}

func updateAccountOperators(ctx context.Context, q database.Querier, accountID access.AccountID, now time.Time) error {
	return database.Exec(ctx, q, updateAccountOperatorsSQL, accountID, now.UnixMicro())
}

// joinInvitedOperators accepts all invitations of an account.
func joinInvitedOperators(ctx context.Context, q database.Querier, accountID access.AccountID, now time.Time) error {
	return database.Exec(ctx, q, joinInvitedOperatorsSQL, accountID, now.UnixMicro())
}

// deleteAccountWithoutOperators deletes an account that administers no store any more. It locks the account first, so
// that no concurrent transaction adds an operator.
func deleteAccountWithoutOperators(ctx context.Context, tx store.Tx, accountID access.AccountID) error {
	q := tx.Unscoped()
	if _, err := selectAccountByID(ctx, q, accountID, q.Dialect().ForUpdate); err != nil {
		return err
	}
	var left int64
	if err := database.QueryRow(ctx, q, countAccountOperatorsSQL, []any{accountID}, &left); err != nil || left > 0 {
		return err
	}
	return database.Exec(ctx, q, deleteAccountSQL, accountID)
}
