package webhook

const nextSequenceSQL = `
INSERT INTO event_sequences (store_id, last)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET last = event_sequences.last + 1
RETURNING last`

const insertEventSQL = `
INSERT INTO events (store_id, sequence, id, type, payload, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`
