package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const valuesInOrderSQL = `
SELECT key, id, name, number, position
FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2
  AND deleted_at IS NULL
ORDER BY position, key`

const setPositionsSQL = `
WITH r(key, position) AS (ROWS)
UPDATE attribute_values
SET position = f.position
FROM (
	SELECT r.position, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`

// valuesInOrder returns all values of an attribute, in their order.
func valuesInOrder(ctx context.Context, tx store.Tx, attributeKey int64) (values []orderedValue, err error) {
	err = database.QueryEach(ctx, tx, valuesInOrderSQL, []any{attributeKey},
		database.AppendScanned(&values, func(rows database.Rows) (v orderedValue, err error) {
			err = rows.Scan(&v.key, &v.id, &v.name, &v.number, &v.position)
			return v, err
		}))
	return values, err
}

// writePositions stores the order of values, from 1 on. Values that have their place already are not written.
func writePositions(ctx context.Context, tx store.Tx, values []orderedValue) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for i, v := range values {
		if place := int64(i + 1); v.position != place {
			batch.Add(v.key, place)
		}
	}
	return database.ExecRows(ctx, tx, setPositionsSQL, batch)
}
