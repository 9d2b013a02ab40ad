package catalog

import (
	"context"
	"fmt"
	"strconv"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

const insertValuesSQL = `
WITH r(id, external_id, name, number) AS (ROWS)
INSERT INTO attribute_values (store_id, attribute_key, id, external_id, name, number, created_at, updated_at)
SELECT $1, $2, id, external_id, name, number, $3, $3
FROM r`

// Here and in the statements below, a subquery looks up each row by its key: for a join with stale statistics,
// PostgreSQL would choose a nested loop over full scans. See docs/planner.md.
//
// A value that this edit has already written has the edit's time as updated_at, so a second rename in the same request
// matches no row.
const renameValuesSQL = `
WITH r(key, name, number) AS (ROWS)
UPDATE attribute_values
SET name = f.name, number = f.number, updated_at = $2
FROM (
	SELECT r.name, r.number, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key
		AND v.updated_at < $2) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`

// A subquery looks up each value by its id. The condition on attribute_key is checked on the row, so that PostgreSQL
// uses no index on that column. See docs/planner.md.
const valueKeysByIDSQL = `
WITH r(id) AS (ROWS)
SELECT r.id, (SELECT CASE WHEN v.attribute_key = $2 AND v.deleted_at IS NULL THEN v.key END FROM attribute_values v
	WHERE v.store_id = $1 AND v.id = r.id)
FROM r`

const deleteValuesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM attribute_values
WHERE key IN (SELECT (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) FROM r)`

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
  AND deleted_at IS NULL
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

// Without WHERE TRUE, SQLite would parse ON as the condition of a join.
const insertValuesIfFreeSQL = insertValuesSQL + `
WHERE TRUE
ON CONFLICT (store_id, attribute_key, external_id) WHERE external_id IS NOT NULL DO NOTHING
RETURNING id`

// IS NOT NULL lets PostgreSQL use the partial index on external_id. The + 0 keeps it from using an index on
// attribute_key. See docs/planner.md.
const takenValueExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT r.external_id
FROM r
WHERE (
	SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1 AND v.attribute_key + 0 = $2 AND v.external_id = r.external_id
		AND v.external_id IS NOT NULL) IS NOT NULL`

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

// valueKeysByID returns the keys of the attribute's values with these ids. It leaves out ids that do not exist.
func valueKeysByID(ctx context.Context, tx store.Tx, attributeKey int64, ids []ValueID) (map[ValueID]int64, error) {
	keys := make(map[ValueID]int64, len(ids))
	batch := database.BatchOf(database.UUID, ids)
	return keys, tx.QueryRows(ctx, valueKeysByIDSQL, batch, write.EachPair(func(i ValueID, key *int64) {
		if key != nil {
			keys[i] = *key
		}
	}), attributeKey)
}

// rename writes the names and external ids of a chunk of existing values.
func (w *valueWriter) rename(ctx context.Context, chunk []valueWrite) error {
	ids := make([]ValueID, len(chunk))
	for i, v := range chunk {
		ids[i] = v.ID
	}

	keys, err := valueKeysByID(ctx, w.tx, w.a.Key, ids)
	if err != nil {
		return err
	}
	if len(keys) != len(ids) {
		return &suspectIDsError{ids}
	}

	names := database.NewBatch(database.BigInt, database.Text, database.Double)
	for _, v := range chunk {
		names.Add(keys[v.ID], v.Name, v.number)
	}

	if err := w.touchRenamed(ctx, chunk, keys); err != nil {
		return err
	}
	n, err := w.tx.ExecRows(ctx, renameValuesSQL, names, w.at)
	if err != nil {
		return err
	}
	if n != int64(len(ids)) {
		return &suspectIDsError{ids}
	}

	w.written += n
	return w.setExternalIDs(ctx, chunk, keys)
}

// touchRenamed records which values of a chunk get another name.
func (w *valueWriter) touchRenamed(ctx context.Context, chunk []valueWrite, keys map[ValueID]int64) error {
	if w.renamed > write.MaxTouchedValues {
		return nil
	}

	names := database.NewBatch(database.BigInt, database.Text)
	for _, v := range chunk {
		names.Add(keys[v.ID], v.Name)
	}

	n, err := write.TouchRenamed(ctx, w.tx, names)
	if w.renamed += n; err != nil || w.renamed <= write.MaxTouchedValues {
		return err
	}
	return write.TouchAnyProduct(ctx, w.tx)
}

// setExternalIDs sets the external ids of a chunk of existing values, or returns fault.Conflict. Two values may swap
// their external ids, so it first clears the external ids of all values for which the edit has one.
func (w *valueWriter) setExternalIDs(ctx context.Context, chunk []valueWrite, keys map[ValueID]int64) error {
	var cleared []int64
	var externalIDs []string
	given := database.NewBatch(database.BigInt, database.Text)
	for _, v := range chunk {
		if v.ExternalID == nil {
			continue
		}
		cleared = append(cleared, keys[v.ID])
		if *v.ExternalID != "" {
			externalIDs = append(externalIDs, *v.ExternalID)
			given.Add(keys[v.ID], *v.ExternalID)
		}
	}

	if err := ValuesGone(ctx, w.tx, cleared, w.at); err != nil {
		return err
	}
	if err := write.ExecByKey(ctx, w.tx, clearValueExternalIDsSQL, cleared); err != nil {
		return err
	}

	taken := map[string]bool{}
	err := w.tx.QueryRows(ctx, takenValueExternalIDsSQL, write.TextBatch(externalIDs), database.PutKeys(taken),
		w.a.Key)
	if err != nil {
		return err
	}

	err = w.conflict(chunk, func(v valueWrite) bool {
		was := taken[*v.ExternalID]
		taken[*v.ExternalID] = true // a later element may not have the same external id
		return was
	})
	if err != nil {
		return err
	}

	return database.ExecRows(ctx, w.tx, setValueExternalIDsSQL, given)
}

// add inserts a chunk of new values. ON CONFLICT skips values whose external id is taken, and add returns
// fault.Conflict naming them. A query for taken external ids beforehand would be slow: PostgreSQL has no statistics for
// rows that the same transaction has inserted.
func (w *valueWriter) add(ctx context.Context, chunk []valueWrite) error {
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Double)
	external := false
	for _, v := range chunk {
		var externalID *string
		if v.ExternalID != nil && *v.ExternalID != "" {
			externalID = v.ExternalID
		}
		batch.Add(v.ID, externalID, v.Name, v.number)
		external = external || externalID != nil
	}

	w.a.ValueCount += int64(len(chunk))
	w.written += int64(len(chunk))

	if !external {
		return database.ExecRows(ctx, w.tx, insertValuesSQL, batch, w.a.Key, w.at)
	}

	inserted := make(map[ValueID]bool, len(chunk))
	err := w.tx.QueryRows(ctx, insertValuesIfFreeSQL, batch, database.PutKeys(inserted), w.a.Key, w.at)
	if err != nil {
		return err
	}

	return w.conflict(chunk, func(v valueWrite) bool { return !inserted[v.ID] })
}

// conflict returns fault.Conflict naming the elements of a chunk whose external ids are taken, or nil if there are
// none.
func (w *valueWriter) conflict(chunk []valueWrite, taken func(valueWrite) bool) error {
	var fields []string
	for _, v := range chunk {
		if v.ExternalID != nil && *v.ExternalID != "" && taken(v) {
			fields = append(fields, fmt.Sprintf("values[%d].external_id", v.i))
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return rule.ExternalIDsTaken(fields, "value of this "+w.a.Kind.Noun())
}

// DeleteValues deletes values by key and returns the number of rows deleted.
func DeleteValues(ctx context.Context, tx store.Tx, keys []int64) (int64, error) {
	return tx.ExecRows(ctx, deleteValuesSQL, write.KeyBatch(keys))
}

// MaxMisfits is the maximum number of values that a fault about a new type names.
const MaxMisfits = 20

// ConvertNumbers converts the values that the edit has not written to the attribute's new type, by setting or clearing
// their numbers. It returns fault.Invalid if some of them do not fit the type.
func ConvertNumbers(ctx context.Context, tx store.Tx, a *Attribute, was Attribute) error {
	if was.FieldType == a.FieldType && was.RangeType == a.RangeType {
		return nil
	}
	if a.FieldType == Select {
		return database.Exec(ctx, tx, clearNumbersSQL, a.Key)
	}

	var misfits []string
	for last, more := int64(0), true; more; {
		numbers := database.NewBatch(database.BigInt, database.Double)
		read := 0

		err := database.QueryEach(ctx, tx, untouchedValuesSQL,
			[]any{a.Key, last, a.UpdatedAt.UnixMicro(), write.ChunkSize},
			func(rows database.Rows) error {
				var name string
				err := rows.Scan(&last, &name)
				read++
				if n, ok := a.Number(name); ok {
					numbers.Add(last, n)
				} else if len(misfits) < MaxMisfits {
					misfits = append(misfits, strconv.Quote(name))
				}

				return err
			})
		if err != nil {
			return err
		}

		if err := database.ExecRows(ctx, tx, setNumbersSQL, numbers); err != nil {
			return err
		}

		more = read == write.ChunkSize && len(misfits) == 0
	}

	var wrong rule.Violations
	if len(misfits) > 0 {
		AddMisfits(&wrong, a, was, misfits)
	}

	return wrong.Fault()
}
