package access

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectOperatorSessionSQL = `
SELECT x.hash, x.created_at, x.last_seen_at, ` + operatorColumns + `, ` + store.Columns + `
FROM operator_sessions AS x
JOIN operators AS o ON o.store_id = x.store_id AND o.id = x.operator_id
JOIN stores AS s ON s.id = x.store_id
WHERE x.hash = $1`

const insertOperatorSessionSQL = `
INSERT INTO operator_sessions (hash, store_id, operator_id, created_at, last_seen_at)
VALUES ($1, $2, $3, $4, $4)`

const deleteOperatorSessionSQL = `
DELETE FROM operator_sessions
WHERE hash = $1`

const deleteOperatorSessionsSQL = `
DELETE FROM operator_sessions
WHERE store_id = $1 AND operator_id = $2`

const deleteExpiredOperatorSessionsSQL = `
DELETE FROM operator_sessions
WHERE last_seen_at <= $1 OR created_at <= $2`

// sessionRow is a session with its operator and store.
type sessionRow struct {
	hash                  []byte
	createdAt, lastSeenAt time.Time
	operator              Operator
	store                 store.Row
}

func selectOperatorSession(ctx context.Context, q database.Querier, hash tokenHash) (row sessionRow, err error) {
	err = database.QueryRow(ctx, q, selectOperatorSessionSQL, []any{hash[:]},
		slices.Concat([]any{&row.hash, database.Time(&row.createdAt), database.Time(&row.lastSeenAt)},
			row.operator.dest(), row.store.Dest())...)
	return row, err
}

func insertOperatorSession(ctx context.Context, q database.Querier, o Operator, hash tokenHash, now time.Time) error {
	return database.Exec(ctx, q, insertOperatorSessionSQL, hash[:], o.StoreID, o.ID, now.UnixMicro())
}

func deleteOperatorSession(ctx context.Context, q database.Querier, hash tokenHash) error {
	return database.Exec(ctx, q, deleteOperatorSessionSQL, hash[:])
}

func deleteOperatorSessions(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	return database.Exec(ctx, tx, deleteOperatorSessionsSQL, operatorID)
}

// deleteExpiredOperatorSessions deletes the sessions of all stores for which sessionExpired is true.
func deleteExpiredOperatorSessions(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteExpiredOperatorSessionsSQL, now.Add(-sessionIdleTimeout).UnixMicro(),
		now.Add(-sessionLifetime).UnixMicro())
}
