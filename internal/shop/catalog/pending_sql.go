package catalog

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const lockPushesSQL = `
INSERT INTO push_locks (store_id, taken)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET taken = push_locks.taken + 1`

// LockPushes locks the store until the transaction ends, against other pushes and other writes that create targets of
// pending references. Lock order: it is the first lock of all these transactions, so that they cannot deadlock.
func LockPushes(ctx context.Context, tx store.Tx) error {
	return database.Exec(ctx, tx, lockPushesSQL)
}

const insertPendingSQL = `
WITH r(kind, external_id, value_id, product_key, variant_key, category_key, first_seen_at, canonical) AS (ROWS)
INSERT INTO pending_references (store_id, kind, external_id, value_id, product_key, variant_key, category_key,
	first_seen_at, canonical)
SELECT $1, kind, external_id, value_id, product_key, variant_key, category_key, first_seen_at, canonical
FROM r`

// The rows are found by an index on the owner, and the kind is checked on the row. IS NOT NULL matches the condition of
// a partial index; see docs/planner.md.
const (
	deletePendingSQL = `
WITH r(key) AS (ROWS)
DELETE FROM pending_references
WHERE key IN (
	SELECT CASE WHEN p.kind = $2 THEN p.key END
	FROM r
	CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1`

	deletePendingOfProductsSQL   = deletePendingSQL + " AND p.product_key = r.key AND p.product_key IS NOT NULL))"
	deletePendingOfVariantsSQL   = deletePendingSQL + " AND p.variant_key = r.key AND p.variant_key IS NOT NULL))"
	deletePendingOfCategoriesSQL = deletePendingSQL + " AND p.category_key = r.key AND p.category_key IS NOT NULL))"
)

const pendingOptionsSQL = `
WITH r(key) AS (ROWS)
SELECT p.variant_key, p.external_id, p.value_id
FROM r
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.variant_key = r.key AND p.variant_key IS NOT NULL)`

// SavePending inserts pending references. The caller has deleted the earlier ones of the same owners, and has called
// PendingSince before that. Targets that were not referred to before are first seen now.
func SavePending(
	ctx context.Context, tx store.Tx, list []PendingReference, since PendingTimes, now time.Time,
) error {
	batch := database.NewBatch(database.Text, database.Text, database.Text, database.BigInt, database.BigInt,
		database.BigInt, database.BigInt, database.Bool)
	for _, p := range list {
		var product, variant, category any
		switch p.Kind {
		case PendingCategory, PendingFeature:
			product = p.Owner
		case PendingOption:
			variant = p.Owner
		case PendingParent:
			category = p.Owner
		}

		firstSeen, known := since[p.Target()]
		if !known {
			firstSeen = now.UnixMicro()
		}

		batch.Add(string(p.Kind), p.Ref.Attribute, p.Ref.Value, product, variant, category, firstSeen, p.Canonical)
	}

	return database.ExecRows(ctx, tx, insertPendingSQL, batch)
}

// DropPending deletes the pending references of one kind that these products, variants or categories have.
func DropPending(ctx context.Context, tx store.Tx, kind PendingKind, ownerKeys []int64) error {
	sql := map[PendingKind]string{
		PendingCategory: deletePendingOfProductsSQL, PendingFeature: deletePendingOfProductsSQL,
		PendingOption: deletePendingOfVariantsSQL, PendingParent: deletePendingOfCategoriesSQL,
	}[kind]
	return write.ExecByKey(ctx, tx, sql, ownerKeys, string(kind))
}

// pendingOptions returns the pending references of variants to option values, by variant key.
func pendingOptions(ctx context.Context, tx store.Tx, variantKeys []int64) (map[int64][]ReferencePush, error) {
	pending := map[int64][]ReferencePush{}
	return pending, tx.QueryRows(ctx, pendingOptionsSQL, write.KeyBatch(variantKeys),
		write.EachTriple(func(variant int64, attribute, value string) {
			pending[variant] = append(pending[variant], ReferencePush{attribute, value})
		}))
}

const pendingKeysSQL = `
SELECT key
FROM pending_references
WHERE store_id = $1
  AND kind = $2
  AND external_id = $3
  AND value_id = ''
  AND key > $4
ORDER BY key
LIMIT $5`

// Here and below, the caller appends a lock clause. Rows are locked in key order, so that transactions cannot deadlock.
const shareLockPendingCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT c.key
FROM categories c
WHERE c.store_id = $1
  AND c.key IN (SELECT (SELECT w.category_key FROM pending_references w WHERE w.store_id = $1 AND w.key = r.key) FROM r)
ORDER BY c.key`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const lockPendingProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key
FROM products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key IN (SELECT (SELECT w.product_key FROM pending_references w WHERE w.store_id = $1 AND w.key = r.key) FROM r)
ORDER BY p.key`

// lockOwnersOfPending locks the owners of the pending references to the category with this external id: categories
// against deletion, products for update.
func lockOwnersOfPending(ctx context.Context, tx store.Tx, externalID string) error {
	for _, owners := range []struct {
		kind PendingKind
		sql  string
	}{
		{PendingParent, shareLockPendingCategoriesSQL + tx.Dialect().ForKeyShare},
		{PendingCategory, lockPendingProductsSQL + tx.Dialect().ForUpdate},
	} {
		lock := func(keys []int64) error {
			return tx.QueryRows(ctx, owners.sql, write.KeyBatch(keys), write.DiscardRow)
		}
		if err := write.EachKeyChunk(ctx, tx, pendingKeysSQL, []any{string(owners.kind), externalID},
			lock); err != nil {
			return err
		}
	}

	return nil
}

// These statements look up rows one at a time by the index on the targets of pending references. So none of them reads
// more rows than it returns, no matter how many references to other targets are pending; see docs/planner.md.

// referencedIDsSQL selects the given external ids to which pending references refer.
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
	WHERE p.store_id = $1 AND p.key = w.key), (
	SELECT p.canonical FROM pending_references p
	WHERE p.store_id = $1 AND p.key = w.key)
FROM w
WHERE w.key IS NOT NULL
LIMIT $3`

const storesWithPendingSQL = `
SELECT s.id
FROM stores s
WHERE (SELECT MIN(p.kind) FROM pending_references p WHERE p.store_id = s.id) IS NOT NULL
ORDER BY s.id`

// referencedIDs returns the given external ids to which pending references refer.
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
		var isCanonical bool
		if err := rows.Scan(&row.target, &row.key, &row.owner, &isCanonical); err != nil {
			return err
		}

		row.ValueKeys = targets[row.target].ValueKeys
		if isCanonical {
			row.Value = canonicalLink
		}
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
WHERE a.key = (
	SELECT x.key
	FROM attributes x
	WHERE x.store_id = $1
	  AND x.kind = r.kind
	  AND x.external_id = r.external_id
	  AND x.external_id IS NOT NULL)
ORDER BY a.key`

const PushedCategoriesSQL = `
WITH r(external_id) AS (ROWS)
SELECT c.key, c.id, c.external_id
FROM r
CROSS JOIN categories c
WHERE c.key = (
	SELECT x.key
	FROM categories x
	WHERE x.store_id = $1
	  AND x.external_id = r.external_id
	  AND x.external_id IS NOT NULL)
ORDER BY c.key`
