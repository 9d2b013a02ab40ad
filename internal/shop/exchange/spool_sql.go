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

func insertPiece(ctx context.Context, tx store.Tx, runKey, number int64, packed []byte) error {
	_, err := tx.Exec(ctx, insertPieceSQL, runKey, number, packed)
	return err
}

// onePiece reads a compressed chunk of a body. It returns nil if the number is beyond the last chunk.
func onePiece(ctx context.Context, tx store.Tx, runKey, number int64) (packed []byte, err error) {
	err = database.QueryRow(ctx, tx, selectPieceSQL, []any{runKey, number}, &packed)
	if errors.Is(err, database.ErrNoRows) {
		return nil, nil
	}
	return packed, err
}

// setBackground marks a run whose body is stored completely. It returns fault.Unavailable if the run was ended as
// interrupted, because this node was too slow to renew the heartbeat.
func setBackground(ctx context.Context, tx store.Tx, runKey int64) error {
	n, err := tx.Exec(ctx, setBackgroundSQL, runKey)
	if err == nil && n == 0 {
		err = fault.New(fault.Unavailable, "interrupted",
			"The push took so long to come in that it was given up. Send it again.").After(time.Second)
	}
	return err
}

// runOfKey reads a run of any credential, or returns fault.NotFound.
func runOfKey(ctx context.Context, tx store.Tx, key int64) (run Run, err error) {
	found := false
	err = database.QueryEach(ctx, tx, selectRunOfKeySQL, []any{key}, func(rows database.Rows) (err error) {
		found = true
		run, err = scanRun(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing("run")
	}
	return run, err
}
