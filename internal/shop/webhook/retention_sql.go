package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const nextDeliveriesSQL = `
SELECT store_id, key, status, created_at
FROM deliveries
WHERE key > $1
ORDER BY key
LIMIT $2`

const deleteDeliveriesSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM deliveries
WHERE key IN (SELECT key FROM r)`

const deleteAttemptsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM attempts
WHERE (store_id, delivery_key) IN (SELECT store_id, key FROM r)`

const deleteEventsSQL = `
DELETE FROM events
WHERE (store_id, sequence) IN (
	SELECT e.store_id, e.sequence
	FROM events e
	WHERE e.created_at < $1
	  AND (SELECT COUNT(*) FROM deliveries d WHERE d.store_id = e.store_id AND d.sequence = e.sequence) = 0
	  AND e.sequence <= (SELECT f.sequence FROM event_fanouts f WHERE f.store_id = e.store_id)
	ORDER BY e.created_at, e.store_id, e.sequence
	LIMIT $2)`

// deleteDeliveries reads up to limit deliveries whose keys are greater than the parameter after, and deletes those that
// are not pending and were created earlier than the time before. It returns the last key that it processed, and whether
// there may be more. Keys grow with the creation time, so a delivery that is too new ends the search. Rows locked by
// other transactions are skipped until the next Prune.
func deleteDeliveries(
	ctx context.Context, q database.Querier, before time.Time, after int64, limit int,
) (last int64, more bool, err error) {
	batch, old := database.NewBatch(database.UUID, database.BigInt), 0
	last = after
	err = database.QueryEach(ctx, q, nextDeliveriesSQL+q.Dialect().ForUpdate+q.Dialect().SkipLocked,
		[]any{after, limit}, func(rows database.Rows) error {
			var storeID store.ID
			var key, created int64
			var status string
			if err := rows.Scan(&storeID, &key, &status, &created); err != nil || created >= before.UnixMicro() {
				return err
			}
			last = key
			old++
			if Status(status) != Pending {
				batch.Add(storeID, key)
			}
			return nil
		})
	if err != nil {
		return after, false, err
	}
	if _, err := q.ExecRows(ctx, deleteAttemptsSQL, batch); err != nil {
		return after, false, err
	}
	_, err = q.ExecRows(ctx, deleteDeliveriesSQL, batch)
	return last, old == limit, err
}

func deleteEvents(ctx context.Context, q database.Querier, before time.Time, limit int) (int64, error) {
	return q.Exec(ctx, deleteEventsSQL, before.UnixMicro(), limit)
}
