package event

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
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

const selectEventsSQL = `
SELECT sequence, id, type, payload, created_at
FROM events
WHERE store_id = $1`

const selectFeedSQL = selectEventsSQL + `
  AND sequence > $2
  AND receiver_key IS NULL
ORDER BY sequence
LIMIT $3`

const selectBySequenceSQL = selectEventsSQL + `
  AND sequence = $2`

const selectFromSQL = selectEventsSQL + `
  AND sequence >= $2
ORDER BY sequence
LIMIT $3`

func selectFeed(ctx context.Context, tx store.Tx, after, limit int64) ([]Event, error) {
	return readEvents(ctx, tx.Unscoped(), selectFeedSQL, tx.StoreID(), after, limit)
}

func selectBySequence(ctx context.Context, tx store.Tx, sequence int64) ([]Event, error) {
	return readEvents(ctx, tx.Unscoped(), selectBySequenceSQL, tx.StoreID(), sequence)
}

func readEvents(ctx context.Context, q database.Querier, sql string, args ...any) (list []Event, err error) {
	err = database.QueryEach(ctx, q, sql, args, func(rows database.Rows) error {
		e, err := scanEvent(rows)
		list = append(list, e)
		return err
	})
	return list, err
}

// ListFrom returns events in the order of their sequences, starting with the given one. It returns up to limit events,
// and stops after the event with which the payloads reach maxBytes.
func ListFrom(ctx context.Context, tx store.Tx, sequence int64, limit, maxBytes int) (list []*Event, err error) {
	err = database.QueryEach(ctx, tx, selectFromSQL, []any{sequence, limit}, func(rows database.Rows) error {
		e, err := scanEvent(rows)
		if err != nil {
			return err
		}
		list = append(list, &e)
		if maxBytes -= len(e.Payload); maxBytes <= 0 {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return list, err
}

// errStop stops QueryEach before the last row.
var errStop = errors.New("stop reading rows")

func scanEvent(rows database.Rows) (e Event, err error) {
	var created int64
	err = rows.Scan(&e.Sequence, &e.ID, &e.Type, &e.Payload, &created)
	e.CreatedAt = time.UnixMicro(created).UTC()
	return e, err
}

// insertEvent increments the store's sequence and inserts the event with it. This locks the store's row of
// event_sequences until the commit.
func insertEvent(
	ctx context.Context, tx store.Tx, eventType string, payload []byte, receiver *int64, now time.Time,
) (sequence int64, err error) {
	if err := database.QueryRow(ctx, tx, nextSequenceSQL, nil, &sequence); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, insertEventSQL, sequence, id.New[Event](), eventType, payload, receiver, now.UnixMicro())
	return sequence, err
}
