package catalog

import (
	"context"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

// Both are looked up for each key in turn: a planner that has not counted the tables yet would otherwise hold each remainder against each key.
const settleAvailableSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET available = f.available
FROM (
	SELECT
		(SELECT v.key FROM variants v WHERE v.store_id = $1 AND v.key = r.key) AS key,
		(SELECT SUM(CASE WHEN m.quantity > m.reserved THEN m.quantity - m.reserved ELSE 0 END)
		FROM remainders m
		WHERE m.store_id = $1
		  AND m.variant_key = r.key) AS available
	FROM r) AS f
WHERE variants.key = f.key`

// settleAvailable brings what is left of variants, in all stocks together, in line with their remainders: NULL without any. The caller
// holds the rows of their products.
func settleAvailable(ctx context.Context, q database.Querier, storeID store.ID, variantKeys []int64) error {
	_, err := q.ExecRows(ctx, settleAvailableSQL, keyBatch(variantKeys), storeID)
	return err
}
