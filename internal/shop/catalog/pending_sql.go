package catalog

import (
	"context"
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
WITH r(kind, external_id, value_id, product_key, variant_key, category_key, first_seen_at) AS (ROWS)
INSERT INTO pending_references (store_id, kind, external_id, value_id, product_key, variant_key, category_key,
	first_seen_at)
SELECT $1, kind, external_id, value_id, product_key, variant_key, category_key, first_seen_at
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
		database.BigInt, database.BigInt)
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

		batch.Add(string(p.Kind), p.Ref.Attribute, p.Ref.Value, product, variant, category, firstSeen)
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
