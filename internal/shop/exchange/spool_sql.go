package exchange

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
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

const setBackgroundSQL = `
UPDATE exchange_runs
SET background = TRUE
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL`

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

// setBackground says that a push is spooled whole. It returns fault.Unavailable if others took its node for dead meanwhile and ended it.
func setBackground(ctx context.Context, q database.Querier, storeID store.ID, runKey int64) error {
	n, err := q.Exec(ctx, setBackgroundSQL, storeID, runKey)
	if err == nil && n == 0 {
		err = fault.New(fault.Unavailable, "interrupted", "The push took so long to come in that it was given up. Send it again.").After(time.Second)
	}
	return err
}

// runOfKey reads a run, whoever pushed it, or returns fault.NotFound.
func runOfKey(ctx context.Context, q database.Querier, storeID store.ID, key int64) (run Run, err error) {
	found := false
	err = database.QueryEach(ctx, q, selectRunOfKeySQL, []any{storeID, key}, func(rows database.Rows) (err error) {
		found = true
		run, err = scanRun(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing("run")
	}
	return run, err
}
