package catalog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// A materialized CTE has the store's id; see storeKeysSQL. The value is checked again, since the variant may have got
// another one before its product was locked.
const moveVariantValuesSQL = `
WITH r(variant_key, attribute_key, value_key) AS (ROWS), k(store_id, variant_key, attribute_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.variant_key, r.attribute_key
	FROM r)
UPDATE variant_values
SET value_key = $2
WHERE (store_id, variant_key, attribute_key) IN (SELECT store_id, variant_key, attribute_key FROM k)
  AND value_key IN (SELECT value_key FROM r)`

// A product may have the value that stays already.
const addFeaturesSQL = `
WITH r(product_key, attribute_key) AS (ROWS)
INSERT INTO product_values (store_id, product_key, attribute_key, value_key)
SELECT $1, product_key, attribute_key, $2
FROM r
WHERE TRUE
ON CONFLICT DO NOTHING`

const mergeableValuesSQL = `
WITH r(id) AS (ROWS)
SELECT v.id, v.key, (SELECT COUNT(*) FROM value_merges m WHERE m.store_id = $1 AND m.attribute_key = $2
	AND m.value_key = v.key)
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.id = r.id AND v.deleted_at IS NULL)
WHERE v.attribute_key = $2`

const insertMergesSQL = `
WITH r(value_key) AS (ROWS)
INSERT INTO value_merges (store_id, attribute_key, value_key, into_key)
SELECT $1, $2, value_key, $3
FROM r`

// What is being merged into a value that is merged itself goes to the value that stays.
const redirectMergesSQL = `
WITH r(key) AS (ROWS)
UPDATE value_merges
SET into_key = $3
WHERE store_id = $1
  AND attribute_key = $2
  AND into_key IN (SELECT key FROM r)`

const nextMergeSQL = `
SELECT store_id, attribute_key, value_key, into_key
FROM value_merges
WHERE (store_id, attribute_key, value_key) > ($1, $2, $3)
ORDER BY store_id, attribute_key, value_key
LIMIT 1`

const deleteMergeSQL = `
DELETE FROM value_merges
WHERE store_id = $1
  AND attribute_key = $2
  AND value_key = $3`

// lockAttributeOfMerge appends FOR UPDATE.
const attributeOfMergeSQL = `
SELECT ` + AttributeColumns + `
FROM attributes
WHERE store_id = $1
  AND key = $2
  AND kind IN ('option', 'feature')`

const valuesOfMergeSQL = `
SELECT COUNT(*)
FROM value_merges m
WHERE m.store_id = $1
  AND m.attribute_key = $2
  AND m.value_key = $3
  AND m.into_key = $4
  AND (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = m.value_key
	AND v.deleted_at IS NULL) IS NOT NULL
  AND (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = m.into_key
	AND v.deleted_at IS NULL) IS NOT NULL`

// mergeableValue is a value that a merge names. merging means that it is being merged already.
type mergeableValue struct {
	key     int64
	merging bool
}

// mergeableValues returns the values of an attribute with these ids, by id.
func mergeableValues(
	ctx context.Context, tx store.Tx, attributeKey int64, ids []ValueID,
) (map[ValueID]mergeableValue, error) {
	known := make(map[ValueID]mergeableValue, len(ids))
	return known, tx.QueryRows(ctx, mergeableValuesSQL, database.BatchOf(database.UUID, ids),
		write.EachTriple(func(valueID ValueID, key, merges int64) { known[valueID] = mergeableValue{key, merges > 0} }),
		attributeKey)
}

func moveVariantValues(ctx context.Context, tx store.Tx, links []ownedValue, into int64) error {
	return database.ExecRows(ctx, tx, moveVariantValuesSQL, ownedValueBatch(links), into)
}

func moveFeatures(ctx context.Context, tx store.Tx, links []ownedValue, into int64) error {
	if err := deleteFeatures(ctx, tx, links); err != nil {
		return err
	}
	added := database.NewBatch(database.BigInt, database.BigInt)
	for _, product := range ownersOf(links) {
		added.Add(product, links[0].Attribute)
	}
	return database.ExecRows(ctx, tx, addFeaturesSQL, added, into)
}

// linksAfter returns a chunk of the links to a value whose owners have greater keys than the position, in their order.
func (m *valueMover) linksAfter(ctx context.Context, from ValueKeys, position int64) (links []ownedValue, err error) {
	sql := variantsOfValuesSQL
	if m.kind == Feature {
		sql = productsOfValuesSQL
	}
	args := []any{from.Attribute, from.Value, position, from.Value, deletionChunk}
	err = database.QueryEach(ctx, m.tx, sql, args, write.EachPair(func(value, owner int64) {
		links = append(links, ownedValue{ValueKeys{from.Attribute, value}, owner})
	}))
	return links, err
}

// insertMerges records that values are being merged.
func insertMerges(ctx context.Context, tx store.Tx, attributeKey int64, from []int64, into int64) error {
	return write.ExecByKey(ctx, tx, insertMergesSQL, from, attributeKey, into)
}

// pendingMerge is a row of value_merges.
type pendingMerge struct {
	storeID                store.ID
	attribute, value, into int64
}

// nextMerge returns the first merge after the given one, in all stores. It returns false if there is none.
func nextMerge(ctx context.Context, q database.Querier, last pendingMerge) (m pendingMerge, found bool, err error) {
	err = database.QueryRow(ctx, q, nextMergeSQL, []any{last.storeID, last.attribute, last.value},
		&m.storeID, &m.attribute, &m.value, &m.into)
	if errors.Is(err, database.ErrNoRows) {
		return m, false, nil
	}
	return m, err == nil, err
}

// lockAttributeOfMerge locks the attribute for update. It returns false if the merge has ended: the attribute or one of
// the values was deleted, or another node has completed it. What still has the value then keeps it.
func lockAttributeOfMerge(ctx context.Context, tx store.Tx, m pendingMerge) (a Attribute, found bool, err error) {
	err = database.QueryEach(ctx, tx, attributeOfMergeSQL+tx.Dialect().ForUpdate, []any{m.attribute},
		func(rows database.Rows) (err error) {
			found = true
			a, err = ScanAttribute(rows)
			return err
		})
	if err != nil || !found {
		return a, false, err
	}
	var present int64
	err = database.QueryRow(ctx, tx, valuesOfMergeSQL, []any{m.attribute, m.value, m.into}, &present)
	if err != nil || present > 0 {
		return a, err == nil, err
	}
	return a, false, database.Exec(ctx, tx, deleteMergeSQL, m.attribute, m.value)
}
