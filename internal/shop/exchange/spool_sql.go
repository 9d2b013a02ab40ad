package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const insertBodyChunkSQL = `
INSERT INTO exchange_pieces (store_id, run_key, number, packed)
VALUES ($1, $2, $3, $4)`

const selectBodyChunkSQL = `
SELECT packed
FROM exchange_pieces
WHERE store_id = $1
  AND run_key = $2
  AND number = $3`

const setRunInBackgroundSQL = `
UPDATE exchange_runs
SET background = TRUE
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL`

func insertBodyChunk(ctx context.Context, tx store.Tx, runKey, number int64, compressed []byte) error {
	return database.Exec(ctx, tx, insertBodyChunkSQL, runKey, number, compressed)
}

// selectBodyChunk reads a compressed chunk of a body. It returns database.ErrNoRows if the number is beyond the last
// chunk.
func selectBodyChunk(ctx context.Context, tx store.Tx, runKey, number int64) (compressed []byte, err error) {
	err = database.QueryRow(ctx, tx, selectBodyChunkSQL, []any{runKey, number}, &compressed)
	return compressed, err
}

// setRunInBackground marks a run whose body is stored completely. It returns fault.Unavailable if the run was ended as
// interrupted, because this node was too slow to renew the heartbeat.
func setRunInBackground(ctx context.Context, tx store.Tx, runKey int64) error {
	n, err := tx.Exec(ctx, setRunInBackgroundSQL, runKey)
	if err == nil && n == 0 {
		err = fault.New(fault.Unavailable, "interrupted",
			"Receiving the push took too long, so it was ended. Send it again.").After(time.Second)
	}
	return err
}
