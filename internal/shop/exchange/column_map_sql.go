package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

const selectColumnMapSQL = `
SELECT mapping
FROM column_maps
WHERE store_id = $1
  AND entity = $2
  AND digest = $3`

const upsertColumnMapSQL = `
INSERT INTO column_maps (store_id, entity, digest, mapping, updated_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (store_id, entity, digest) DO UPDATE
SET mapping = excluded.mapping, updated_at = excluded.updated_at`

// deleteOldColumnMapsSQL deletes all but the newest $2 of a store.
const deleteOldColumnMapsSQL = `
DELETE FROM column_maps
WHERE store_id = $1
  AND (entity, digest) IN (
	SELECT entity, digest
	FROM column_maps
	WHERE store_id = $1
	ORDER BY updated_at DESC, entity, digest
	LIMIT 1000000 OFFSET $2)`

const restartRunSQL = `
UPDATE exchange_runs
SET status = $3, operator_id = $4, mapping = $5, alive_at = $6, started_at = NULL, finished_at = NULL,
	problem_code = NULL, problem = NULL
WHERE store_id = $1
  AND key = $2`

const moveBodyChunksSQL = `
UPDATE exchange_pieces
SET run_key = $3
WHERE store_id = $1
  AND run_key = $2`

const moveSpooledBytesSQL = `
UPDATE exchange_runs
SET spooled_bytes = (
	SELECT b.spooled_bytes
	FROM exchange_runs b
	WHERE b.store_id = $1
	  AND b.key = $2)
WHERE store_id = $1
  AND key = $3`

const clearSpooledBytesOfRunSQL = `
UPDATE exchange_runs
SET spooled_bytes = 0
WHERE store_id = $1
  AND key = $2`

// selectColumnMap returns what is remembered of tables with a digest of columns; nil if nothing is.
func selectColumnMap(ctx context.Context, tx store.Tx, entity string, digest []byte) (*table.Mapping, error) {
	var text string
	err := database.QueryRow(ctx, tx, selectColumnMapSQL, []any{entity, digest}, &text)
	if errors.Is(err, database.ErrNoRows) {
		return nil, nil //nolint:nilnil // it says so
	}
	if err != nil {
		return nil, err
	}

	var m table.Mapping
	err = json.Unmarshal([]byte(text), &m)
	return &m, err
}

// upsertColumnMap remembers a mapping, and forgets the oldest ones beyond maxColumnMaps.
func upsertColumnMap(
	ctx context.Context, tx store.Tx, entity string, digest []byte, m table.Mapping, now time.Time,
) error {
	_, err := tx.Exec(ctx, upsertColumnMapSQL, entity, digest, mappingJSON(&m), now.UnixMicro())
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, deleteOldColumnMapsSQL, int64(maxColumnMaps))
	return err
}

// restartRun makes a run that awaited its columns a queued one.
func restartRun(ctx context.Context, tx store.Tx, run *Run, now time.Time) error {
	return database.Exec(ctx, tx, restartRunSQL, run.Key, string(run.Status), nullIfZero(run.Operator),
		mappingJSON(run.Mapping), now.UnixMicro())
}

// moveBodyChunks makes the body of a run that of another one.
func moveBodyChunks(ctx context.Context, tx store.Tx, from, to int64) error {
	if _, err := tx.Exec(ctx, moveBodyChunksSQL, from, to); err != nil {
		return err
	}
	if err := database.Exec(ctx, tx, moveSpooledBytesSQL, from, to); err != nil {
		return err
	}
	return database.Exec(ctx, tx, clearSpooledBytesOfRunSQL, from)
}
