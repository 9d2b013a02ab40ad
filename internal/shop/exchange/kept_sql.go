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

// lowerKeptSQL takes what is counted of runs off what is kept of their stores.
const lowerKeptSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE exchange_kept
SET bytes = exchange_kept.bytes - k.bytes
FROM (
	SELECT e.store_id, CAST(SUM(e.kept_bytes) AS BIGINT) AS bytes
	FROM r
	CROSS JOIN exchange_runs e
	WHERE e.store_id = r.store_id
	  AND e.key = r.key
	GROUP BY e.store_id) AS k
WHERE exchange_kept.store_id = k.store_id`

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

// lowerKept records that what is kept of the runs is deleted. The runs must be deleted in the same transaction.
func lowerKept(ctx context.Context, q database.Querier, refs []runRef) error {
	_, err := execRunRefs(ctx, q, lowerKeptSQL, refs)
	return err
}
