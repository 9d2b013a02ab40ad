package account

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// operatorsAccount is the unique index on the store of an account, by its name for PostgreSQL and by its columns for
// SQLite.
const (
	operatorsAccount        = "operators_account"
	operatorsAccountColumns = "operators.account_id, operators.store_id"
)

// operatorColumns are columns of operators AS o and accounts AS a.
const operatorColumns = `o.id, o.store_id, o.account_id, a.email, a.language, a.code_secret IS NOT NULL, o.role,
	o.created_at, o.updated_at,
	o.disabled_at, o.joined_at IS NULL`

const selectOperatorsSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
JOIN accounts AS a ON a.id = o.account_id
WHERE o.store_id = $1
ORDER BY o.created_at, o.id`

const selectTeamSQL = `
SELECT ` + operatorColumns + `, o.signed_in_at,
	(SELECT COUNT(*) FROM operator_sessions AS x WHERE x.store_id = o.store_id AND x.operator_id = o.id
		AND x.last_seen_at > $2 AND x.created_at > $3),
	(SELECT i.expires_at FROM operator_invitations AS i WHERE i.store_id = o.store_id AND i.operator_id = o.id)
FROM operators AS o
JOIN accounts AS a ON a.id = o.account_id
WHERE o.store_id = $1
ORDER BY o.created_at, o.id`

const selectOperatorSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
JOIN accounts AS a ON a.id = o.account_id
WHERE o.store_id = $1 AND o.id = $2`

const selectOperatorOfAccountSQL = `
SELECT ` + operatorColumns + `
FROM operators AS o
JOIN accounts AS a ON a.id = o.account_id
WHERE o.store_id = $1 AND o.account_id = $2`

const selectActiveOwnersSQL = `
SELECT o.id
FROM operators AS o
WHERE o.store_id = $1 AND o.role = 'owner' AND o.disabled_at IS NULL AND o.joined_at IS NOT NULL
ORDER BY o.id`

const updateOperatorSQL = `
UPDATE operators
SET role = $3, disabled_at = $4, updated_at = $5
WHERE store_id = $1 AND id = $2`

const joinOperatorSQL = `
UPDATE operators
SET joined_at = $3, updated_at = $3
WHERE store_id = $1 AND id = $2`

const recordSignInSQL = `
UPDATE operators
SET signed_in_at = $3
WHERE store_id = $1 AND id = $2`

const deleteOperatorSQL = `
DELETE FROM operators
WHERE store_id = $1 AND id = $2`

// insertOperatorSQL inserts nothing if the store does not exist.
const insertOperatorSQL = `
INSERT INTO operators (id, store_id, account_id, role, joined_at, created_at, updated_at)
SELECT $1, s.id, $3, $4, $5, $6, $7
FROM stores AS s
WHERE s.id = $2`

// operatorDest returns the Scan destinations of operatorColumns.
func operatorDest(o *access.Operator) []any {
	return []any{&o.ID, &o.StoreID, &o.AccountID, &o.Email, &o.Language, &o.CodesEnabled, (*string)(&o.Role),
		database.Time(&o.CreatedAt), database.Time(&o.UpdatedAt), database.NullTime(&o.DisabledAt), &o.Invited}
}

// lockOperatorOnly returns a clause that locks the operators of a statement but not their accounts, which are locked
// before operators.
func lockOperatorOnly(d database.Dialect) string {
	if d.ForUpdate == "" {
		return ""
	}
	return d.ForUpdate + " OF o"
}

func selectOperators(ctx context.Context, tx store.Tx) ([]access.Operator, error) {
	operators := []access.Operator{}
	err := database.QueryEach(ctx, tx, selectOperatorsSQL, nil,
		database.AppendScanned(&operators, scanOperator))
	return operators, err
}

// selectTeam returns the operators of a store with their last sign-in, the number of sessions and the end of the
// invitation.
func selectTeam(ctx context.Context, tx store.Tx, now time.Time) (team []Member, err error) {
	err = database.QueryEach(ctx, tx, selectTeamSQL,
		[]any{now.Add(-sessionIdleTimeout).UnixMicro(), now.Add(-sessionLifetime).UnixMicro()},
		database.AppendScanned(&team, func(rows database.Rows) (m Member, err error) {
			err = rows.Scan(append(operatorDest(&m.Operator), database.NullTime(&m.SignedInAt), &m.Sessions,
				database.NullTime(&m.InvitedUntil))...)
			return m, err
		}))
	return team, err
}

func insertOperator(ctx context.Context, q database.Querier, o access.Operator, joinedAt *time.Time) (int64, error) {
	return q.Exec(ctx, insertOperatorSQL, o.ID, o.StoreID, o.AccountID, string(o.Role),
		database.MicrosOrNull(joinedAt), o.CreatedAt.UnixMicro(), o.UpdatedAt.UnixMicro())
}

// selectOperator returns an operator of a store or fault.NotFound. lock is a locking clause of the dialect, or empty.
func selectOperator(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID, lock string,
) (access.Operator, error) {
	return store.SelectOne(ctx, tx, selectOperatorSQL+lock, []any{operatorID}, "operator", scanOperator)
}

// selectOperatorOfAccount returns the operator of an account in the store, or database.ErrNoRows. lock is a locking
// clause of the dialect, or empty.
func selectOperatorOfAccount(
	ctx context.Context, tx store.Tx, accountID access.AccountID, lock string,
) (access.Operator, error) {
	return database.QueryOne(ctx, tx, selectOperatorOfAccountSQL+lock, []any{accountID}, scanOperator)
}

func scanOperator(rows database.Rows) (o access.Operator, err error) {
	err = rows.Scan(operatorDest(&o)...)
	return o, err
}

// lockActiveOwners returns the owners of a store who can sign in, and locks them, so that two concurrent changes cannot
// take away the last two.
func lockActiveOwners(ctx context.Context, tx store.Tx) (owners []access.OperatorID, err error) {
	err = database.QueryEach(ctx, tx, selectActiveOwnersSQL+tx.Dialect().ForUpdate, nil,
		database.AppendColumn(&owners))
	return owners, err
}

func updateOperator(ctx context.Context, tx store.Tx, o access.Operator) error {
	return database.Exec(ctx, tx, updateOperatorSQL, o.ID, string(o.Role), database.MicrosOrNull(o.DisabledAt),
		o.UpdatedAt.UnixMicro())
}

// joinOperator records that the person has accepted the invitation.
func joinOperator(ctx context.Context, tx store.Tx, operatorID access.OperatorID, now time.Time) error {
	return database.Exec(ctx, tx, joinOperatorSQL, operatorID, now.UnixMicro())
}

// recordSignIn records that the person signed in to the store or switched to it.
func recordSignIn(ctx context.Context, tx store.Tx, operatorID access.OperatorID, now time.Time) error {
	return database.Exec(ctx, tx, recordSignInSQL, operatorID, now.UnixMicro())
}

func deleteOperator(ctx context.Context, tx store.Tx, operatorID access.OperatorID) error {
	return database.Exec(ctx, tx, deleteOperatorSQL, operatorID)
}
