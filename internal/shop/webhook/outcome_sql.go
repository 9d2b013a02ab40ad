package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const saveDeliveryStatesSQL = `
WITH r(store_id, id, status, made, status_code, next_attempt_at) AS (ROWS)
UPDATE deliveries
SET status = r.status, stranded = r.status IN ('held', 'dead'), attempts_count = deliveries.attempts_count + r.made,
	last_status_code = CASE WHEN r.made = 1 THEN r.status_code ELSE deliveries.last_status_code END,
	next_attempt_at = r.next_attempt_at, updated_at = $1
FROM r
WHERE deliveries.store_id = r.store_id
  AND deliveries.id = r.id
RETURNING deliveries.id, deliveries.key, deliveries.attempts_count`

const insertAttemptsSQL = `
WITH r(store_id, delivery_key, number, started_at, duration_ms, status_code, phase, excerpt) AS (ROWS)
INSERT INTO attempts (store_id, delivery_key, number, started_at, duration_ms, status_code, phase, excerpt)
SELECT store_id, delivery_key, number, started_at, duration_ms, status_code, phase, excerpt
FROM r`

const clearFailingSinceSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE receivers
SET failing_since = NULL
FROM r
WHERE receivers.store_id = r.store_id
  AND receivers.key = r.key`

const setFailingSinceSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE receivers
SET failing_since = $1
FROM r
WHERE receivers.store_id = r.store_id
  AND receivers.key = r.key
  AND receivers.failing_since IS NULL`

// The statement skips a receiver that was edited since the attempt (the condition on version) and a receiver that has
// succeeded since then (the condition on failing_since). $6 is true for a response of 410 Gone, which disables a
// receiver even without earlier failures.
const disableReceiverSQL = `
UPDATE receivers
SET enabled = FALSE, disabled_reason = $3, version = version + 1, updated_at = $4
WHERE store_id = $1
  AND key = $2
  AND enabled = TRUE
  AND version = $5
  AND (failing_since IS NOT NULL OR $6)`

// saveDeliveryStates updates the deliveries of the states, and sets the fields key and number of each state. It skips
// deliveries that were deleted.
func saveDeliveryStates(ctx context.Context, q database.Querier, states []deliveryState, now time.Time) error {
	batch := database.NewBatch(database.UUID, database.UUID, database.Text, database.BigInt, database.BigInt,
		database.BigInt)
	byID := make(map[DeliveryID]*deliveryState, len(states))
	for i := range states {
		st := &states[i]
		st.key, st.number = 0, 0
		byID[st.result.delivery] = st
		made := 0

		if st.result.requestMade {
			made = 1
		}

		batch.Add(st.result.storeID, st.result.delivery, string(st.status), made, st.result.attempt.StatusCode,
			database.MicrosOrNull(st.next))
	}

	return q.QueryRows(ctx, saveDeliveryStatesSQL, batch, func(rows database.Rows) error {
		var deliveryID DeliveryID
		var key, number int64
		err := rows.Scan(&deliveryID, &key, &number)
		if st := byID[deliveryID]; err == nil && st != nil {
			st.key, st.number = key, number
		}
		return err
	}, now.UnixMicro())
}

// insertAttempts inserts the attempts that were made, except those of deleted deliveries.
func insertAttempts(ctx context.Context, q database.Querier, states []deliveryState) error {
	batch := database.NewBatch(database.UUID, database.BigInt, database.BigInt, database.BigInt, database.BigInt,
		database.BigInt, database.Text, database.Text)
	for i := range states {
		st := &states[i]
		if !st.result.requestMade || st.key == 0 {
			continue
		}
		a := &st.result.attempt
		batch.Add(st.result.storeID, st.key, st.number, a.StartedAt.UnixMicro(), a.Duration.Milliseconds(),
			a.StatusCode, a.Phase, a.Excerpt)
	}
	return database.ExecRows(ctx, q, insertAttemptsSQL, batch)
}

func receiverBatch(results []*receiverResult) *database.Batch {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, r := range results {
		batch.Add(r.storeID, r.receiver.Key)
	}
	return batch
}

func clearFailingSince(ctx context.Context, q database.Querier, results []*receiverResult) error {
	return database.ExecRows(ctx, q, clearFailingSinceSQL, receiverBatch(results))
}

func setFailingSince(ctx context.Context, q database.Querier, results []*receiverResult, now time.Time) error {
	return database.ExecRows(ctx, q, setFailingSinceSQL, receiverBatch(results), now.UnixMicro())
}

// disableReceiver disables a receiver and reports whether it did. It changes nothing if the receiver is already
// disabled, has another version than r, or has succeeded since; see disableReceiverSQL.
func disableReceiver(ctx context.Context, tx store.Tx, r *Receiver, reason string, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, disableReceiverSQL, r.Key, reason, now.UnixMicro(), r.Version, reason == DisabledGone)
	return n > 0, err
}
