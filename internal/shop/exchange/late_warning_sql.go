package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const incrementLateWarningsSQL = `
UPDATE exchange_runs
SET late_warnings = late_warnings + 1
WHERE store_id = $1
  AND key = $2
RETURNING late_warnings`

// incrementLateWarnings increments the number of late warnings of a run and returns it. found is false if the run does
// not exist.
func incrementLateWarnings(ctx context.Context, tx store.Tx, runKey int64) (count int64, found bool, err error) {
	err = database.QueryEach(ctx, tx, incrementLateWarningsSQL, []any{runKey}, func(rows database.Rows) error {
		found = true
		return rows.Scan(&count)
	})
	return count, found, err
}
