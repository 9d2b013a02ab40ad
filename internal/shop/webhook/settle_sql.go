package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const saveStatesSQL = `
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

const markHealedSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE receivers
SET failing_since = NULL
FROM r
WHERE receivers.store_id = r.store_id
  AND receivers.key = r.key`

const markFallenSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE receivers
SET failing_since = $1
FROM r
WHERE receivers.store_id = r.store_id
  AND receivers.key = r.key
  AND receivers.failing_since IS NULL`

// The version condition skips a receiver that was edited since the attempt, the last condition one that succeeded
// since. $6 is true for 410 Gone, which counts without earlier failures.
const disableReceiverSQL = `
UPDATE receivers
SET enabled = FALSE, disabled_reason = $3, version = version + 1, updated_at = $4
WHERE store_id = $1
  AND key = $2
  AND enabled = TRUE
  AND version = $5
  AND (failing_since IS NOT NULL OR $6)`

// saveStates updates deliveries, and sets key and number of their states. It skips deliveries that were deleted.
func saveStates(ctx context.Context, q database.Querier, states []state, now time.Time) error {
	batch := database.NewBatch(database.UUID, database.UUID, database.Text, database.BigInt, database.BigInt, database.BigInt)
	at := make(map[DeliveryID]*state, len(states))
	for i := range states {
		st := &states[i]
		st.key, st.number = 0, 0
		at[st.sent.delivery] = st
		made := 0
		if st.sent.made {
			made = 1
		}
		batch.Add(st.sent.storeID, st.sent.delivery, string(st.status), made, st.sent.attempt.StatusCode, microsOrNull(st.next))
	}
	return q.QueryRows(ctx, saveStatesSQL, batch, func(rows database.Rows) error {
		var deliveryID DeliveryID
		var key, number int64
		err := rows.Scan(&deliveryID, &key, &number)
		if st := at[deliveryID]; err == nil && st != nil {
			st.key, st.number = key, number
		}
		return err
	}, now.UnixMicro())
}

// insertAttempts inserts the attempts that were made, except those of deleted deliveries.
func insertAttempts(ctx context.Context, q database.Querier, states []state) error {
	batch := database.NewBatch(database.UUID, database.BigInt, database.BigInt, database.BigInt, database.BigInt, database.BigInt, database.Text, database.Text)
	for i := range states {
		st := &states[i]
		if !st.sent.made || st.key == 0 {
			continue
		}
		a := &st.sent.attempt
		batch.Add(st.sent.storeID, st.key, st.number, a.StartedAt.UnixMicro(), a.Duration.Milliseconds(), a.StatusCode, a.Phase, a.Excerpt)
	}
	_, err := q.ExecRows(ctx, insertAttemptsSQL, batch)
	return err
}

func receiverBatch(records []*record) *database.Batch {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, r := range records {
		batch.Add(r.storeID, r.receiver.Key)
	}
	return batch
}

func markHealed(ctx context.Context, q database.Querier, records []*record) error {
	_, err := q.ExecRows(ctx, markHealedSQL, receiverBatch(records))
	return err
}

func markFallen(ctx context.Context, q database.Querier, records []*record, now time.Time) error {
	_, err := q.ExecRows(ctx, markFallenSQL, receiverBatch(records), now.UnixMicro())
	return err
}

// disableReceiver disables a receiver and reports whether it did. It does not if the receiver is disabled already or
// has another version than r.
func disableReceiver(ctx context.Context, tx store.Tx, r *Receiver, reason string, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, disableReceiverSQL, r.Key, reason, now.UnixMicro(), r.Version, reason == DisabledGone)
	return n > 0, err
}
