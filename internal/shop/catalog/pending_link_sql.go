package catalog

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// shareLockCategories appends a lock clause. Rows are locked in key order, so that transactions cannot deadlock.
const shareLockCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT c.key
FROM r
CROSS JOIN categories c
WHERE (c.store_id = $1) IS TRUE
  AND c.key = r.key
ORDER BY c.key`

const deletePendingRowsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM pending_references
WHERE key IN (SELECT (SELECT p.key FROM pending_references p WHERE p.store_id = $1 AND p.key = r.key) FROM r)
RETURNING key`

// Without WHERE TRUE, SQLite would parse ON as the condition of a join.
const (
	linkFeaturesSQL = insertFeaturesSQL + `
WHERE TRUE
ON CONFLICT (store_id, product_key, attribute_key, value_key) DO NOTHING
RETURNING product_key`

	linkOptionsSQL = insertOptionsSQL + `
WHERE TRUE
ON CONFLICT (store_id, variant_key, attribute_key) DO NOTHING
RETURNING variant_key`

	linkCategoriesSQL = `
WITH r(product_key, category_key, canonical) AS (ROWS)
INSERT INTO product_categories (store_id, product_key, category_key, canonical)
SELECT $1, product_key, category_key, MAX(r.canonical) <> 0
FROM r
WHERE TRUE
GROUP BY product_key, category_key
ON CONFLICT (store_id, product_key, category_key) DO UPDATE
SET canonical = TRUE
WHERE EXCLUDED.canonical
  AND NOT product_categories.canonical
RETURNING product_key`
)

const setParentsSQL = `
WITH r(key, parent_key) AS (ROWS)
UPDATE categories
SET parent_key = r.parent_key, position = ` + NoPositionSQL + `, version = categories.version + 1
FROM r
WHERE categories.store_id = $1
  AND categories.key = r.key`

// lockTargets locks the attributes or categories with these external ids against deletion, and returns their keys.
func (l *pendingLinker) lockTargets(ctx context.Context, externalIDs []string) (map[string]int64, error) {
	keys := make(map[string]int64, len(externalIDs))
	if !l.linksValues() {
		return keys, l.tx.QueryRows(ctx, PushedCategoriesSQL+l.tx.Dialect().ForKeyShare, write.TextBatch(externalIDs),
			write.EachTriple(func(key int64, _ CategoryID, externalID string) { keys[externalID] = key }))
	}

	batch := database.NewBatch(database.Text, database.Text)
	for _, e := range externalIDs {
		batch.Add(string(l.kind), e)
	}

	sql := PushedAttributesSQL + l.tx.Dialect().ForKeyShare
	return keys, l.tx.QueryRows(ctx, sql, batch, func(rows database.Rows) error {
		var key int64
		var attributeID AttributeID
		var kind, externalID string
		err := rows.Scan(&key, &attributeID, &kind, &externalID)
		keys[externalID] = key
		return err
	})
}

// existingValues returns those values that exist, with their current keys.
func (l *pendingLinker) existingValues(ctx context.Context, values []pendingTarget) (list []pendingTarget, err error) {
	named := database.NewBatch(database.BigInt, database.BigInt, database.Text)
	for i, t := range values {
		named.Add(i, t.Attribute, t.valueID)
	}
	err = PushedValueKeys(ctx, l.tx, named, func(i int, key *int64) {
		if key != nil {
			t := values[i]
			t.Value = *key
			list = append(list, t)
		}
	})
	return list, err
}

// shareLockCategories locks categories against deletion.
func (l *pendingLinker) shareLockCategories(ctx context.Context, keys []int64) error {
	return l.tx.QueryRows(ctx, shareLockCategoriesSQL+l.tx.Dialect().ForKeyShare, write.KeyBatch(keys),
		write.DiscardRow)
}

// deletePending deletes the pending references, and returns the rows that it deleted. Rows that it does not return were
// deleted before by transactions that wrote their owners. The caller has locked the owners.
func (l *pendingLinker) deletePending(ctx context.Context, rows []pendingRow) ([]pendingRow, error) {
	batch := database.NewBatch(database.BigInt)
	for _, row := range rows {
		batch.Add(row.key)
	}
	deleted := make(map[int64]bool, len(rows))
	err := l.tx.QueryRows(ctx, deletePendingRowsSQL, batch, database.PutKeys(deleted))
	return slices.DeleteFunc(rows, func(row pendingRow) bool { return !deleted[row.key] }), err
}

// insertLinks inserts the links, and returns the keys of the owners that did not have them yet.
func (l *pendingLinker) insertLinks(ctx context.Context, rows []pendingRow) (changed []int64, err error) {
	sql := map[PendingKind]string{
		PendingFeature: linkFeaturesSQL, PendingOption: linkOptionsSQL, PendingCategory: linkCategoriesSQL,
	}[l.kind]
	links := make([]ownedValue, len(rows))
	for i, row := range rows {
		links[i] = ownedValue{row.ValueKeys, row.owner}
	}
	err = l.tx.QueryRows(ctx, sql, ownedValueBatch(links), database.AppendColumn(&changed))
	l.linked += int64(len(changed))
	return changed, err
}

// raiseVersions raises the versions of products, and adds the products to l.products.
func (l *pendingLinker) raiseVersions(ctx context.Context, products []int64) error {
	slices.Sort(products)
	products = slices.Compact(products)
	l.products.Add(products)
	return raiseProductVersions(ctx, l.tx, products)
}

// setParents sets the parents of categories. parents maps the key of a category to the key of its parent.
func (l *pendingLinker) setParents(ctx context.Context, parents map[int64]int64) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for child, parent := range parents {
		batch.Add(child, parent)
	}
	l.linked += int64(len(parents))
	return database.ExecRows(ctx, l.tx, setParentsSQL, batch)
}

// AncestorsOf maps the keys of categories and of all their ancestors to the keys of their parents, and roots to 0.
func AncestorsOf(ctx context.Context, tx store.Tx, keys []int64) (map[int64]int64, error) {
	parents := make(map[int64]int64, len(keys))
	err := tx.QueryRows(ctx, ancestorsOfCategoriesSQL, write.KeyBatch(keys),
		write.EachPair(func(key int64, parent *int64) {
			if parents[key] = 0; parent != nil {
				parents[key] = *parent
			}
		}))
	return parents, err
}
