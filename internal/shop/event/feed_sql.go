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

func selectAfter(ctx context.Context, q database.Querier, storeID store.ID, after, limit int64) ([]Event, error) {
	return readAll(ctx, q, feedSQL, storeID, after, limit)
}

func selectBySequence(ctx context.Context, q database.Querier, storeID store.ID, sequence int64) ([]Event, error) {
	return readAll(ctx, q, eventBySequenceSQL, storeID, sequence)
}

func readAll(ctx context.Context, q database.Querier, sql string, args ...any) (list []Event, err error) {
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
