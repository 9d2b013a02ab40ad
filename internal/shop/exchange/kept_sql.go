package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// lockKeptSQL reads what is kept of a store, and locks it until the transaction ends.
const lockKeptSQL = `
INSERT INTO exchange_kept (store_id, bytes)
VALUES ($1, 0)
ON CONFLICT (store_id) DO UPDATE
SET bytes = exchange_kept.bytes
RETURNING bytes`

const addKeptSQL = `
UPDATE exchange_kept
SET bytes = bytes + $2
WHERE store_id = $1`

const addRunKeptSQL = `
UPDATE exchange_runs
SET kept_bytes = kept_bytes + $3
WHERE store_id = $1
  AND key = $2`

const lowerKeptSQL = `
WITH r(store_id, bytes) AS (ROWS)
UPDATE exchange_kept
SET bytes = exchange_kept.bytes - r.bytes
FROM r
WHERE exchange_kept.store_id = r.store_id`

// lockKept returns the bytes that are kept of the store.
func lockKept(ctx context.Context, tx store.Tx) (bytes int64, err error) {
	err = database.QueryRow(ctx, tx, lockKeptSQL, nil, &bytes)
	return bytes, err
}

// addKept adds to what is kept of a run and of its store.
func addKept(ctx context.Context, tx store.Tx, runKey, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	if err := database.Exec(ctx, tx, addKeptSQL, bytes); err != nil {
		return err
	}
	return database.Exec(ctx, tx, addRunKeptSQL, runKey, bytes)
}

// lowerKept takes bytes off what is kept of stores.
func lowerKept(ctx context.Context, q database.Querier, bytes map[store.ID]int64) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for storeID, n := range bytes {
		batch.Add(storeID, n)
	}
	_, err := q.ExecRows(ctx, lowerKeptSQL, batch)
	return err
}
