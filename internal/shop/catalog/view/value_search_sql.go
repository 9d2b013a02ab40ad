package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// firstValuesSQL has a batch of one key, so that the rows are read in the order of an index, up to the limit.
const firstValuesSQL = `
WITH r(key) AS (ROWS)
SELECT v.id, v.external_id, v.name, v.created_at, v.updated_at
FROM attribute_values v
WHERE v.store_id = $1
  AND v.attribute_key = (SELECT r.key FROM r)
  AND v.deleted_at IS NULL
ORDER BY v.key
LIMIT $2`

func firstValues(
	ctx context.Context, tx store.Tx, list []catalog.Attribute, limit int64,
) (map[catalog.AttributeID][]catalog.Value, error) {
	found := make(map[catalog.AttributeID][]catalog.Value, len(list))
	queries := make([]database.BatchQuery, len(list))
	for i, a := range list {
		queries[i] = database.BatchQuery{SQL: firstValuesSQL, Batch: write.KeyBatch([]int64{a.Key}), Args: []any{limit},
			Each: catalog.ScanValues(func(v catalog.Value) error {
				found[a.ID] = append(found[a.ID], v)
				return nil
			})}
	}
	return found, tx.QueryAll(ctx, queries...)
}
