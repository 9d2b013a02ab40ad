package httpapi

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// claimKeySQL tries to lock an Idempotency-Key. PostgreSQL releases the lock at the end of the transaction, or when the
// connection is lost because the node died.
const claimKeySQL = `
SELECT pg_try_advisory_xact_lock($1)`

const selectIdempotencyRecordSQL = `
SELECT fingerprint, status, created_at
FROM idempotency
WHERE store_id = $1
  AND hash = $2`

const selectPiecesSQL = `
SELECT sealed
FROM idempotency_pieces
WHERE store_id = $1
  AND hash = $2
ORDER BY number`

const deleteIdempotencyRecordSQL = `
DELETE FROM idempotency
WHERE store_id = $1
  AND hash = $2`

const insertIdempotencyRecordSQL = `
INSERT INTO idempotency (store_id, hash, fingerprint, status, created_at)
VALUES ($1, $2, $3, $4, $5)`

const insertPiecesSQL = `
WITH r(number, sealed) AS (ROWS)
INSERT INTO idempotency_pieces (store_id, hash, number, sealed)
SELECT $1, $2, number, sealed
FROM r`

// pruneIdempotencyRecordsSQL deletes at most $2 records of all stores, the oldest first, so that each transaction is
// short. Their pieces are deleted with them (ON DELETE CASCADE).
const pruneIdempotencyRecordsSQL = `
DELETE FROM idempotency
WHERE (store_id, hash) IN (
	SELECT store_id, hash
	FROM idempotency
	WHERE created_at <= $1
	ORDER BY created_at, store_id, hash
	LIMIT $2)`

// tryLockKey tries to lock a key across nodes and reports whether it succeeded. With SQLite it always succeeds: there
// is only one node, for which Server.runningKeys is enough.
func tryLockKey(ctx context.Context, q database.Querier, lock int64) (bool, error) {
	if q.Dialect().Engine != database.Postgres {
		return true, nil
	}
	var locked bool
	err := database.QueryRow(ctx, q, claimKeySQL, []any{lock}, &locked)
	return locked, err
}

// selectIdempotencyRecord returns the record of a key and when it was created, even if it has expired, or
// database.ErrNoRows.
func selectIdempotencyRecord(ctx context.Context, tx store.Tx, hash []byte) (
	fingerprint []byte, status int, at time.Time, err error,
) {
	err = database.QueryRow(ctx, tx, selectIdempotencyRecordSQL, []any{hash}, &fingerprint, &status, database.Time(&at))
	return fingerprint, status, at, err
}

func scanResponsePieces(ctx context.Context, tx store.Tx, hash []byte, fn func(sealed []byte) error) error {
	return database.QueryEach(ctx, tx, selectPiecesSQL, []any{hash}, func(rows database.Rows) error {
		var sealed []byte
		if err := rows.Scan(&sealed); err != nil {
			return err
		}
		return fn(sealed)
	})
}

func deleteIdempotencyRecord(ctx context.Context, tx store.Tx, hash []byte) error {
	return database.Exec(ctx, tx, deleteIdempotencyRecordSQL, hash)
}

func insertIdempotencyRecord(ctx context.Context, tx store.Tx, hash, fingerprint []byte, status int,
	at time.Time) error {
	return tx.ExecLater(ctx, insertIdempotencyRecordSQL, nil, hash, fingerprint, status, at.UnixMicro())
}

// newResponsePieceBatch returns an empty batch for insertResponsePieces. Each row is the number of a piece and its
// encrypted bytes.
func newResponsePieceBatch() *database.Batch {
	return database.NewBatch(database.BigInt, database.Bytes)
}

// insertLastResponsePieces adds the last pieces of a response. They are few, so they may wait in memory for the commit.
func insertLastResponsePieces(ctx context.Context, tx store.Tx, hash []byte, pieces *database.Batch) error {
	return tx.ExecLater(ctx, insertPiecesSQL, pieces, hash)
}

func insertResponsePieces(ctx context.Context, tx store.Tx, hash []byte, pieces *database.Batch) error {
	return database.ExecRows(ctx, tx, insertPiecesSQL, pieces, hash)
}

func pruneIdempotencyRecords(ctx context.Context, q database.Querier, until time.Time, limit int) (int64, error) {
	return q.Exec(ctx, pruneIdempotencyRecordsSQL, until.UnixMicro(), limit)
}
