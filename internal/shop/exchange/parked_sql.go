package exchange

import (
	"context"

	"vitrine/internal/kit/database"
)

const parkedRunIDsSQL = `
WITH r(store_id, key) AS (ROWS)
SELECT x.id
FROM r
CROSS JOIN exchange_runs x
WHERE x.store_id = r.store_id
  AND x.key = r.key
  AND x.problem_code = 'parked'
ORDER BY x.id`

// parkedRunIDs returns which of the runs are parked.
func parkedRunIDs(ctx context.Context, q database.Querier, refs []RunRef) (ids []string, err error) {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, ref := range refs {
		batch.Add(ref.StoreID, ref.Key)
	}
	err = q.QueryRows(ctx, parkedRunIDsSQL, batch,
		database.AppendScanned(&ids, func(rows database.Rows) (string, error) {
			var runID RunID
			err := rows.Scan(&runID)
			return runID.String(), err
		}))
	return ids, err
}
