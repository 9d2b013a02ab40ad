package exchange

import (
	"context"
	"errors"

	"vitrine/internal/database"
	"vitrine/internal/fault"
	"vitrine/internal/store"
)

const insertPieceSQL = `
INSERT INTO exchange_pieces (store_id, run_key, number, packed)
VALUES ($1, $2, $3, $4)`

const selectPieceSQL = `
SELECT packed
FROM exchange_pieces
WHERE store_id = $1
  AND run_key = $2
  AND number = $3`

const deleteBodySQL = `
DELETE FROM exchange_pieces
WHERE store_id = $1
  AND run_key = $2`

const setBackgroundSQL = `
UPDATE exchange_runs
SET background = TRUE
WHERE store_id = $1
  AND key = $2`

const selectRunOfKeySQL = `
SELECT ` + runColumns + `
FROM exchange_runs
WHERE store_id = $1
  AND key = $2`

func insertPiece(ctx context.Context, q database.Querier, storeID store.ID, runKey, number int64, packed []byte) error {
	_, err := q.Exec(ctx, insertPieceSQL, storeID, runKey, number, packed)
	return err
}

// onePiece reads a piece of a body; nil behind the last.
func onePiece(ctx context.Context, q database.Querier, storeID store.ID, runKey, number int64) (packed []byte, err error) {
	err = database.QueryRow(ctx, q, selectPieceSQL, []any{storeID, runKey, number}, &packed)
	if errors.Is(err, database.ErrNoRows) {
		return nil, nil
	}
	return packed, err
}

func deleteBody(ctx context.Context, q database.Querier, storeID store.ID, runKey int64) error {
	_, err := q.Exec(ctx, deleteBodySQL, storeID, runKey)
	return err
}

// setBackground says that a push is spooled whole.
func setBackground(ctx context.Context, q database.Querier, storeID store.ID, runKey int64) error {
	_, err := q.Exec(ctx, setBackgroundSQL, storeID, runKey)
	return err
}

// runOfKey reads a run, whoever pushed it, or returns fault.NotFound.
func runOfKey(ctx context.Context, q database.Querier, storeID store.ID, key int64) (run Run, err error) {
	found := false
	err = database.Each(ctx, q, selectRunOfKeySQL, []any{storeID, key}, func(rows database.Rows) (err error) {
		found = true
		run, err = scanRun(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing("run")
	}
	return run, err
}
