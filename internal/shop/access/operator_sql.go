package access

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The unique index on e-mail addresses, and its columns as SQLite reports them.
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

const updatePasswordSQL = `
UPDATE operators
SET password_hash = $3, failures = 0, locked_until = 0, updated_at = $4
WHERE store_id = $1 AND id = $2`

const updateLockoutSQL = `
UPDATE operators
SET failures = $3, locked_until = $4
WHERE store_id = $1 AND id = $2`

// operatorRow receives the operatorColumns.
type operatorRow struct {
	operator             Operator
	role                 string
	createdAt, updatedAt int64
}

func (r *operatorRow) dest() []any {
	return []any{&r.operator.ID, &r.operator.StoreID, &r.operator.Email, &r.role, &r.createdAt, &r.updatedAt}
}

func (r *operatorRow) toOperator() Operator {
	o := r.operator
	o.Role, o.CreatedAt, o.UpdatedAt = Role(r.role), fromMicros(r.createdAt), fromMicros(r.updatedAt)
	return o
}

// operatorAccount is an operator with the password hash and the lockout state.
type operatorAccount struct {
	operator     Operator
	passwordHash string
	lockout      lockout
}

func selectAccount(ctx context.Context, q database.Querier, email string) (operatorAccount, error) {
	return readAccount(ctx, q, selectAccountSQL, email)
}

func selectAccountForUpdate(ctx context.Context, q database.Querier, email string) (operatorAccount, error) {
	return readAccount(ctx, q, selectAccountSQL+q.Dialect().ForUpdate, email)
}

func readAccount(ctx context.Context, q database.Querier, sql, email string) (operatorAccount, error) {
	var row operatorRow
	var a operatorAccount
	var lockedUntil int64
	if err := database.QueryRow(ctx, q, sql, []any{email},
		append(row.dest(), &a.passwordHash, &a.lockout.failures, &lockedUntil)...); err != nil {
		return operatorAccount{}, err
	}
	a.operator, a.lockout.lockedUntil = row.toOperator(), fromMicros(lockedUntil)
	return a, nil
}

func selectOperators(ctx context.Context, tx store.Tx) ([]Operator, error) {
	operators := []Operator{}
	err := database.QueryEach(ctx, tx, selectOperatorsSQL, nil, func(rows database.Rows) error {
		var row operatorRow
		if err := rows.Scan(row.dest()...); err != nil {
			return err
		}
		operators = append(operators, row.toOperator())
		return nil
	})
	return operators, err
}

func insertOperator(ctx context.Context, q database.Querier, o Operator, hash string) (int64, error) {
	return q.Exec(ctx, insertOperatorSQL, o.ID, o.StoreID, o.Email, string(o.Role), hash, o.CreatedAt.UnixMicro(),
		o.UpdatedAt.UnixMicro())
}

func updatePassword(ctx context.Context, q database.Querier, o Operator, hash string) error {
	return database.Exec(ctx, q, updatePasswordSQL, o.StoreID, o.ID, hash, o.UpdatedAt.UnixMicro())
}

func updateLockout(ctx context.Context, q database.Querier, o Operator, l lockout) error {
	return database.Exec(ctx, q, updateLockoutSQL, o.StoreID, o.ID, l.failures, max(0, l.lockedUntil.UnixMicro()))
}
