package admin

import (
	"context"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const fillEventSQL = `
INSERT INTO events (store_id, sequence, id, type, payload, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`

const fillDeliveriesSQL = `
WITH r(id, status, stranded, created_at) AS (ROWS)
INSERT INTO deliveries (store_id, id, receiver_key, sequence, type, status, stranded, attempts_count,
	last_status_code, next_attempt_at, created_at, updated_at)
SELECT $1, id, $2, $3, $4, status, stranded = 1, 1, 200, NULL, created_at, created_at
FROM r`

const dropDeliveriesEventSQL = `
DROP INDEX deliveries_event`

// fillDeliveries registers two receivers and inserts deliveries of both, of which one in a thousand is dead. They are
// all of one event: the index that forbids this is dropped. It returns the id of the first receiver.
func fillDeliveries(ctx context.Context, s *harness.Server, n int) (receiver string, err error) {
	now := time.Now()
	var receivers [2]webhook.Receiver

	err = s.App.DB.Write(ctx, func(q database.Querier) (err error) {
		tx := store.In(q, s.Keys.StoreID)
		for i, address := range []string{"http://localhost:1/north", "http://localhost:1/south"} {
			receivers[i], _, err = s.App.Webhooks.CreateReceiver(ctx, tx,
				webhook.ReceiverEdit{URL: &address, Types: &[]string{event.OrderSubmitted}})
			if err != nil {
				return err
			}
		}

		if err := database.Exec(ctx, q, dropDeliveriesEventSQL); err != nil {
			return err
		}

		return database.Exec(ctx, tx, fillEventSQL, 1, id.New[event.Event](), event.Test, []byte("{}"), now.UnixMicro())
	})

	const batchRows = 5000
	for from := 0; from < n && err == nil; from += batchRows {
		err = s.App.DB.Write(ctx, func(q database.Querier) error {
			batch := database.NewBatch(database.UUID, database.Text, database.BigInt, database.BigInt)
			for i := from; i < min(n, from+batchRows); i++ {
				status := webhook.Delivered
				stranded := 0
				if i%1000 == 0 {
					status = webhook.Dead
					stranded = 1
				}
				batch.Add(id.New[webhook.Delivery](), string(status), stranded,
					now.Add(time.Duration(i-n)*time.Second).UnixMicro())
			}

			_, err := store.In(q, s.Keys.StoreID).ExecRows(ctx, fillDeliveriesSQL, batch,
				receivers[from/batchRows%2].Key, 1, event.OrderSubmitted)
			return err
		})
	}

	return receivers[0].ID.String(), err
}
