package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const nextDeliveriesSQL = `
SELECT store_id, key, id, status, created_at
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

// The first event of a store is its oldest one, so one lookup per store finds the stores with expired events.
const storesWithExpiredEventsSQL = `
SELECT f.store_id
FROM event_fanouts f
WHERE (SELECT e.created_at FROM events e WHERE e.store_id = f.store_id ORDER BY e.sequence LIMIT 1) < $1
ORDER BY f.store_id`

// Events after the fan-out position are kept: their deliveries are not created yet.
const nextEventsSQL = `
SELECT e.sequence, e.created_at
FROM events e
WHERE e.store_id = $1
  AND e.sequence > $2
  AND e.sequence <= (SELECT f.sequence FROM event_fanouts f WHERE f.store_id = $1)
ORDER BY e.sequence
LIMIT $3`

// The value is a number of eight bytes, so that the greater one comes later in the order of bytes. With retentions of
// different nodes the latest time counts.
const recordPrunedBeforeSQL = `
INSERT INTO meta (name, value)
VALUES ('events_pruned_before', $1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
WHERE meta.value < excluded.value`

const selectPrunedBeforeSQL = `
SELECT value
FROM meta
WHERE name = 'events_pruned_before'`

const deleteEventsSQL = `
DELETE FROM events
WHERE store_id = $1
  AND sequence > $2
  AND sequence <= $3
  AND created_at < $4
  AND (SELECT COUNT(*) FROM deliveries d WHERE d.store_id = events.store_id AND d.sequence = events.sequence) = 0`

// deleteDeliveries reads up to limit deliveries whose keys are greater than the parameter after, and deletes those that
// are not pending and were created earlier than the time before. It returns the deleted ones, the last key that it
// processed, and whether there may be more. Keys grow with the creation time, so a delivery that is too new ends the
// search. Rows locked by other transactions are skipped until the next Prune.
func deleteDeliveries(
	ctx context.Context, q database.Querier, before time.Time, after int64, limit int,
) (deleted []DeliveryID, last int64, more bool, err error) {
	batch := database.NewBatch(database.UUID, database.BigInt)
	old := 0
	last = after

	err = database.QueryEach(ctx, q, nextDeliveriesSQL+q.Dialect().ForUpdate+q.Dialect().SkipLocked,
		[]any{after, limit}, func(rows database.Rows) error {
			var storeID store.ID
			var key, created int64
			var deliveryID DeliveryID

			var status string
			if err := rows.Scan(&storeID, &key, &deliveryID, &status, &created); err != nil ||
				created >= before.UnixMicro() {
				return err
			}

			last = key
			old++

			if Status(status) != Pending {
				batch.Add(storeID, key)
				deleted = append(deleted, deliveryID)
			}

			return nil
		})
	if err != nil {
		return nil, after, false, err
	}

	if _, err := q.ExecRows(ctx, deleteAttemptsSQL, batch); err != nil {
		return nil, after, false, err
	}

	_, err = q.ExecRows(ctx, deleteDeliveriesSQL, batch)
	return deleted, last, old == limit, err
}

// recordPrunedBefore records that events which were created earlier than the time before may be deleted.
func recordPrunedBefore(ctx context.Context, q database.Querier, before time.Time) error {
	return database.Exec(ctx, q, recordPrunedBeforeSQL, binary.BigEndian.AppendUint64(nil,
		uint64(max(0, before.UnixMicro()))))
}

// PrunedBefore returns the time before which events may have been deleted because of their age, whatever the retention
// is now. It is 1970 if there was no retention yet.
func PrunedBefore(ctx context.Context, q database.Querier) (time.Time, error) {
	var value []byte
	err := database.QueryRow(ctx, q, selectPrunedBeforeSQL, nil, &value)
	if errors.Is(err, database.ErrNoRows) {
		return time.UnixMicro(0), nil
	}
	if err == nil && len(value) != 8 {
		err = fmt.Errorf("the time before which events are deleted has %d bytes", len(value))
	}
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMicro(int64(binary.BigEndian.Uint64(value))), nil
}

// storesWithExpiredEvents returns the stores whose first event was created earlier than the time before.
func storesWithExpiredEvents(ctx context.Context, q database.Querier, before time.Time) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesWithExpiredEventsSQL, []any{before.UnixMicro()},
		database.AppendColumn(&list))
	return list, err
}

// deleteEvents reads up to limit events of a store whose sequences are greater than the parameter after, and deletes
// those that were created earlier than the time before and have no deliveries. It returns the last sequence that it
// processed, and whether there may be more. Sequences grow with the creation time, so an event that is too new ends the
// search.
func deleteEvents(
	ctx context.Context, tx store.Tx, before time.Time, after int64, limit int,
) (last int64, more bool, err error) {
	last = after
	old := 0
	ended := false

	err = database.QueryEach(ctx, tx, nextEventsSQL, []any{after, limit}, func(rows database.Rows) error {
		var sequence, created int64
		err := rows.Scan(&sequence, &created)
		if ended = ended || created >= before.UnixMicro(); !ended && err == nil {
			last = sequence
			old++
		}
		return err
	})
	if err != nil || old == 0 {
		return after, false, err
	}

	_, err = tx.Exec(ctx, deleteEventsSQL, after, last, before.UnixMicro())
	return last, old == limit, err
}
