package push

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// IS NOT NULL, here and below, matches the condition of a partial index; see docs/planner.md.
const attributeDigestsSQL = `
WITH r(external_id) AS (ROWS)
SELECT a.key, a.external_id, a.pushed, a.source_version
FROM r
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.kind = $2 AND a.external_id = r.external_id
	AND a.external_id IS NOT NULL)`

const valuesOfAttributesSQL = `
WITH r(key) AS (ROWS)
SELECT v.attribute_key, v.external_id, v.name
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.attribute_key = r.key AND v.deleted_at IS NULL)`

const insertAttributesSQL = `
WITH r(id, external_id, name, words, filterable, field_type, range_type, value_count, created_at, pushed,
	source_version) AS (ROWS)
INSERT INTO attributes (store_id, kind, id, external_id, name, words, filterable, field_type, range_type,
	value_count, version, created_at, updated_at, pushed, source_version)
SELECT $1, $2, id, external_id, name, words, filterable, field_type, range_type, value_count, 1, created_at,
	created_at, pushed, source_version
FROM r
RETURNING key, external_id`

const updateAttributesSQL = `
WITH r(key, name, words, filterable, field_type, range_type, value_count, version, updated_at, pushed,
	source_version) AS (ROWS)
UPDATE attributes
SET name = r.name, words = r.words, filterable = r.filterable, field_type = r.field_type, range_type = r.range_type,
	value_count = r.value_count, version = r.version, updated_at = r.updated_at, pushed = r.pushed,
	source_version = COALESCE(r.source_version, attributes.source_version)
FROM r
WHERE attributes.store_id = $1
  AND attributes.key = r.key`

// compareValuesSQL looks for the value with the pushed external id. It returns 0 if the value has the pushed name, the
// key of the value if it has another name, and NULL if the attribute has no value with that id.
const compareValuesSQL = `
WITH r(n, attribute_key, external_id, name) AS (ROWS)
SELECT r.n, (
	SELECT CASE WHEN v.name = r.name THEN 0 ELSE v.key END FROM attribute_values v
	WHERE v.store_id = $1 AND v.attribute_key + 0 = r.attribute_key AND v.external_id = r.external_id
		AND v.external_id IS NOT NULL)
FROM r`

const renamePushedValuesSQL = `
WITH r(key, name, number, at) AS (ROWS)
UPDATE attribute_values
SET name = f.name, number = f.number, updated_at = f.at
FROM (
	SELECT r.name, r.number, r.at, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`

const insertPushedValuesSQL = `
WITH r(attribute_key, id, external_id, name, number, at) AS (ROWS)
INSERT INTO attribute_values (store_id, attribute_key, id, external_id, name, number, created_at, updated_at)
SELECT $1, attribute_key, id, external_id, name, number, at, at
FROM r`

// find sets the keys of the attributes that exist, and marks the items that are stale or equal their last push as
// Unchanged.
func (b *attributePushes) find(ctx context.Context) error {
	at := make(map[string]int, len(b.items))
	batch := database.NewBatch(database.Text)
	for i, p := range b.items {
		at[p.ID] = i
		batch.Add(p.ID)
	}

	b.raised = raisedVersions{}

	compare := func(rows database.Rows) error {
		var key int64
		var externalID string
		var pushed []byte

		var version *int64
		if err := rows.Scan(&key, &externalID, &pushed, &version); err != nil {
			return err
		}

		i := at[externalID]
		p, o := &b.items[i], &b.outcomes[i]
		o.Key = key
		if !o.leaveStale(p.Version, version) && bytes.Equal(pushed, p.Digest[:]) {
			o.Outcome = Unchanged
			b.raised.add(key, p.Version, version)
		}

		return nil
	}

	return b.tx.QueryRows(ctx, attributeDigestsSQL, batch, compare, string(b.kind))
}

// lock reads attributes and locks their rows for update.
func (b *attributePushes) lock(ctx context.Context, keys []int64) (map[int64]catalog.Attribute, error) {
	slices.Sort(keys)
	locked := make(map[int64]catalog.Attribute, len(keys))
	sql := catalog.LockedAttributesSQL + b.tx.Dialect().ForUpdate
	return locked, b.tx.QueryRows(ctx, sql, write.KeyBatch(keys), func(rows database.Rows) error {
		a, err := catalog.ScanAttribute(rows)
		locked[a.Key] = a
		return err
	})
}

// eachValue calls fn for each stored value of the attributes whose row keys are in the map at.
func (b *attributePushes) eachValue(
	ctx context.Context, at map[int64]*attributeWrite, fn func(attributeKey int64, externalID *string, name string),
) error {
	return b.tx.QueryRows(ctx, valuesOfAttributesSQL, write.KeyBatch(slices.Collect(maps.Keys(at))),
		write.EachTriple(fn))
}

// insert inserts the new attributes in the order of the push, with their final value counts, and sets their keys.
func (b *attributePushes) insert(ctx context.Context) error {
	at := map[string]*attributeWrite{}
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.Bool, database.Text,
		database.Text, database.BigInt, database.BigInt, database.Bytes, database.BigInt)
	for _, w := range b.writes {
		if !w.added {
			continue
		}
		at[w.push.ID] = w
		batch.Add(w.a.ID, w.push.ID, w.a.Name, locale.SearchText(w.a.Name), w.a.Filterable, string(w.a.FieldType),
			database.NullIfZero(string(w.a.RangeType)), len(w.push.Values), w.a.CreatedAt.UnixMicro(), w.push.Digest[:],
			w.push.Version)
	}

	return b.tx.QueryRows(ctx, insertAttributesSQL, batch, write.EachPair(func(key int64, externalID string) {
		w := at[externalID]
		w.a.Key, w.outcome.Key = key, key
	}), string(b.kind))
}

// update updates the attributes that existed before the push.
func (b *attributePushes) update(ctx context.Context) error {
	batch := database.NewBatch(database.BigInt, database.Text, database.Text, database.Bool, database.Text,
		database.Text, database.BigInt, database.BigInt, database.BigInt, database.Bytes, database.BigInt)
	var named []int64 // attributes that get another name

	for _, w := range b.writes {
		if !w.added {
			batch.Add(w.a.Key, w.a.Name, locale.SearchText(w.a.Name), w.a.Filterable, string(w.a.FieldType),
				database.NullIfZero(string(w.a.RangeType)), w.a.ValueCount, w.a.Version, w.a.UpdatedAt.UnixMicro(),
				w.push.Digest[:], w.push.Version)
		}
		if !w.added && w.a.Name != w.was.Name {
			named = append(named, w.a.Key)
		}
	}
	if err := write.TouchAttributes(ctx, b.tx, named); err != nil {
		return err
	}
	return database.ExecRows(ctx, b.tx, updateAttributesSQL, batch)
}

// compareValues is like PushedValueKeys, for a batch that also has names. fn gets key 0 for a value with the same name.
func compareValues(ctx context.Context, tx store.Tx, values *database.Batch, fn func(n int, key *int64)) error {
	return tx.QueryRows(ctx, compareValuesSQL, values, write.EachPair(fn))
}

// writePushedValues updates the renamed values and inserts the new ones.
func writePushedValues(ctx context.Context, tx store.Tx, renamed, added *database.Batch) error {
	return write.ExecAll(ctx, tx, write.Statement{SQL: renamePushedValuesSQL, Batch: renamed},
		write.Statement{SQL: insertPushedValuesSQL, Batch: added})
}
