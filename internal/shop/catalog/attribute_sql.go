package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

const AttributeColumns = `key, id, external_id, kind, name, filterable, field_type, range_type, value_count, ` +
	`ordered, version, created_at, updated_at`

const listAttributesSQL = `
SELECT ` + AttributeColumns + `
FROM attributes
WHERE store_id = $1
  AND kind = $2`

const selectAttributeSQL = listAttributesSQL + `
  AND id = $3`

const attributesByIDSQL = `
WITH r(wanted) AS (ROWS)
SELECT ` + AttributeColumns + `
FROM r
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.id = r.wanted AND a.kind = $2)`

const countAttributesSQL = `
SELECT COUNT(*)
FROM attributes
WHERE store_id = $1
  AND kind = $2`

const attributesVersionSQL = `
SELECT version, COALESCE((SELECT stamp FROM version_stamps AS t WHERE t.store_id = $1 AND t.part = 'attributes'
	AND t.version = v.version), 0)
FROM attribute_versions AS v
WHERE v.store_id = $1`

// This statement locks the store's row of attribute_versions until the commit, so a transaction runs it last.
const raiseAttributesVersionSQL = `
INSERT INTO attribute_versions (store_id, version, mark)
VALUES ($1, 1, MARK)
ON CONFLICT (store_id) DO UPDATE
SET version = attribute_versions.version + 1, mark = EXCLUDED.mark
RETURNING version`

const insertAttributeSQL = `
INSERT INTO attributes (store_id, id, external_id, kind, name, words, filterable, field_type, range_type,
	value_count, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
RETURNING key`

const updateAttributeSQL = `
UPDATE attributes
SET external_id = $3, name = $4, words = $5, filterable = $6, field_type = $7, range_type = $8, value_count = $9,
	version = $10, updated_at = $11,
	pushed = NULL, ordered = $12
WHERE store_id = $1
  AND key = $2`

const deleteAttributeSQL = `
DELETE FROM attributes
WHERE store_id = $1
  AND key = $2`

const selectValuesSQL = `
SELECT id, external_id, name, created_at, updated_at
FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2
  AND deleted_at IS NULL`

const listValuesSQL = selectValuesSQL + `
ORDER BY key`

const selectValueSQL = selectValuesSQL + `
  AND id = $3`

const valuesByIDSQL = `
WITH r(id) AS (ROWS)
SELECT v.id, v.external_id, v.name, v.created_at, v.updated_at
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.id = r.id AND v.deleted_at IS NULL)
WHERE v.attribute_key = $2
ORDER BY v.key`

// The database sorts all values of the attribute. Only attributes with few values are ordered; see maxOrderedValues.
const listOrderedValuesSQL = selectValuesSQL + `
ORDER BY position, key`

const pageOfValuesSQL = `
LIMIT $3 OFFSET $4`

// On SQLite the order of tables in a CROSS JOIN is the join order. See docs/planner.md.
const listValuesOfSQL = `
WITH r(key) AS (ROWS)
SELECT v.attribute_key, v.id, v.external_id, v.name, v.created_at, v.updated_at
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.attribute_key = r.key AND v.deleted_at IS NULL)
ORDER BY v.attribute_key, v.position, v.key`

const deleteAllValuesSQL = `
DELETE FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2`

func ScanAttribute(rows database.Rows) (Attribute, error) {
	var a Attribute
	var rangeType *string
	err := rows.Scan(&a.Key, &a.ID, &a.ExternalID, (*string)(&a.Kind), &a.Name, &a.Filterable, (*string)(&a.FieldType),
		&rangeType, &a.ValueCount, &a.Ordered, &a.Version, database.Time(&a.CreatedAt), database.Time(&a.UpdatedAt))
	if rangeType != nil {
		a.RangeType = RangeType(*rangeType)
	}
	return a, err
}

func selectAttribute(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, lock string,
) (Attribute, error) {
	args := []any{string(kind), attributeID}
	return store.SelectOne(ctx, tx, selectAttributeSQL+lock, args, kind.Noun(), ScanAttribute)
}

func listAttributes(
	ctx context.Context, tx store.Tx, kind Kind, search string, limit, offset int64,
) (list []Attribute, total int64, err error) {
	c := store.NewConditions(string(kind))
	c.AndSearch("words", search)
	counting := c.Args()
	// Reading one row more than the page shows whether there are more rows. If there are none, no COUNT is needed.
	sql := listAttributesSQL + c.String() + "\nORDER BY key" + c.LimitOffset(limit+1, offset)
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, ScanAttribute))
	if err != nil {
		return nil, 0, err
	}
	if n := int64(len(list)); n <= limit && (n > 0 || offset == 0) {
		return list, offset + n, nil
	}
	err = database.QueryRow(ctx, tx, countAttributesSQL+c.String(), counting, &total)
	return list[:min(int64(len(list)), limit)], total, err
}

// ByID returns the options or features with these ids, by id. It skips ids that the store does not have.
func (s *Attributes) ByID(
	ctx context.Context, tx store.Tx, kind Kind, ids []AttributeID,
) (_ map[AttributeID]Attribute, err error) {
	defer fault.AddContext(&err, "read %d attributes", len(ids))
	byID := make(map[AttributeID]Attribute, len(ids))
	if len(ids) == 0 {
		return byID, nil
	}
	err = tx.QueryRows(ctx, attributesByIDSQL, database.BatchOf(database.UUID, ids), func(rows database.Rows) error {
		a, err := ScanAttribute(rows)
		byID[a.ID] = a
		return err
	}, string(kind))
	return byID, err
}

// attributesVersion returns the version of the store's attributes and its stamp, or 0 if the store never had any.
func attributesVersion(ctx context.Context, tx store.Tx) (version, stamp int64, err error) {
	err = database.QueryEach(ctx, tx, attributesVersionSQL, nil, func(rows database.Rows) error {
		return rows.Scan(&version, &stamp)
	})
	return version, stamp, err
}

func RaiseAttributesVersion(ctx context.Context, tx store.Tx) error {
	_, err := store.RaiseVersion(ctx, tx, raiseAttributesVersionSQL, store.AttributesPart)
	return err
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
	err := database.Exec(ctx, tx, updateAttributeSQL, a.Key, a.ExternalID, a.Name, locale.SearchText(a.Name),
		a.Filterable, string(a.FieldType), database.NullIfZero(string(a.RangeType)), a.ValueCount, a.Version,
		a.UpdatedAt.UnixMicro(), a.Ordered)
	return attributeFault(err, a.Kind)
}

// attributeFault turns a violation of the unique index on external ids into fault.Conflict. It returns other errors
// unchanged.
func attributeFault(err error, kind Kind) error {
	if err != nil && database.ViolatesIndex(err, "attributes_external",
		"attributes.store_id, attributes.kind, attributes.external_id") {
		return rule.ExternalIDTaken("external_id", kind.Noun()+" of this store")
	}
	return err
}

// deleteAttribute deletes an attribute with its values.
func deleteAttribute(ctx context.Context, tx store.Tx, attributeKey int64) error {
	return write.ExecEach(ctx, tx, []string{deleteAllValuesSQL, deleteAttributeSQL}, attributeKey)
}

func scanValue(rows database.Rows, v *Value, before ...any) error {
	return rows.Scan(append(before, &v.ID, &v.ExternalID, &v.Name, database.Time(&v.CreatedAt),
		database.Time(&v.UpdatedAt))...)
}

// ScanValues returns a function that scans a value and calls fn with it.
func ScanValues(fn func(Value) error) func(database.Rows) error {
	var v Value
	return func(rows database.Rows) error {
		if err := scanValue(rows, &v); err != nil {
			return err
		}
		return fn(v)
	}
}

// selectValue reads a value of an attribute, or returns fault.NotFound.
func selectValue(ctx context.Context, tx store.Tx, attributeKey int64, valueID ValueID) (Value, error) {
	return store.SelectOne(ctx, tx, selectValueSQL, []any{attributeKey, valueID}, "value",
		func(rows database.Rows) (v Value, err error) {
			err = scanValue(rows, &v)
			return v, err
		})
}

// ValuesByID returns the values of an attribute with these ids, in the order in which they were added.
func (s *Attributes) ValuesByID(
	ctx context.Context, tx store.Tx, a Attribute, ids []ValueID,
) (values []Value, err error) {
	defer fault.AddContext(&err, "read %d values of %s %s", len(ids), a.Kind.Noun(), a.ID)
	err = tx.QueryRows(ctx, valuesByIDSQL, database.BatchOf(database.UUID, ids),
		database.AppendScanned(&values, func(rows database.Rows) (v Value, err error) {
			err = scanValue(rows, &v)
			return v, err
		}), a.Key)
	return values, err
}

func (a *Attribute) listValuesSQL() string {
	if a.Ordered {
		return listOrderedValuesSQL
	}
	return listValuesSQL
}

// EachValue calls fn for each value of an attribute, in their order.
func (s *Attributes) EachValue(ctx context.Context, tx store.Tx, a Attribute, fn func(Value) error) (err error) {
	defer fault.AddContext(&err, "read values of %s %s", a.Kind.Noun(), a.ID)
	return database.QueryEach(ctx, tx, a.listValuesSQL(), []any{a.Key}, ScanValues(fn))
}

// Values calls fn for each value on one page of an attribute's values.
func (s *Attributes) Values(
	ctx context.Context, tx store.Tx, a Attribute, limit, offset int64, fn func(Value) error,
) (err error) {
	defer fault.AddContext(&err, "read a page of values of %s %s", a.Kind.Noun(), a.ID)
	if offset >= a.ValueCount {
		return nil
	}
	return database.QueryEach(ctx, tx, a.listValuesSQL()+pageOfValuesSQL, []any{a.Key, limit, offset}, ScanValues(fn))
}

// EachValueOf calls fn for each value of several attributes, by attribute key and then in the order of the attribute.
// attributeKeys must be sorted. It runs one query whose rows the database sorts in memory, so it is meant for short
// lists.
func (s *Attributes) EachValueOf(
	ctx context.Context, tx store.Tx, attributeKeys []int64, fn func(attributeKey int64, v Value) error,
) (err error) {
	defer fault.AddContext(&err, "read values of %d attributes", len(attributeKeys))
	var v Value
	var key int64
	return write.QueryByKey(ctx, tx, listValuesOfSQL, attributeKeys, func(rows database.Rows) error {
		if err := scanValue(rows, &v, &key); err != nil {
			return err
		}
		return fn(key, v)
	})
}

// lock appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock.
const LockedAttributesSQL = `
WITH r(wanted) AS (ROWS)
SELECT ` + AttributeColumns + `
FROM r
CROSS JOIN attributes
WHERE store_id = $1
  AND key = r.wanted
  AND kind IN ('option', 'feature')
ORDER BY key`

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
