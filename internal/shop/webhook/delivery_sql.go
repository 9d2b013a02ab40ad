package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const deliveryColumns = `d.key, d.id, d.sequence, d.type, d.status, d.attempts_count, d.last_status_code,
	d.next_attempt_at, d.created_at, d.updated_at,
	(SELECT e.id FROM events e WHERE e.store_id = d.store_id AND e.sequence = d.sequence),
	(SELECT r.id FROM receivers r WHERE r.store_id = d.store_id AND r.key = d.receiver_key)`

const selectDeliverySQL = `
SELECT ` + deliveryColumns + `
FROM deliveries d
WHERE d.store_id = $1
  AND d.id = $2`

const selectUndeliveredSQL = `
SELECT key, id, sequence, type, (SELECT e.receiver_key FROM events e WHERE e.store_id = deliveries.store_id
	AND e.sequence = deliveries.sequence)
FROM deliveries
WHERE store_id = $1
  AND receiver_key = $2
  AND key > $3
  AND created_at >= $4`

// These statements select undelivered deliveries of a receiver: the pending ones, or the stranded (held or dead) ones.
const (
	pendingDeliveriesSQL = selectUndeliveredSQL + `
  AND status = 'pending'
ORDER BY key
LIMIT $5`
	strandedDeliveriesSQL = selectUndeliveredSQL + `
  AND stranded = TRUE
ORDER BY key
LIMIT $5`
)

const undeliveredTypesSQL = `
SELECT DISTINCT type
FROM deliveries
WHERE store_id = $1
  AND receiver_key = $2
  AND status <> 'delivered'
ORDER BY type`

const markPendingSQL = `
WITH r(key) AS (ROWS)
UPDATE deliveries
SET status = 'pending', stranded = FALSE, next_attempt_at = $2, updated_at = $2
FROM r
WHERE deliveries.store_id = $1
  AND deliveries.key = r.key`

// These statements make the deliveries of a batch pending: all of them, or only the undelivered ones.
const (
	markAllPendingSQL = markPendingSQL + `
RETURNING deliveries.key`
	markUndeliveredPendingSQL = markPendingSQL + `
  AND deliveries.status <> 'delivered'
RETURNING deliveries.key`
)

const markHeldSQL = `
UPDATE deliveries
SET status = 'held', stranded = TRUE, next_attempt_at = NULL, updated_at = $3
WHERE store_id = $1
  AND receiver_key = $2
  AND status = 'pending'`

const markDeadSQL = `
UPDATE deliveries
SET status = 'dead', stranded = TRUE, next_attempt_at = NULL, updated_at = $3
WHERE store_id = $1
  AND id = $2
  AND status = 'pending'`

func scanDelivery(rows database.Rows) (d Delivery, err error) {
	err = rows.Scan(&d.Key, &d.ID, &d.Sequence, &d.Type, (*string)(&d.Status), &d.Attempts, &d.LastStatusCode,
		database.NullTime(&d.NextAttemptAt), database.Time(&d.CreatedAt), database.Time(&d.UpdatedAt), &d.EventID,
		&d.ReceiverID)
	return d, err
}

// selectDelivery returns a delivery or fault.NotFound.
func selectDelivery(ctx context.Context, tx store.Tx, deliveryID DeliveryID) (Delivery, error) {
	return store.SelectOne(ctx, tx, selectDeliverySQL, []any{deliveryID}, "delivery", scanDelivery)
}

// selectUndelivered returns up to limit deliveries of a receiver that were created at the time since or later, in the
// order of their keys, beginning with the first key greater than the parameter after. It returns the held and dead ones
// if stranded is true, otherwise the pending ones.
func selectUndelivered(
	ctx context.Context, tx store.Tx, stranded bool, receiver int64, since time.Time, after int64, limit int,
) (list []dueDelivery, err error) {
	sql := pendingDeliveriesSQL
	if stranded {
		sql = strandedDeliveriesSQL
	}
	err = database.QueryEach(ctx, tx, sql, []any{receiver, after, since.UnixMicro(), limit},
		database.AppendScanned(&list, func(rows database.Rows) (d dueDelivery, err error) {
			var onlyReceiver *int64
			err = rows.Scan(&d.key, &d.id, &d.sequence, &d.eventType, &onlyReceiver)
			d.forOneReceiver = onlyReceiver != nil
			return d, err
		}))
	return list, err
}

func undeliveredTypes(ctx context.Context, tx store.Tx, receiver int64) (types []string, err error) {
	err = database.QueryEach(ctx, tx, undeliveredTypesSQL, []any{receiver}, database.AppendColumn(&types))
	return types, err
}

// pendingScope says which deliveries of a list markPending changes.
type pendingScope bool

const (
	onlyUndelivered pendingScope = false
	evenDelivered   pendingScope = true
)

// markPending makes deliveries pending and returns the keys of those that it changed.
func markPending(
	ctx context.Context, tx store.Tx, which pendingScope, list []dueDelivery, now time.Time,
) (map[int64]bool, error) {
	sql := markUndeliveredPendingSQL
	if which == evenDelivered {
		sql = markAllPendingSQL
	}
	batch := database.NewBatch(database.BigInt)
	for _, d := range list {
		batch.Add(d.key)
	}
	pending := make(map[int64]bool, len(list))
	err := tx.QueryRows(ctx, sql, batch, database.PutKeys(pending), now.UnixMicro())
	return pending, err
}

func markDead(ctx context.Context, tx store.Tx, deliveryID DeliveryID, now time.Time) error {
	_, err := tx.Exec(ctx, markDeadSQL, deliveryID, now.UnixMicro())
	return err
}

func markHeld(ctx context.Context, tx store.Tx, receiver int64, now time.Time) error {
	return database.Exec(ctx, tx, markHeldSQL, receiver, now.UnixMicro())
}
