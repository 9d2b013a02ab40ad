package event

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const nextSequenceSQL = `
INSERT INTO event_sequences (store_id, last)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET last = event_sequences.last + 1
RETURNING last`

const insertEventSQL = `
INSERT INTO events (store_id, sequence, id, type, payload, receiver_key, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

const eventsFromSQL = `
SELECT sequence, id, type, payload, created_at
FROM events
WHERE store_id = $1
  AND sequence >= $2
ORDER BY sequence
LIMIT $3`

// ListFrom reads events from a number on: most at most, and no further once their payloads have that many bytes.
func ListFrom(ctx context.Context, q database.Querier, storeID store.ID, sequence int64, most, bytes int) (list []*Event, err error) {
	err = database.Each(ctx, q, eventsFromSQL, []any{storeID, sequence, most}, func(rows database.Rows) error {
		var e Event
		var created int64
		if err := rows.Scan(&e.Sequence, &e.ID, &e.Type, &e.Payload, &created); err != nil {
			return err
		}
		e.CreatedAt = time.UnixMicro(created).UTC()
		list = append(list, &e)
		if bytes -= len(e.Payload); bytes <= 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

// errEnough ends the reading of rows that are no longer wanted.
var errEnough = errors.New("enough was read")
