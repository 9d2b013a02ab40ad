package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const addAttemptCountsSQL = `
WITH r(store_id, hour, receiver_key, delivered, failed) AS (ROWS)
INSERT INTO attempt_hours (store_id, hour, receiver_key, delivered, failed)
SELECT store_id, hour, receiver_key, delivered, failed
FROM r
WHERE TRUE
ON CONFLICT (store_id, hour, receiver_key) DO UPDATE
SET delivered = attempt_hours.delivered + excluded.delivered, failed = attempt_hours.failed + excluded.failed`

// selectAttemptHoursSQL reads at most the hours of a week for each of 100 receivers.
const selectAttemptHoursSQL = `
SELECT hour, receiver_key, delivered, failed
FROM attempt_hours
WHERE store_id = $1
  AND hour >= $2
  AND ($3 = 0 OR receiver_key = $3)
ORDER BY hour, receiver_key`

const deleteAttemptHoursSQL = `
DELETE FROM attempt_hours
WHERE hour < $1`

const deleteHoursOfReceiverSQL = `
DELETE FROM attempt_hours
WHERE store_id = $1
  AND receiver_key = $2`

// addAttemptCounts adds counts to the rows with the given keys.
func addAttemptCounts(
	ctx context.Context, q database.Querier, keys []hourKey, counts map[hourKey]AttemptCounts,
) error {
	batch := database.NewBatch(database.UUID, database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	for _, key := range keys {
		batch.Add(key.storeID, key.hour, key.receiverKey, counts[key].Delivered, counts[key].Failed)
	}
	return q.ExecLater(ctx, addAttemptCountsSQL, batch)
}

func selectAttemptHours(
	ctx context.Context, tx store.Tx, receiverKey, sinceHour int64,
) (list []AttemptHour, err error) {
	err = database.QueryEach(ctx, tx, selectAttemptHoursSQL, []any{sinceHour, receiverKey},
		database.AppendScanned(&list, func(rows database.Rows) (h AttemptHour, err error) {
			var hour int64
			err = rows.Scan(&hour, &h.ReceiverKey, &h.Delivered, &h.Failed)
			h.Hour = time.Unix(hour*3600, 0).UTC()
			return h, err
		}))
	return list, err
}

func deleteAttemptHours(ctx context.Context, q database.Querier, beforeHour int64) error {
	return database.Exec(ctx, q, deleteAttemptHoursSQL, beforeHour)
}

func deleteHoursOfReceiver(ctx context.Context, tx store.Tx, receiverKey int64) error {
	return database.Exec(ctx, tx, deleteHoursOfReceiverSQL, receiverKey)
}
