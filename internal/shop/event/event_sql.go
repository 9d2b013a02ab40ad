package event

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
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
SELECT sequence, id, type, payload, created_at, receiver_key
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

func selectFeed(ctx context.Context, tx store.Tx, after, limit int64) (list []Event, err error) {
	err = database.QueryEach(ctx, tx, selectFeedSQL, []any{after, limit}, database.AppendScanned(&list, scanEvent))
	return list, err
}

// BySequence returns an event of a store, or fault.NotFound.
func BySequence(ctx context.Context, tx store.Tx, sequence int64) (Event, error) {
	return store.SelectOne(ctx, tx, selectBySequenceSQL, []any{sequence}, "event", scanEvent)
}

// ListFrom returns up to limit events in the order of their sequences, starting with the given sequence. It stops
// earlier after the event with which the total size of the payloads reaches maxBytes.
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
	var receiver *int64
	err = rows.Scan(&e.Sequence, &e.ID, &e.Type, &e.Payload, database.Time(&e.CreatedAt), &receiver)
	e.ForOneReceiver = receiver != nil
	return e, err
}

// Insert adds one event and returns its sequence. If receiver is not nil, the event is sent only to the receiver with
// this key, and the feed does not list it. Insert does not call Deps.Wake. It locks the store's row of event_sequences
// until the commit.
func Insert(
	ctx context.Context, tx store.Tx, eventID ID, eventType string, payload []byte, receiver *int64, now time.Time,
) (sequence int64, err error) {
	defer fault.AddContext(&err, "emit %s", eventType)
	if err := database.QueryRow(ctx, tx, nextSequenceSQL, nil, &sequence); err != nil {
		return 0, err
	}
	return sequence, tx.ExecLater(ctx, insertEventSQL, nil, sequence, eventID, eventType, payload, receiver,
		now.UnixMicro())
}
