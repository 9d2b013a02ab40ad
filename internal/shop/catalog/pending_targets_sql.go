package catalog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// These statements look up rows one at a time by the index on the targets of pending references. So none of them reads
// more rows than it returns, no matter how many references to other targets are pending; see docs/planner.md.

// referencedIDsSQL returns those of the given external ids that pending references refer to.
const referencedIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT r.external_id
FROM r
WHERE (SELECT MIN(p.value_id) FROM pending_references p WHERE p.store_id = $1 AND p.kind = $2
	AND p.external_id = r.external_id) IS NOT NULL`

const referencedIDsAfterSQL = `
WITH RECURSIVE w(external_id) AS (
	SELECT (SELECT MIN(p.external_id) FROM pending_references p WHERE p.store_id = $1 AND p.kind = $2
		AND p.external_id > $3)
	UNION ALL
	SELECT (SELECT MIN(p.external_id) FROM pending_references p WHERE p.store_id = $1 AND p.kind = $2
		AND p.external_id > w.external_id)
	FROM w
	WHERE w.external_id IS NOT NULL)
SELECT external_id
FROM w
WHERE external_id IS NOT NULL
LIMIT $4`

// referencedValuesSQL walks over the values of the given attributes to which pending references refer, for each
// attribute in the order of their external ids, and returns the keys of those that exist. A NULL value_id ends an
// attribute's values.
const referencedValuesSQL = `
WITH RECURSIVE r(attribute, attribute_key, external_id, after) AS (ROWS), w(attribute, attribute_key, external_id,
	value_id) AS (
	SELECT r.attribute, r.attribute_key, r.external_id, (
		SELECT MIN(p.value_id) FROM pending_references p
		WHERE p.store_id = $1 AND p.kind = $2 AND p.external_id = r.external_id AND p.value_id > r.after)
	FROM r
	UNION ALL
	SELECT w.attribute, w.attribute_key, w.external_id, (
		SELECT MIN(p.value_id) FROM pending_references p
		WHERE p.store_id = $1 AND p.kind = $2 AND p.external_id = w.external_id AND p.value_id > w.value_id)
	FROM w
	WHERE w.value_id IS NOT NULL)
SELECT w.attribute, w.value_id, COALESCE(
	(SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1 AND v.attribute_key + 0 = w.attribute_key AND v.external_id = w.value_id
		AND v.external_id IS NOT NULL),
	(SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1 AND v.deleted_at IS NULL AND v.key = (
		SELECT x.value_key FROM value_aliases x
		WHERE x.store_id = $1 AND x.attribute_key = w.attribute_key AND x.external_id = w.value_id)))
FROM w
LIMIT $3`

// pendingRowsForSQL walks over the pending references to the given targets.
const pendingRowsForSQL = `
WITH RECURSIVE r(thing, external_id, value_id, after) AS (ROWS), w(thing, external_id, value_id, key) AS (
	SELECT r.thing, r.external_id, r.value_id, (
		SELECT MIN(p.key) FROM pending_references p
		WHERE p.store_id = $1 AND p.kind = $2 AND p.external_id = r.external_id AND p.value_id = r.value_id
			AND p.key > r.after)
	FROM r
	UNION ALL
	SELECT w.thing, w.external_id, w.value_id, (
		SELECT MIN(p.key) FROM pending_references p
		WHERE p.store_id = $1 AND p.kind = $2 AND p.external_id = w.external_id AND p.value_id = w.value_id
			AND p.key > w.key)
	FROM w
	WHERE w.key IS NOT NULL)
SELECT w.thing, w.key, (
	SELECT COALESCE(p.product_key, p.variant_key, p.category_key) FROM pending_references p
	WHERE p.store_id = $1 AND p.key = w.key)
FROM w
WHERE w.key IS NOT NULL
LIMIT $3`

const storesWithPendingSQL = `
SELECT s.id
FROM stores s
WHERE (SELECT MIN(p.kind) FROM pending_references p WHERE p.store_id = s.id) IS NOT NULL
ORDER BY s.id`

// referencedIDs returns those of the given external ids that pending references refer to.
func referencedIDs(ctx context.Context, tx store.Tx, kind PendingKind, externalIDs []string) (ids []string, err error) {
	err = tx.QueryRows(ctx, referencedIDsSQL, write.TextBatch(externalIDs), database.AppendColumn(&ids), string(kind))
	return ids, err
}

// referencedIDsAfter returns the first maxArrivalsPerTx external ids after the given one that pending references refer
// to.
func referencedIDsAfter(ctx context.Context, tx store.Tx, kind PendingKind, after string) (ids []string, err error) {
	err = database.QueryEach(ctx, tx, referencedIDsAfterSQL, []any{string(kind), after, maxArrivalsPerTx},
		database.AppendColumn(&ids))
	return ids, err
}

// referencedValues looks up the values of the arrived attributes to which pending references refer, at most
// maxLinksPerTx in one statement. It returns the values that exist, and the attributes that have more values to look
// up.
func (l *pendingLinker) referencedValues(ctx context.Context, arrived []pendingArrival) (p linkProgress, err error) {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.Text, database.Text)
	for i, a := range arrived {
		batch.Add(i, a.key, a.externalID, a.after)
	}

	seen := make([]string, len(arrived))
	ended := make([]bool, len(arrived))

	add := write.EachTriple(func(i int, valueID *string, valueKey *int64) {
		if valueID == nil {
			ended[i] = true
			return
		}

		seen[i] = *valueID

		if valueKey != nil {
			p.targets = append(p.targets, pendingTarget{externalID: arrived[i].externalID, valueID: *valueID,
				ValueKeys: ValueKeys{arrived[i].key, *valueKey}})
		}
	})

	err = l.tx.QueryRows(ctx, referencedValuesSQL, batch, add, string(l.kind), maxLinksPerTx)

	for i, a := range arrived {
		if !ended[i] {
			a.after = max(a.after, seen[i])
			p.arrived = append(p.arrived, a)
		}
	}

	return p, err
}

// errLimitReached stops a query once it has returned enough rows.
var errLimitReached = errors.New("limit reached")

// pendingRowsFor returns at most maxLinksPerTx pending references to the targets.
func (l *pendingLinker) pendingRowsFor(ctx context.Context, targets []pendingTarget) (list []pendingRow, err error) {
	batch := database.NewBatch(database.BigInt, database.Text, database.Text, database.BigInt)
	for i, t := range targets {
		batch.Add(i, t.externalID, t.valueID, t.after)
	}

	err = l.tx.QueryRows(ctx, pendingRowsForSQL, batch, func(rows database.Rows) error {
		if len(list) == maxLinksPerTx {
			return errLimitReached // on SQLite the LIMIT applies to each chunk of the batch
		}

		var row pendingRow
		if err := rows.Scan(&row.target, &row.key, &row.owner); err != nil {
			return err
		}

		row.ValueKeys = targets[row.target].ValueKeys
		list = append(list, row)
		return nil
	}, string(l.kind), maxLinksPerTx)
	if errors.Is(err, errLimitReached) {
		err = nil
	}

	return list, err
}

func storesWithPending(ctx context.Context, q database.Querier) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesWithPendingSQL, nil, database.AppendColumn(&list))
	return list, err
}

// The + 0, here and below, is explained at pushedValuesSQL.
const pushedValueKeysSQL = `
WITH r(n, attribute_key, external_id) AS (ROWS)
SELECT r.n, (
	SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1 AND v.attribute_key + 0 = r.attribute_key AND v.external_id = r.external_id
		AND v.external_id IS NOT NULL)
FROM r`

// PushedValueKeys looks up the values of a batch, whose columns are an index, an attribute's key and an external id. It
// calls fn with each index and the value's key, which is nil if the attribute has no such value.
func PushedValueKeys(ctx context.Context, tx store.Tx, values *database.Batch, fn func(n int, key *int64)) error {
	return tx.QueryRows(ctx, pushedValueKeysSQL, values, write.EachPair(fn))
}

// ancestorsOfCategoriesSQL walks from all given categories up to the roots, with one lookup by key for each category.
const ancestorsOfCategoriesSQL = `
WITH RECURSIVE r(key) AS (ROWS), up(key) AS (
	SELECT key
	FROM r
	UNION
	SELECT (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
	FROM up
	WHERE up.key IS NOT NULL)
SELECT up.key, (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
FROM up
WHERE up.key IS NOT NULL`

// Callers append a lock clause. Rows are locked in key order, so that transactions cannot deadlock. IS NOT NULL matches
// the condition of a partial index; see docs/planner.md.
const PushedAttributesSQL = `
WITH r(kind, external_id) AS (ROWS)
SELECT a.key, a.id, a.kind, a.external_id
FROM r
CROSS JOIN attributes a
WHERE a.store_id = $1
  AND a.kind = r.kind
  AND a.external_id = r.external_id
  AND a.external_id IS NOT NULL
ORDER BY a.key`

const PushedCategoriesSQL = `
WITH r(external_id) AS (ROWS)
SELECT c.key, c.id, c.external_id
FROM r
CROSS JOIN categories c
WHERE c.store_id = $1
  AND c.external_id = r.external_id
  AND c.external_id IS NOT NULL
ORDER BY c.key`
