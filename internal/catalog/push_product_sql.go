package catalog

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/fault"
	"vitrine/internal/store"
)

const pushedProductsSQL = `
WITH r(external_id) AS (ROWS)
SELECT p.key, p.external_id, p.pushed, p.archived_at
FROM r
CROSS JOIN products p
WHERE p.store_id = $1
  AND p.external_id = r.external_id`

// The order of the keys is the order in which the rows are locked.
const lockProductsSQL = productsOfKeysSQL + `
ORDER BY p.key`

const pendingOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.product_key, p.kind, p.external_id, p.value_id
FROM r
CROSS JOIN pending_references p
WHERE p.store_id = $1
  AND p.product_key = r.key
  AND p.product_key IS NOT NULL
ORDER BY p.key`

const pendingOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT w.product_key, p.kind, p.external_id, p.value_id
FROM r
CROSS JOIN variants w
CROSS JOIN pending_references p
WHERE w.store_id = $1
  AND w.product_key = r.key
  AND p.store_id = $1
  AND p.variant_key = w.key
  AND p.variant_key IS NOT NULL
ORDER BY p.key`

const anyPendingSQL = `
SELECT COUNT(*)
FROM (SELECT 1 FROM pending_references WHERE store_id = $1 LIMIT 1) AS any_of_them`

// lockProducts reads products with their variants for a write, archived or not, and keeps others from writing them.
func lockProducts(ctx context.Context, q database.Querier, storeID store.ID, keys []int64) (map[int64]*productWrite, error) {
	slices.Sort(keys)
	locked := make(map[int64]*productWrite, len(keys))
	err := q.QueryRows(ctx, lockProductsSQL+q.Dialect().ForUpdate, keyBatch(keys), func(rows database.Rows) error {
		p, err := scanProduct(rows)
		locked[p.Key] = &productWrite{p: p, was: p}
		return err
	}, storeID)
	if err != nil {
		return nil, err
	}
	return locked, storedVariants(ctx, q, storeID, keys, func(v storedVariant) {
		if w := locked[v.ProductKey]; w != nil {
			w.stored = append(w.stored, v)
		}
	})
}

// warnOfPending tells of items that are as they were last pushed what they still wait for.
func (b *productPushes) warnOfPending(ctx context.Context) error {
	at := map[int64]*Pushed{}
	var keys []int64
	for i := range b.outcomes {
		if o := &b.outcomes[i]; o.Outcome == Unchanged {
			at[o.Key] = o
			keys = append(keys, o.Key)
		}
	}
	var waiting int64
	if len(keys) == 0 {
		return nil
	}
	if err := database.QueryRow(ctx, b.q, anyPendingSQL, []any{b.storeID}, &waiting); err != nil || waiting == 0 {
		return err
	}
	warn := func(rows database.Rows) error {
		var key int64
		var kind, externalID, valueID string
		if err := rows.Scan(&key, &kind, &externalID, &valueID); err != nil {
			return err
		}
		at[key].Warnings = append(at[key].Warnings, stillPending(pendingKind(kind), externalID, valueID))
		return nil
	}
	if err := b.q.QueryRows(ctx, pendingOfProductsSQL, keyBatch(keys), warn, b.storeID); err != nil {
		return err
	}
	return b.q.QueryRows(ctx, pendingOfVariantsSQL, keyBatch(keys), warn, b.storeID)
}

// stillPending is the warning about a reference that an earlier push left.
func stillPending(kind pendingKind, externalID, valueID string) fault.Field {
	f := fault.Field{Field: "features", Code: "unknown_" + string(kind)}
	switch kind {
	case pendingCategory:
		f.Field = "categories"
	case pendingOption:
		f.Field = "variants"
	case pendingFeature, pendingParent:
	}
	what := fmt.Sprintf("%s %s", kind, externalID)
	if valueID != "" {
		f.Code, what = "unknown_value", fmt.Sprintf("value %s of the %s %s", valueID, kind, externalID)
	}
	f.Message = fmt.Sprintf("The %s has still not arrived. The reference is kept, and is linked by itself when it does.", what)
	return f
}
