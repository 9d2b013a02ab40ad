package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// WHERE TRUE is for SQLite, whose parser would otherwise take ON for a join condition.
const insertValuesIfFreeSQL = insertValuesSQL + `
WHERE TRUE
ON CONFLICT (store_id, attribute_key, external_id) WHERE external_id IS NOT NULL DO NOTHING
RETURNING id`

// IS NOT NULL lets PostgreSQL use the partial index on external_id; attribute_key + 0 excludes an index on that column.
// See docs/planner.md.
const takenValueExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT r.external_id
FROM r
WHERE (
	SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1 AND v.attribute_key + 0 = $2 AND v.external_id = r.external_id AND v.external_id IS NOT NULL) IS NOT NULL`

const clearValueExternalIDsSQL = `
WITH r(key) AS (ROWS)
UPDATE attribute_values
SET external_id = NULL
WHERE key IN (SELECT (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) FROM r)`

const setValueExternalIDsSQL = `
WITH r(key, external_id) AS (ROWS)
UPDATE attribute_values
SET external_id = f.external_id
FROM (
	SELECT r.external_id, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`

// insertValues inserts new values of an attribute. at is in microseconds.
func insertValues(ctx context.Context, tx store.Tx, attributeKey int64, added *database.Batch, at int64) error {
	_, err := tx.ExecRows(ctx, insertValuesSQL, added, attributeKey, at)
	return err
}

// insertValuesIfFree is like insertValues but skips values whose external id is taken within the attribute. It returns
// the ids of the inserted values.
func insertValuesIfFree(
	ctx context.Context, tx store.Tx, attributeKey int64, added *database.Batch, at int64,
) (map[ValueID]bool, error) {
	written := make(map[ValueID]bool, added.Len())
	err := tx.QueryRows(ctx, insertValuesIfFreeSQL, added, func(rows database.Rows) error {
		var i ValueID
		err := rows.Scan(&i)
		written[i] = true
		return err
	}, attributeKey, at)
	return written, err
}

// takenValueExternalIDs returns those of the external ids that values of the attribute have.
func takenValueExternalIDs(
	ctx context.Context, tx store.Tx, attributeKey int64, externalIDs *database.Batch,
) (map[string]bool, error) {
	taken := map[string]bool{}
	err := tx.QueryRows(ctx, takenValueExternalIDsSQL, externalIDs, func(rows database.Rows) error {
		var externalID string
		err := rows.Scan(&externalID)
		taken[externalID] = true
		return err
	}, attributeKey)
	return taken, err
}

func clearValueExternalIDs(ctx context.Context, tx store.Tx, released *database.Batch) error {
	_, err := tx.ExecRows(ctx, clearValueExternalIDsSQL, released)
	return err
}

func setValueExternalIDs(ctx context.Context, tx store.Tx, given *database.Batch) error {
	_, err := tx.ExecRows(ctx, setValueExternalIDsSQL, given)
	return err
}
