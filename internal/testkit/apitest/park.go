package apitest

import (
	"context"
	"encoding/binary"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// ParkRun makes the newest run of a store look as if processes had died while they applied it. It returns the key of
// the parked job. runID is the id of the run.
func (s *Server) ParkRun(storeID store.ID, runID string) (jobKey int64) {
	s.tb.Helper()
	s.Write(func(ctx context.Context, q database.Querier) error {
		tx := store.In(q, storeID)
		var run int64
		const newestRunSQL = `SELECT MAX(key) FROM exchange_runs WHERE store_id = $1`
		if err := database.QueryRow(ctx, tx, newestRunSQL, nil, &run); err != nil {
			return err
		}

		const failSQL = `UPDATE exchange_runs SET status = 'failed', problem_code = 'parked', problem = 'Set aside.' ` +
			`WHERE store_id = $1 AND key = $2`
		if err := database.Exec(ctx, tx, failSQL, run); err != nil {
			return err
		}

		const nextKeySQL = `SELECT COALESCE(MAX(key), 1000000) + 1 FROM parked_jobs`
		if err := database.QueryRow(ctx, q, nextKeySQL, nil, &jobKey); err != nil {
			return err
		}

		owner := storeID.Bytes()
		payload := binary.BigEndian.AppendUint64(owner[:], uint64(run))
		const parkSQL = `INSERT INTO parked_jobs (key, kind, lane, unique_name, payload, asked, created_at, owner, ` +
			`deaths, parked_at) VALUES ($1, 'exchange.run', $2, $3, $4, 1, 1, $2, 3, 2)`
		return database.Exec(ctx, q, parkSQL, jobKey, storeID.String(), runID, payload)
	})

	return jobKey
}
