package event

import (
	"bytes"
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

const selectByIDsSQL = `
WITH r(id) AS (ROWS)
SELECT e.sequence, e.id, e.type, e.payload, e.created_at, e.receiver_key
FROM r
CROSS JOIN LOOKUP (events e WHERE e.store_id = $1 AND e.id = r.id)
ORDER BY e.sequence`

// selectInquiryEventsSQL reads the events whose ids were created soon after the id of an inquiry.
const selectInquiryEventsSQL = `
WITH r(id_from, id_before) AS (ROWS)
SELECT e.sequence, e.id, e.type, e.payload, e.created_at, e.receiver_key
FROM r
CROSS JOIN LOOKUP (events e WHERE e.store_id = $1 AND e.id >= r.id_from AND e.id < r.id_before)
WHERE e.type = 'feedback.submitted'
   OR e.type = 'callback.submitted'
ORDER BY e.sequence`

const updatePayloadsSQL = `
WITH r(sequence, payload) AS (ROWS)
UPDATE events
SET payload = r.payload
FROM r
WHERE events.store_id = $1
  AND events.sequence = r.sequence`

func selectByIDs(ctx context.Context, tx store.Tx, ids []ID) (list []Event, err error) {
	err = tx.QueryRows(ctx, selectByIDsSQL, database.BatchOf(database.UUID, ids),
		database.AppendScanned(&list, scanEvent))
	return list, err
}

// selectInquiryEvents returns the events whose payload is an inquiry with one of the ids. Payloads begin with the id.
func selectInquiryEvents(ctx context.Context, tx store.Tx, about [][16]byte) (list []Event, err error) {
	batch := database.NewBatch(database.UUID, database.UUID)
	starts, known := map[string]bool{}, map[int64]bool{}
	for _, inquiryID := range about {
		first, last := idRange(inquiryID)
		batch.Add(first, last)
		starts[string(payloadStart(inquiryID))] = true
	}

	size := len(payloadStart([16]byte{}))

	err = tx.QueryRows(ctx, selectInquiryEventsSQL, batch, func(rows database.Rows) error {
		e, err := scanEvent(rows)
		if start := e.Payload[:min(size, len(e.Payload))]; err == nil && starts[string(start)] && !known[e.Sequence] {
			known[e.Sequence] = true
			e.Payload = bytes.Clone(e.Payload)
			list = append(list, e)
		}
		return err
	})

	return list, err
}

// payloadStart returns the beginning of the payload of an object with this id.
func payloadStart(objectID [16]byte) []byte {
	return append(id.Of[Event](objectID).Append([]byte(`{"id":"`)), '"')
}

// updatePayloads writes the payloads and returns the sequences of the events.
func updatePayloads(ctx context.Context, tx store.Tx, list []Event) (sequences []int64, err error) {
	batch := database.NewBatch(database.BigInt, database.Bytes)
	for i := range list {
		batch.Add(list[i].Sequence, list[i].Payload)
		sequences = append(sequences, list[i].Sequence)
	}
	return sequences, database.ExecRows(ctx, tx, updatePayloadsSQL, batch)
}
