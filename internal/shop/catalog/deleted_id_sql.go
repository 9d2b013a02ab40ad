package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// DeletedIDRetention is how long it is known that an external id is gone.
const DeletedIDRetention = 90 * 24 * time.Hour

const insertDeletedIDsSQL = `
WITH r(entity, parent_id, external_id) AS (ROWS)
INSERT INTO deleted_ids (store_id, entity, parent_id, external_id, deleted_at)
SELECT $1, entity, parent_id, external_id, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, entity, parent_id, external_id) DO UPDATE
SET deleted_at = excluded.deleted_at, source_version = NULL`

const setDeletedVersionsSQL = `
WITH r(external_id, version) AS (ROWS)
UPDATE deleted_ids
SET source_version = r.version
FROM r
WHERE (deleted_ids.store_id = $1) IS TRUE
  AND deleted_ids.entity = $2
  AND deleted_ids.parent_id = ''
  AND deleted_ids.external_id = r.external_id`

// deletedVersionsSQL is completed by one of ExistsSQL.
const deletedVersionsSQL = `
WITH r(external_id) AS (ROWS)
SELECT d.external_id, d.source_version
FROM r
CROSS JOIN LOOKUP (deleted_ids d WHERE d.store_id = $1 AND d.entity = $2 AND d.parent_id = ''
	AND d.external_id = r.external_id)
WHERE d.source_version IS NOT NULL
  AND NOT EXISTS (`

const insertDeletedValuesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO deleted_ids (store_id, entity, parent_id, external_id, deleted_at)
SELECT $1, CASE WHEN a.kind = 'option' THEN 'variant-options' ELSE 'features' END, a.external_id, v.external_id, $2
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = r.key AND v.external_id IS NOT NULL)
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.key = v.attribute_key AND a.external_id IS NOT NULL)
WHERE TRUE
ON CONFLICT (store_id, entity, parent_id, external_id) DO UPDATE
SET deleted_at = excluded.deleted_at`

// The time of the mark always grows, so that a reader that compares it with an earlier one notices each change.
const markReferencesSQL = `
INSERT INTO deleted_ids (store_id, entity, parent_id, external_id, deleted_at)
VALUES ($1, 'references', '', '', $2)
ON CONFLICT (store_id, entity, parent_id, external_id) DO UPDATE
SET deleted_at = CASE WHEN deleted_ids.deleted_at < excluded.deleted_at THEN excluded.deleted_at
	ELSE deleted_ids.deleted_at + 1 END`

const referencesMarkSQL = `
SELECT deleted_at
FROM deleted_ids
WHERE store_id = $1
  AND entity = 'references'
  AND parent_id = ''
  AND external_id = ''`

const pruneDeletedIDsSQL = `
DELETE FROM deleted_ids
WHERE (store_id, entity, parent_id, external_id) IN (
	SELECT store_id, entity, parent_id, external_id
	FROM deleted_ids
	WHERE deleted_at < $1
	  AND entity <> 'references'
	ORDER BY deleted_at
	LIMIT $2)`

// DeletedIDsSQL is completed by one of ExistsSQL.
const DeletedIDsSQL = `
SELECT d.external_id
FROM deleted_ids d
WHERE d.store_id = $1
  AND d.entity = $2
  AND d.deleted_at >= $3
  AND d.parent_id = ''
  AND NOT EXISTS (`

// ExistsSQL finds a thing that has the external id of a record d again.
var ExistsSQL = map[Entity]string{
	ProductEntity: `SELECT 1 FROM products x WHERE x.store_id = $1 AND x.external_id = d.external_id`,
	OptionEntity: `SELECT 1 FROM attributes x
		WHERE x.store_id = $1 AND x.kind = 'option' AND x.external_id = d.external_id AND x.external_id IS NOT NULL`,
	FeatureEntity: `SELECT 1 FROM attributes x
		WHERE x.store_id = $1 AND x.kind = 'feature' AND x.external_id = d.external_id AND x.external_id IS NOT NULL`,
	CategoryEntity: `SELECT 1 FROM categories x
		WHERE x.store_id = $1 AND x.external_id = d.external_id AND x.external_id IS NOT NULL`,
	StockEntity: `SELECT 1 FROM stocks x WHERE x.store_id = $1 AND x.external_id = d.external_id`,
	PriceListEntity: `SELECT 1 FROM price_lists x
		WHERE x.store_id = $1 AND x.external_id = d.external_id AND x.awaited_since IS NULL`,
}

// The values of an attribute are read together; the last condition leaves out those that exist again.
const DeletedValuesSQL = `
WITH r(external_id) AS (ROWS)
SELECT d.parent_id, d.external_id
FROM r
CROSS JOIN LOOKUP (deleted_ids d WHERE d.store_id = $1 AND d.entity = $2 AND d.parent_id = r.external_id)
WHERE d.deleted_at >= $3
  AND (SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1
	  AND v.external_id = d.external_id
	  AND v.external_id IS NOT NULL
	  AND v.attribute_key = (
		SELECT a.key FROM attributes a
		WHERE a.store_id = $1 AND a.kind = $4 AND a.external_id = d.parent_id AND a.external_id IS NOT NULL)) IS NULL
ORDER BY d.parent_id, d.external_id`

// InsertDeletedIDs records external ids that are gone. The batch has entities, external ids of parents, and external
// ids.
func InsertDeletedIDs(ctx context.Context, tx store.Tx, batch *database.Batch, at time.Time) error {
	return database.ExecRows(ctx, tx, insertDeletedIDsSQL, batch, at.UnixMicro())
}

// ValuesGone records the external ids of values that are about to be deleted.
func ValuesGone(ctx context.Context, tx store.Tx, keys []int64, at int64) error {
	return write.ExecByKey(ctx, tx, insertDeletedValuesSQL, keys, at)
}

// ReferencesMark returns the time of the last MarkReferences in microseconds, or 0.
func ReferencesMark(ctx context.Context, tx store.Tx) (at int64, err error) {
	err = database.QueryRow(ctx, tx, referencesMarkSQL, nil, &at)
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return at, err
}

func insertReferencesMark(ctx context.Context, tx store.Tx, at time.Time) error {
	return database.Exec(ctx, tx, markReferencesSQL, at.UnixMicro())
}

// pruneDeletedIDs deletes up to pruneChunkSize records that are older than a time in microseconds.
func pruneDeletedIDs(ctx context.Context, q database.Querier, before int64) (int64, error) {
	return q.Exec(ctx, pruneDeletedIDsSQL, before, pruneChunkSize)
}

// ItemVersions are the versions of items by their external ids; items without one are not in it.
type ItemVersions map[string]int64

// DeletedVersions returns the versions of the items that deleted things, for the ids in v that nothing has now.
func (v ItemVersions) DeletedVersions(ctx context.Context, tx store.Tx, entity Entity) (map[string]int64, error) {
	if len(v) == 0 {
		return nil, nil
	}
	deleted := map[string]int64{}
	sql := deletedVersionsSQL + ExistsSQL[entity] + ")"
	return deleted, tx.QueryRows(ctx, sql, write.TextBatch(slices.Sorted(maps.Keys(v))), database.PutPairs(deleted),
		string(entity))
}

// RecordDeletions records the versions of the items that have deleted things.
func (v ItemVersions) RecordDeletions(ctx context.Context, tx store.Tx, entity Entity) error {
	if len(v) == 0 {
		return nil
	}
	batch := database.NewBatch(database.Text, database.BigInt)
	for _, externalID := range slices.Sorted(maps.Keys(v)) {
		batch.Add(externalID, v[externalID])
	}
	return database.ExecRows(ctx, tx, setDeletedVersionsSQL, batch, string(entity))
}
