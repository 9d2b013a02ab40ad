package webhook

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const storesWithNewEventsSQL = `
SELECT s.store_id
FROM event_sequences s
WHERE s.last > COALESCE((SELECT f.sequence FROM event_fanouts f WHERE f.store_id = s.store_id), 0)
ORDER BY s.store_id`

const insertFanoutsSQL = `
WITH r(store_id) AS (ROWS)
INSERT INTO event_fanouts (store_id, sequence)
SELECT store_id, 0
FROM r
WHERE (SELECT COUNT(*) FROM event_fanouts f WHERE f.store_id = r.store_id) = 0
ON CONFLICT (store_id) DO NOTHING`

const lockFanoutsSQL = `
WITH r(store_id) AS (ROWS)
SELECT f.store_id, f.sequence
FROM r
CROSS JOIN event_fanouts f
WHERE f.store_id = r.store_id
ORDER BY f.store_id`

// Sequences have no gaps, so the condition on r.last + $1 limits the number of events of each store to $1.
const eventsAfterSQL = `
WITH r(store_id, last) AS (ROWS)
SELECT e.store_id, e.sequence, e.type, e.receiver_key
FROM r
CROSS JOIN events e
WHERE e.store_id = r.store_id
  AND e.sequence > r.last
  AND e.sequence <= r.last + $1
ORDER BY e.store_id, e.sequence`

const receiversOfStoresSQL = `
WITH r(store_id, last) AS (ROWS)
SELECT c.store_id, c.key, c.id, c.types, c.enabled
FROM r
CROSS JOIN receivers c
WHERE c.store_id = r.store_id
ORDER BY c.store_id, c.key`

const insertDeliveriesSQL = `
WITH r(store_id, id, receiver_key, sequence, type, status, next_attempt_at, created_at) AS (ROWS)
INSERT INTO deliveries (store_id, id, receiver_key, sequence, type, status, stranded, attempts_count,
	next_attempt_at, created_at, updated_at)
SELECT store_id, id, receiver_key, sequence, type, status, status = 'held', 0, next_attempt_at, created_at, created_at
FROM r`

const saveFanoutsSQL = `
WITH r(store_id, sequence) AS (ROWS)
UPDATE event_fanouts
SET sequence = r.sequence
FROM r
WHERE event_fanouts.store_id = r.store_id`

// newEvent is an event that has no deliveries yet. If forOneReceiver is true, it is a test event, whose only delivery
// exists already.
type newEvent struct {
	storeID        store.ID
	sequence       int64
	eventType      string
	forOneReceiver bool
}

// newDelivery is a delivery to be inserted.
type newDelivery struct {
	storeID   store.ID
	id        DeliveryID
	receiver  int64
	sequence  int64
	eventType string
	status    Status
	at        time.Time
}

// storesWithNewEvents returns the stores that have events without deliveries.
func storesWithNewEvents(ctx context.Context, q database.Querier) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesWithNewEventsSQL, nil, database.AppendColumn(&list))
	return list, err
}

// lockFanouts locks the fan-out positions of stores until the transaction ends, and returns them. A position is the
// sequence of the last event whose deliveries were created. Stores that another transaction has locked are skipped.
func lockFanouts(ctx context.Context, q database.Querier, stores []store.ID) (map[store.ID]int64, error) {
	batch := database.BatchOf(database.UUID, stores)
	if err := database.ExecRows(ctx, q, insertFanoutsSQL, batch); err != nil {
		return nil, err
	}
	last := make(map[store.ID]int64, len(stores))
	err := q.QueryRows(ctx, lockFanoutsSQL+q.Dialect().ForUpdate+q.Dialect().SkipLocked, batch, database.PutPairs(last))
	return last, err
}

func sequenceBatch(last map[store.ID]int64) *database.Batch {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for storeID, sequence := range last {
		batch.Add(storeID, sequence)
	}
	return batch
}

// eventsAfter returns the next events of each store in the map last, up to limit per store: those whose sequences are
// greater than the store's sequence in the map.
func eventsAfter(
	ctx context.Context, q database.Querier, last map[store.ID]int64, limit int,
) (list []newEvent, err error) {
	err = q.QueryRows(ctx, eventsAfterSQL, sequenceBatch(last), func(rows database.Rows) error {
		var e newEvent
		var receiver *int64
		err := rows.Scan(&e.storeID, &e.sequence, &e.eventType, &receiver)
		e.forOneReceiver = receiver != nil
		list = append(list, e)
		return err
	}, limit)
	return list, err
}

// receiversOfStores returns the receivers of these stores, with only the fields that the fan-out needs.
func receiversOfStores(
	ctx context.Context, q database.Querier, last map[store.ID]int64,
) (map[store.ID][]Receiver, error) {
	receivers := map[store.ID][]Receiver{}
	err := q.QueryRows(ctx, receiversOfStoresSQL, sequenceBatch(last), func(rows database.Rows) error {
		var storeID store.ID
		var r Receiver
		var types string
		if err := rows.Scan(&storeID, &r.Key, &r.ID, &types, &r.Enabled); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(types), &r.Types); err != nil {
			return err
		}
		receivers[storeID] = append(receivers[storeID], r)
		return nil
	})
	return receivers, err
}

func insertDeliveries(ctx context.Context, q database.Querier, deliveries []newDelivery) error {
	batch := database.NewBatch(database.UUID, database.UUID, database.BigInt, database.BigInt, database.Text,
		database.Text, database.BigInt, database.BigInt)
	for i := range deliveries {
		d := &deliveries[i]
		var next *int64
		if d.status == Pending {
			next = new(d.at.UnixMicro())
		}
		batch.Add(d.storeID, d.id, d.receiver, d.sequence, d.eventType, string(d.status), next, d.at.UnixMicro())
	}
	return database.ExecRows(ctx, q, insertDeliveriesSQL, batch)
}

func saveFanouts(ctx context.Context, q database.Querier, last map[store.ID]int64) error {
	return database.ExecRows(ctx, q, saveFanoutsSQL, sequenceBatch(last))
}
