package access

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// operatorsEmail is the unique index on e-mail addresses, by its name for PostgreSQL and by its columns for SQLite.
const (
	operatorsEmail        = "operators_email"
	operatorsEmailColumns = "operators.email"
)

const operatorColumns = `o.id, o.store_id, o.email, o.role, o.created_at, o.updated_at`

const selectOperatorsSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
WHERE o.store_id = $1
ORDER BY o.created_at, o.id`

// selectAccountSQL has no store_id: an e-mail address is unique among all stores.
const selectAccountSQL = `
SELECT ` + operatorColumns + `, o.password_hash, o.failures, o.locked_until
FROM operators AS o
WHERE o.email = $1`

// insertOperatorSQL inserts nothing if the store does not exist.
const insertOperatorSQL = `
INSERT INTO operators (id, store_id, email, role, password_hash, failures, locked_until, created_at, updated_at)
SELECT $1, s.id, $3, $4, $5, 0, 0, $6, $7
FROM stores AS s
WHERE s.id = $2`

const updateOperatorPasswordSQL = `
UPDATE operators
SET password_hash = $3, failures = 0, locked_until = 0, updated_at = $4
WHERE store_id = $1 AND id = $2`

const updateLockoutSQL = `
UPDATE operators
SET failures = $3, locked_until = $4
WHERE store_id = $1 AND id = $2`

// dest returns the Scan destinations of operatorColumns.
func (o *Operator) dest() []any {
	return []any{&o.ID, &o.StoreID, &o.Email, (*string)(&o.Role), database.Time(&o.CreatedAt),
		database.Time(&o.UpdatedAt)}
}

// operatorAccount is an operator with the password hash and the lockout state.
type operatorAccount struct {
	operator     Operator
	passwordHash string
	lockout      loginLockout
}

// selectAccount returns the account with an e-mail address or database.ErrNoRows. lock is a locking clause of the
// dialect, or empty.
func selectAccount(ctx context.Context, q database.Querier, email, lock string) (a operatorAccount, err error) {
	err = database.QueryRow(ctx, q, selectAccountSQL+lock, []any{email},
		append(a.operator.dest(), &a.passwordHash, &a.lockout.failures, database.Time(&a.lockout.lockedUntil))...)
	return a, err
}

func selectOperators(ctx context.Context, tx store.Tx) ([]Operator, error) {
	operators := []Operator{}
	err := database.QueryEach(ctx, tx, selectOperatorsSQL, nil,
		database.AppendScanned(&operators, func(rows database.Rows) (o Operator, err error) {
			err = rows.Scan(o.dest()...)
			return o, err
		}))
	return operators, err
}

func insertOperator(ctx context.Context, q database.Querier, o Operator, hash string) (int64, error) {
	return q.Exec(ctx, insertOperatorSQL, o.ID, o.StoreID, o.Email, string(o.Role), hash, o.CreatedAt.UnixMicro(),
		o.UpdatedAt.UnixMicro())
}

func updateOperatorPassword(ctx context.Context, q database.Querier, o Operator, hash string) error {
	return database.Exec(ctx, q, updateOperatorPasswordSQL, o.StoreID, o.ID, hash, o.UpdatedAt.UnixMicro())
}

func updateLockout(ctx context.Context, q database.Querier, o Operator, l loginLockout) error {
	return database.Exec(ctx, q, updateLockoutSQL, o.StoreID, o.ID, l.failures, max(0, l.lockedUntil.UnixMicro()))
}
