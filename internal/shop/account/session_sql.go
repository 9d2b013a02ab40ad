package account

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// selectOperatorSessionSQL also counts the stores of the person, so that pages can offer to switch to another one.
const selectOperatorSessionSQL = `
SELECT x.hash, x.created_at, x.last_seen_at,
	(SELECT COUNT(*) FROM operators AS m WHERE m.account_id = o.account_id AND m.joined_at IS NOT NULL
		AND m.disabled_at IS NULL),
	` + operatorColumns + `, ` + store.Columns + `
FROM operator_sessions AS x
JOIN operators AS o ON o.store_id = x.store_id AND o.id = x.operator_id
JOIN accounts AS a ON a.id = o.account_id
JOIN stores AS s ON s.id = x.store_id
WHERE x.hash = $1`

const insertOperatorSessionSQL = `
INSERT INTO operator_sessions (hash, store_id, operator_id, network, browser, created_at, last_seen_at)
VALUES ($1, $2, $3, $4, $5, $6, $6)`

// renewOperatorSessionSQL copies a session to a new token and perhaps to another store.
const renewOperatorSessionSQL = `
INSERT INTO operator_sessions (hash, store_id, operator_id, network, browser, created_at, last_seen_at)
SELECT $2, $3, $4, x.network, x.browser, x.created_at, $5
FROM operator_sessions AS x
WHERE x.hash = $1`

const deleteOperatorSessionSQL = `
DELETE FROM operator_sessions
WHERE hash = $1`

const deleteOperatorSessionsSQL = `
DELETE FROM operator_sessions
WHERE store_id = $1 AND operator_id = $2`

const selectAccountSessionsSQL = `
SELECT x.hash, s.name, x.network, x.browser, x.created_at, x.last_seen_at
FROM operators AS o
JOIN operator_sessions AS x ON x.store_id = o.store_id AND x.operator_id = o.id
JOIN stores AS s ON s.id = o.store_id
WHERE o.account_id = $1
ORDER BY x.last_seen_at DESC, x.hash`

// deleteAccountSessionsSQL deletes all sessions of an account except one.
const deleteAccountSessionsSQL = `
DELETE FROM operator_sessions
WHERE hash <> $2 AND hash IN (
	SELECT x.hash
	FROM operators AS o
	JOIN operator_sessions AS x ON x.store_id = o.store_id AND x.operator_id = o.id
	WHERE o.account_id = $1
)`

const deleteAccountSessionSQL = `
DELETE FROM operator_sessions
WHERE hash = $2 AND hash IN (
	SELECT x.hash
	FROM operators AS o
	JOIN operator_sessions AS x ON x.store_id = o.store_id AND x.operator_id = o.id
	WHERE o.account_id = $1
)`

const deleteExpiredOperatorSessionsSQL = `
DELETE FROM operator_sessions
WHERE last_seen_at <= $1 OR created_at <= $2`

const updateLastSeenSQL = `
WITH r(hash, at) AS (ROWS)
UPDATE operator_sessions
SET last_seen_at = r.at
FROM r
WHERE operator_sessions.hash = r.hash AND operator_sessions.last_seen_at <= r.at - $1`

// sessionRow is a session with its operator and store.
type sessionRow struct {
	hash                  []byte
	createdAt, lastSeenAt time.Time
	stores                int64
	operator              access.Operator
	store                 store.Row
}

func selectOperatorSession(ctx context.Context, q database.Querier, hash access.TokenHash) (row sessionRow, err error) {
	err = database.QueryRow(ctx, q, selectOperatorSessionSQL, []any{hash[:]},
		slices.Concat([]any{&row.hash, database.Time(&row.createdAt), database.Time(&row.lastSeenAt), &row.stores},
			operatorDest(&row.operator), row.store.Dest())...)
	return row, err
}

func insertOperatorSession(
	ctx context.Context, q database.Querier, o access.Operator, hash access.TokenHash, network, browser string,
	now time.Time,
) error {
	return database.Exec(ctx, q, insertOperatorSessionSQL, hash[:], o.StoreID, o.ID, network, browser, now.UnixMicro())
}

// renewOperatorSession replaces a session by a session of the operator, with another token. It reports whether the old
// session existed.
func renewOperatorSession(
	ctx context.Context, q database.Querier, old, next access.TokenHash, o access.Operator, now time.Time,
) (bool, error) {
	n, err := q.Exec(ctx, renewOperatorSessionSQL, old[:], next[:], o.StoreID, o.ID, now.UnixMicro())
	if err != nil || n == 0 {
		return false, err
	}
	return true, deleteOperatorSession(ctx, q, old)
}

func deleteOperatorSession(ctx context.Context, q database.Querier, hash access.TokenHash) error {
	return database.Exec(ctx, q, deleteOperatorSessionSQL, hash[:])
}

// deleteOperatorSessions ends the sessions in one store.
func deleteOperatorSessions(ctx context.Context, tx store.Tx, operatorID access.OperatorID) error {
	return database.Exec(ctx, tx, deleteOperatorSessionsSQL, operatorID)
}

// selectAccountSessions returns the sessions of a person in all stores, the last used one first.
func selectAccountSessions(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (all []ActiveSession, err error) {
	err = database.QueryEach(ctx, q, selectAccountSessionsSQL, []any{accountID},
		database.AppendScanned(&all, func(rows database.Rows) (s ActiveSession, err error) {
			var hash []byte
			err = rows.Scan(&hash, &s.Store, &s.Network, &s.Browser, database.Time(&s.CreatedAt),
				database.Time(&s.LastSeenAt))
			copy(s.hash[:], hash)
			return s, err
		}))
	return all, err
}

// deleteAccountSessions ends the sessions of a person in all stores, except the one with the hash.
func deleteAccountSessions(
	ctx context.Context, q database.Querier, accountID access.AccountID, except access.TokenHash,
) error {
	return database.Exec(ctx, q, deleteAccountSessionsSQL, accountID, except[:])
}

// deleteAccountSession ends a session of the person and reports whether there was one.
func deleteAccountSession(
	ctx context.Context, q database.Querier, accountID access.AccountID, hash access.TokenHash,
) (bool, error) {
	n, err := q.Exec(ctx, deleteAccountSessionSQL, accountID, hash[:])
	return n == 1, err
}

// deleteExpiredOperatorSessions deletes the sessions of all stores for which sessionExpired is true.
func deleteExpiredOperatorSessions(ctx context.Context, q database.Querier, now time.Time) error {
	return database.Exec(ctx, q, deleteExpiredOperatorSessionsSQL, now.Add(-sessionIdleTimeout).UnixMicro(),
		now.Add(-sessionLifetime).UnixMicro())
}

func updateLastSeen(ctx context.Context, q database.Querier, uses map[access.TokenHash]time.Time) error {
	batch := database.NewBatch(database.Bytes, database.BigInt)
	for hash, at := range uses {
		batch.Add(hash[:], at.UnixMicro())
	}
	return database.ExecRows(ctx, q, updateLastSeenSQL, batch, access.MinUsageInterval.Microseconds())
}
