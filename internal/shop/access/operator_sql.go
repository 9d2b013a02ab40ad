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

const operatorColumns = `o.id, o.store_id, o.email, o.role, o.created_at, o.updated_at, o.disabled_at,
	o.password_hash = ''`

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

// selectOperatorSQL and selectActiveOwnersSQL are for changes: callers lock what they read.
const selectOperatorSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
WHERE o.store_id = $1 AND o.id = $2`

const selectActiveOwnersSQL = `
SELECT o.id
FROM operators AS o
WHERE o.store_id = $1 AND o.role = 'owner' AND o.disabled_at IS NULL AND o.password_hash <> ''
ORDER BY o.id`

const updateOperatorSQL = `
UPDATE operators
SET email = $3, role = $4, disabled_at = $5, updated_at = $6
WHERE store_id = $1 AND id = $2`

const deleteOperatorSQL = `
DELETE FROM operators
WHERE store_id = $1 AND id = $2`

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

// dest returns the Scan destinations of operatorColumns.
func (o *Operator) dest() []any {
	return []any{&o.ID, &o.StoreID, &o.Email, (*string)(&o.Role), database.Time(&o.CreatedAt),
		database.Time(&o.UpdatedAt), database.NullTime(&o.DisabledAt), &o.Invited}
}

// operatorAccount is an operator with the password hash and the lockouts.
type operatorAccount struct {
	operator     Operator
	passwordHash string
	lockouts     loginLockouts
	// source is the source of a login, as lockouts are stored by it. deviceKnown is true if it is a known device.
	source      string
	deviceKnown bool
}

// maySignIn reports whether there is a password to compare with and the operator is not disabled.
func (a operatorAccount) maySignIn() bool { return a.operator.Active() }

// selectAccount returns the account with an e-mail address and the lockout of the account, or database.ErrNoRows. lock
// is a locking clause of the dialect, or empty.
func selectAccount(ctx context.Context, q database.Querier, email, lock string) (a operatorAccount, err error) {
	err = database.QueryRow(ctx, q, selectAccountSQL+lock, []any{email},
		append(a.operator.dest(), &a.passwordHash, &a.lockouts.account.failures,
			database.Time(&a.lockouts.account.lockedUntil))...)
	return a, err
}

func selectOperators(ctx context.Context, tx store.Tx) ([]Operator, error) {
	operators := []Operator{}
	err := database.QueryEach(ctx, tx, selectOperatorsSQL, nil,
		database.AppendScanned(&operators, scanOperator))
	return operators, err
}

func insertOperator(ctx context.Context, q database.Querier, o Operator, hash string) (int64, error) {
	return q.Exec(ctx, insertOperatorSQL, o.ID, o.StoreID, o.Email, string(o.Role), hash, o.CreatedAt.UnixMicro(),
		o.UpdatedAt.UnixMicro())
}

func updateOperatorPassword(ctx context.Context, q database.Querier, o Operator, hash string) error {
	return database.Exec(ctx, q, updateOperatorPasswordSQL, o.StoreID, o.ID, hash, o.UpdatedAt.UnixMicro())
}

// selectOperator returns an operator of a store or fault.NotFound. lock is a locking clause of the dialect, or empty.
func selectOperator(ctx context.Context, tx store.Tx, operatorID OperatorID, lock string) (Operator, error) {
	return store.SelectOne(ctx, tx, selectOperatorSQL+lock, []any{operatorID}, "operator", scanOperator)
}

func scanOperator(rows database.Rows) (o Operator, err error) {
	err = rows.Scan(o.dest()...)
	return o, err
}

// lockActiveOwners returns the owners of a store who can sign in, and locks them, so that two concurrent changes cannot
// take away the last two.
func lockActiveOwners(ctx context.Context, tx store.Tx) (owners []OperatorID, err error) {
	err = database.QueryEach(ctx, tx, selectActiveOwnersSQL+tx.Dialect().ForUpdate, nil,
		database.AppendColumn(&owners))
	return owners, err
}

func updateOperator(ctx context.Context, tx store.Tx, o Operator) error {
	return database.Exec(ctx, tx, updateOperatorSQL, o.ID, o.Email, string(o.Role),
		database.MicrosOrNull(o.DisabledAt), o.UpdatedAt.UnixMicro())
}

func deleteOperator(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	return database.Exec(ctx, tx, deleteOperatorSQL, operatorID)
}
