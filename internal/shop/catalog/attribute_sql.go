package catalog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

const attributeColumns = `key, id, external_id, kind, name, filterable, field_type, range_type, value_count, version, created_at, updated_at`

const selectAttributeSQL = `
SELECT ` + attributeColumns + `
FROM attributes
WHERE store_id = $1
  AND kind = $2
  AND id = $3`

const listAttributesSQL = `
SELECT ` + attributeColumns + `
FROM attributes
WHERE store_id = $1
  AND kind = $2`

const countAttributesSQL = `
SELECT COUNT(*)
FROM attributes
WHERE store_id = $1
  AND kind = $2`

const attributesVersionSQL = `
SELECT version
FROM attribute_versions
WHERE store_id = $1`

// This statement locks the store's row until the commit, so a transaction runs it last.
const raiseAttributesVersionSQL = `
INSERT INTO attribute_versions (store_id, version)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET version = attribute_versions.version + 1`

const insertAttributeSQL = `
INSERT INTO attributes (store_id, id, external_id, kind, name, words, filterable, field_type, range_type, value_count, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
RETURNING key`

const updateAttributeSQL = `
UPDATE attributes
SET external_id = $3, name = $4, words = $5, filterable = $6, field_type = $7, range_type = $8, value_count = $9, version = $10, updated_at = $11,
	pushed = NULL
WHERE store_id = $1
  AND key = $2`

const deleteAttributeSQL = `
DELETE FROM attributes
WHERE store_id = $1
  AND key = $2`

const listValuesSQL = `
SELECT id, external_id, name, created_at, updated_at
FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2
ORDER BY key`

const pageValuesSQL = listValuesSQL + `
LIMIT $3 OFFSET $4`

// On SQLite the order of tables in a CROSS JOIN is the join order. See docs/planner.md.
const listValuesOfSQL = `
WITH r(key) AS (ROWS)
SELECT v.attribute_key, v.id, v.external_id, v.name, v.created_at, v.updated_at
FROM r
CROSS JOIN attribute_values v
WHERE v.store_id = $1
  AND v.attribute_key = r.key
ORDER BY v.attribute_key, v.key`

const insertValuesSQL = `
WITH r(id, external_id, name, number) AS (ROWS)
INSERT INTO attribute_values (store_id, attribute_key, id, external_id, name, number, created_at, updated_at)
SELECT $1, $2, id, external_id, name, number, $3, $3
FROM r`

// Rows are looked up by key, one at a time, here and in the statements below: with stale statistics PostgreSQL would
// choose a nested loop over full scans. See docs/planner.md.
//
// A value that this edit has already written has the edit's time as updated_at, so a second rename in the same request
// matches no row.
const renameValuesSQL = `
WITH r(key, name, number) AS (ROWS)
UPDATE attribute_values
SET name = f.name, number = f.number, updated_at = $2
FROM (
	SELECT r.name, r.number, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key AND v.updated_at < $2) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`

// The values are looked up by id, one at a time. The condition on attribute_key is checked on the row, so that no index
// on that column is used. See docs/planner.md.
const valueKeysByIDSQL = `
WITH r(id) AS (ROWS)
SELECT r.id, (SELECT CASE WHEN v.attribute_key = $2 THEN v.key END FROM attribute_values v WHERE v.store_id = $1 AND v.id = r.id)
FROM r`

const deleteValuesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM attribute_values
WHERE key IN (SELECT (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) FROM r)`

const deleteAllValuesSQL = `
DELETE FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2`

const clearNumbersSQL = `
UPDATE attribute_values
SET number = NULL
WHERE store_id = $1
  AND attribute_key = $2
  AND number IS NOT NULL`

// untouchedValuesSQL reads one chunk of the values that an edit has not written.
const untouchedValuesSQL = `
SELECT key, name
FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2
  AND key > $3
  AND updated_at < $4
ORDER BY key
LIMIT $5`

const setNumbersSQL = `
WITH r(key, number) AS (ROWS)
UPDATE attribute_values
SET number = f.number
FROM (
	SELECT r.number, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`

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

func scanAttribute(rows database.Rows) (Attribute, error) {
	var a Attribute
	var rangeType *string
	err := rows.Scan(&a.Key, &a.ID, &a.ExternalID, (*string)(&a.Kind), &a.Name, &a.Filterable, (*string)(&a.FieldType),
		&rangeType, &a.ValueCount, &a.Version, database.Time(&a.CreatedAt), database.Time(&a.UpdatedAt))
	if rangeType != nil {
		a.RangeType = RangeType(*rangeType)
	}
	return a, err
}

func selectAttribute(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, lock rowLock,
) (Attribute, error) {
	return store.SelectOne(ctx, tx, selectAttributeSQL+lock.clause(tx), []any{string(kind), attributeID},
		kind.Noun(), scanAttribute)
}

func listAttributes(
	ctx context.Context, tx store.Tx, kind Kind, search string, limit, offset int64,
) (list []Attribute, total int64, err error) {
	c := store.NewConditions(string(kind))
	c.AndSearch("words", search)
	counting := c.Args()
	// Reading one row more than the page shows whether there are more rows. If there are none, no COUNT is needed.
	sql := listAttributesSQL + c.String() + "\nORDER BY key" + c.LimitOffset(limit+1, offset)
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, scanAttribute))
	if err != nil {
		return nil, 0, err
	}
	if n := int64(len(list)); n <= limit && (n > 0 || offset == 0) {
		return list, offset + n, nil
	}
	err = database.QueryRow(ctx, tx, countAttributesSQL+c.String(), counting, &total)
	return list[:min(int64(len(list)), limit)], total, err
}

// attributesVersion returns the version of the store's attributes, or 0 if the store never had any.
func attributesVersion(ctx context.Context, tx store.Tx) (version int64, err error) {
	err = database.QueryRow(ctx, tx, attributesVersionSQL, nil, &version)
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

func raiseAttributesVersion(ctx context.Context, tx store.Tx) error {
	return exec(ctx, tx, raiseAttributesVersionSQL)
}

func insertAttribute(ctx context.Context, tx store.Tx, a *Attribute) error {
	at := a.CreatedAt.UnixMicro()
	err := database.QueryRow(ctx, tx, insertAttributeSQL, []any{
		a.ID, a.ExternalID, string(a.Kind), a.Name, locale.SearchText(a.Name), a.Filterable, string(a.FieldType),
		database.NullIfZero(string(a.RangeType)), a.ValueCount, a.Version, at, at,
	}, &a.Key)
	return attributeFault(err, a.Kind)
}

func updateAttribute(ctx context.Context, tx store.Tx, a *Attribute) error {
	return attributeFault(exec(ctx, tx, updateAttributeSQL, a.Key, a.ExternalID, a.Name, locale.SearchText(a.Name),
		a.Filterable, string(a.FieldType), database.NullIfZero(string(a.RangeType)), a.ValueCount, a.Version,
		a.UpdatedAt.UnixMicro()), a.Kind)
}

// attributeFault turns a violation of the unique index on external ids into fault.Conflict. It returns other errors
// unchanged.
func attributeFault(err error, kind Kind) error {
	if err != nil && database.ViolatesIndex(err, "attributes_external",
		"attributes.store_id, attributes.kind, attributes.external_id") {
		return externalIDTaken("external_id", kind.Noun()+" of this store")
	}
	return err
}

// valueKeysByID returns the keys of the attribute's values with these ids. Other ids are left out.
func valueKeysByID(ctx context.Context, tx store.Tx, attributeKey int64, ids []ValueID) (map[ValueID]int64, error) {
	keys := make(map[ValueID]int64, len(ids))
	err := tx.QueryRows(ctx, valueKeysByIDSQL, database.BatchOf(database.UUID, ids), func(rows database.Rows) error {
		var i ValueID
		var key *int64
		err := rows.Scan(&i, &key)
		if key != nil {
			keys[i] = *key
		}
		return err
	}, attributeKey)
	return keys, err
}

// deleteAttribute deletes an attribute with its values.
func deleteAttribute(ctx context.Context, tx store.Tx, attributeKey int64) error {
	return execEach(ctx, tx, []string{deleteAllValuesSQL, deleteAttributeSQL}, attributeKey)
}

func scanValue(rows database.Rows, v *Value, before ...any) error {
	return rows.Scan(append(before, &v.ID, &v.ExternalID, &v.Name, database.Time(&v.CreatedAt),
		database.Time(&v.UpdatedAt))...)
}

func scanValues(fn func(Value) error) func(database.Rows) error {
	var v Value
	return func(rows database.Rows) error {
		if err := scanValue(rows, &v); err != nil {
			return err
		}
		return fn(v)
	}
}

// EachValue calls fn for each value of an attribute in order.
func (s *Attributes) EachValue(ctx context.Context, tx store.Tx, a Attribute, fn func(Value) error) (err error) {
	defer fault.AddContext(&err, "read values of %s %s", a.Kind.Noun(), a.ID)
	return database.QueryEach(ctx, tx, listValuesSQL, []any{a.Key}, scanValues(fn))
}

// Values calls fn for each value on one page of an attribute's values.
func (s *Attributes) Values(
	ctx context.Context, tx store.Tx, a Attribute, limit, offset int64, fn func(Value) error,
) (err error) {
	defer fault.AddContext(&err, "read a page of values of %s %s", a.Kind.Noun(), a.ID)
	if offset >= a.ValueCount {
		return nil
	}
	return database.QueryEach(ctx, tx, pageValuesSQL, []any{a.Key, limit, offset}, scanValues(fn))
}

// EachValueOf reads the values of several attributes with one query, ordered by attribute key. attributeKeys must be
// sorted. The database sorts the rows in memory, so this is meant for short lists.
func (s *Attributes) EachValueOf(
	ctx context.Context, tx store.Tx, attributeKeys []int64, fn func(attributeKey int64, v Value) error,
) (err error) {
	defer fault.AddContext(&err, "read values of %d attributes", len(attributeKeys))
	var v Value
	var key int64
	return queryByKey(ctx, tx, listValuesOfSQL, attributeKeys, func(rows database.Rows) error {
		if err := scanValue(rows, &v, &key); err != nil {
			return err
		}
		return fn(key, v)
	})
}

// insertValues inserts new values of an attribute. at is in microseconds.
func insertValues(ctx context.Context, tx store.Tx, attributeKey int64, added *database.Batch, at int64) error {
	return execRows(ctx, tx, insertValuesSQL, added, attributeKey, at)
}

// insertValuesIfFree is like insertValues but skips values whose external id is taken within the attribute. It returns
// the ids of the inserted values.
func insertValuesIfFree(
	ctx context.Context, tx store.Tx, attributeKey int64, added *database.Batch, at int64,
) (map[ValueID]bool, error) {
	inserted := make(map[ValueID]bool, added.Len())
	err := tx.QueryRows(ctx, insertValuesIfFreeSQL, added, addToSet(inserted), attributeKey, at)
	return inserted, err
}

// takenValueExternalIDs returns those of the external ids that values of the attribute have.
func takenValueExternalIDs(
	ctx context.Context, tx store.Tx, attributeKey int64, externalIDs []string,
) (map[string]bool, error) {
	taken := map[string]bool{}
	err := tx.QueryRows(ctx, takenValueExternalIDsSQL, database.BatchOf(database.Text, externalIDs), addToSet(taken),
		attributeKey)
	return taken, err
}

func clearValueExternalIDs(ctx context.Context, tx store.Tx, keys []int64) error {
	return execRows(ctx, tx, clearValueExternalIDsSQL, database.BatchOf(database.BigInt, keys))
}

func setValueExternalIDs(ctx context.Context, tx store.Tx, given *database.Batch) error {
	return execRows(ctx, tx, setValueExternalIDsSQL, given)
}

// renameValues writes new names of values and returns the number of rows written. at is in microseconds.
func renameValues(ctx context.Context, tx store.Tx, renamed *database.Batch, at int64) (int64, error) {
	return tx.ExecRows(ctx, renameValuesSQL, renamed, at)
}

// deleteValues deletes values by key and returns the number of rows deleted.
func deleteValues(ctx context.Context, tx store.Tx, keys []int64) (int64, error) {
	return tx.ExecRows(ctx, deleteValuesSQL, database.BatchOf(database.BigInt, keys))
}

// clearNumbers clears the numbers of all values of an attribute.
func clearNumbers(ctx context.Context, tx store.Tx, attributeKey int64) error {
	return exec(ctx, tx, clearNumbersSQL, attributeKey)
}

// setNumbers writes the numbers of a batch of values.
func setNumbers(ctx context.Context, tx store.Tx, numbers *database.Batch) error {
	return execRows(ctx, tx, setNumbersSQL, numbers)
}

// storedName is the name of a stored value.
type storedName struct {
	key  int64
	name string
}

// untouchedValues reads at most chunkSize values of an attribute, in the order of their keys, whose keys are greater
// than after and that were last written before the attribute's UpdatedAt.
func untouchedValues(ctx context.Context, tx store.Tx, a *Attribute, after int64) (list []storedName, err error) {
	args := []any{a.Key, after, a.UpdatedAt.UnixMicro(), chunkSize}
	err = database.QueryEach(ctx, tx, untouchedValuesSQL, args,
		database.AppendScanned(&list, func(rows database.Rows) (v storedName, err error) {
			err = rows.Scan(&v.key, &v.name)
			return v, err
		}))
	return list, err
}
