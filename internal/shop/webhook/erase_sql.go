package webhook

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// forgetResponsesSQL has the store's id beside each key; see docs/planner.md.
const forgetResponsesSQL = `
WITH r(sequence) AS (ROWS), k(store_id, delivery_key) AS MATERIALIZED (
	SELECT d.store_id, d.key
	FROM r
	CROSS JOIN LOOKUP (deliveries d WHERE d.store_id = $1 AND d.sequence = r.sequence))
UPDATE attempts
SET excerpt = ''
WHERE (store_id, delivery_key) IN (SELECT store_id, delivery_key FROM k)`

// ForgetResponses deletes what receivers have responded to these events, since a response may repeat the payload.
func ForgetResponses(ctx context.Context, tx store.Tx, sequences []int64) error {
	return database.ExecRows(ctx, tx, forgetResponsesSQL, database.BatchOf(database.BigInt, sequences))
}
