package event

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectEventsSQL = `
SELECT sequence, id, type, payload, created_at
FROM events
WHERE store_id = $1`

const feedSQL = selectEventsSQL + `
  AND sequence > $2
  AND receiver_key IS NULL
ORDER BY sequence
LIMIT $3`

const eventBySequenceSQL = selectEventsSQL + `
  AND sequence = $2`

func feedAfter(ctx context.Context, q database.Querier, storeID store.ID, after, limit int64) ([]Event, error) {
	return readEvents(ctx, q, feedSQL, storeID, after, limit)
}

func eventsBySequence(ctx context.Context, q database.Querier, storeID store.ID, sequence int64) ([]Event, error) {
	return readEvents(ctx, q, eventBySequenceSQL, storeID, sequence)
}

func readEvents(ctx context.Context, q database.Querier, sql string, args ...any) (list []Event, err error) {
	err = database.Each(ctx, q, sql, args, func(rows database.Rows) error {
		var e Event
		var created int64
		err := rows.Scan(&e.Sequence, &e.ID, &e.Type, &e.Payload, &created)
		e.CreatedAt = time.UnixMicro(created).UTC()
		list = append(list, e)
		return err
	})
	return list, err
}
