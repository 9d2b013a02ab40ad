package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const OwnedValuesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN LOOKUP (product_values x WHERE x.store_id = $1 AND x.product_key = r.key)`

// Here and below, a materialized CTE has the store's id; see storeKeysSQL.
const deleteFeaturesSQL = `
WITH r(product_key, attribute_key, value_key) AS (ROWS), k(store_id, product_key, attribute_key,
	value_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.product_key, r.attribute_key, r.value_key
	FROM r)
DELETE FROM product_values
WHERE (store_id, product_key, attribute_key, value_key) IN (SELECT store_id, product_key, attribute_key, value_key
	FROM k)`

const insertFeaturesSQL = `
WITH r(product_key, attribute_key, value_key) AS (ROWS)
INSERT INTO product_values (store_id, product_key, attribute_key, value_key)
SELECT $1, product_key, attribute_key, value_key
FROM r`

// ownedValue is a value that a product or a variant has. owner is the key of the product or variant.
type ownedValue struct {
	ValueKeys
	owner int64
}

// ownedValueBatch returns a batch sorted by value, in the order of the index on values. So entries that are neighbours
// in the index are written one after the other.
func ownedValueBatch(links []ownedValue) *database.Batch {
	slices.SortFunc(links, func(a, b ownedValue) int {
		return cmp.Or(cmp.Compare(a.Attribute, b.Attribute), cmp.Compare(a.Value, b.Value),
			cmp.Compare(a.owner, b.owner))
	})
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for _, l := range links {
		batch.Add(l.owner, l.Attribute, l.Value)
	}
	return batch
}

// writeFeatures replaces the features of products by the lists of the edits, and drops pending references to features.
func (ws *ProductWrites) writeFeatures(ctx context.Context) error {
	known := ws.existingKeys(func(e ProductEdit) bool { return e.Features != nil })
	if err := DropPending(ctx, ws.Tx, PendingFeature, known); err != nil {
		return err
	}

	gone := map[ownedValue]bool{}
	err := ws.Tx.QueryRows(ctx, OwnedValuesOfProductsSQL, write.KeyBatch(known),
		write.EachTriple(func(product, attribute, value int64) {
			gone[ownedValue{ValueKeys{attribute, value}, product}] = true
		}))
	if err != nil {
		return err
	}

	var links []ownedValue
	for _, w := range ws.List {
		for _, l := range w.features {
			carried := ownedValue{l, w.Product.Key}
			if !gone[carried] {
				links = append(links, carried)
			}
			delete(gone, carried)
		}
	}

	return write.ExecAll(ctx, ws.Tx,
		write.Statement{SQL: deleteFeaturesSQL, Batch: ownedValueBatch(slices.Collect(maps.Keys(gone)))},
		write.Statement{SQL: insertFeaturesSQL, Batch: ownedValueBatch(links)})
}

// existingKeys returns the keys of the existing products whose edits satisfy the function sent.
func (ws *ProductWrites) existingKeys(sent func(ProductEdit) bool) (keys []int64) {
	for _, w := range ws.List {
		if !w.Added && sent(w.Edit) {
			keys = append(keys, w.Product.Key)
		}
	}
	return keys
}

const categoriesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.category_key, x.canonical
FROM r
CROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.product_key = r.key)`

const deleteCategoriesSQL = `
WITH r(product_key, category_key) AS (ROWS), k(store_id, product_key, category_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.product_key, r.category_key
	FROM r)
DELETE FROM product_categories
WHERE (store_id, product_key, category_key) IN (SELECT store_id, product_key, category_key FROM k)`

// saveCategoriesSQL also marks existing links. Without WHERE TRUE, SQLite would parse ON as the condition of a join.
const saveCategoriesSQL = `
WITH r(product_key, category_key, canonical) AS (ROWS)
INSERT INTO product_categories (store_id, product_key, category_key, canonical)
SELECT $1, product_key, category_key, canonical
FROM r
WHERE TRUE
ON CONFLICT (store_id, product_key, category_key) DO UPDATE
SET canonical = EXCLUDED.canonical`

const dropPendingCategoriesSQL = deletePendingOfProductsSQL + `
RETURNING product_key, external_id, canonical`

const pendingCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT p.product_key, p.external_id
FROM r
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.product_key = r.key AND p.product_key IS NOT NULL)
WHERE p.kind = 'category'`

// These statements mark which of the categories that a product waits for is to be its canonical one. At most one is.
const (
	unmarkPendingSQL = `
WITH r(key) AS (ROWS)
UPDATE pending_references
SET canonical = FALSE
WHERE key IN (
	SELECT CASE WHEN p.canonical THEN p.key END
	FROM r
	CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.product_key = r.key
		AND p.product_key IS NOT NULL))`

	markPendingSQL = `
WITH r(key, external_id) AS (ROWS)
UPDATE pending_references
SET canonical = TRUE
WHERE key IN (
	SELECT CASE WHEN p.kind = 'category' AND p.external_id = r.external_id THEN p.key END
	FROM r
	CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.product_key = r.key
		AND p.product_key IS NOT NULL))`
)

// productCategory is the link of a product to a category, by keys.
type productCategory struct{ product, category int64 }

// CategoryMarks are the keys of the categories of a product, and whether each is marked as the canonical one. At most
// one of them is.
type CategoryMarks map[int64]bool

// Canonical returns the key of the category that is marked, or 0.
func (c CategoryMarks) Canonical() int64 {
	for key, isCanonical := range c {
		if isCanonical {
			return key
		}
	}
	return 0
}

// ReadCategories returns the categories of products, by row key.
func ReadCategories(ctx context.Context, tx store.Tx, productKeys []int64) (map[int64]CategoryMarks, error) {
	marks := make(map[int64]CategoryMarks, len(productKeys))
	for _, key := range productKeys {
		marks[key] = CategoryMarks{}
	}
	return marks, tx.QueryRows(ctx, categoriesOfProductsSQL, write.KeyBatch(productKeys),
		write.EachTriple(func(product, category int64, isCanonical bool) { marks[product][category] = isCanonical }))
}

// ReadPendingCategories returns the external ids of the categories that products wait for, by row key.
func ReadPendingCategories(ctx context.Context, tx store.Tx, productKeys []int64) (map[int64][]string, error) {
	pending := map[int64][]string{}
	return pending, tx.QueryRows(ctx, pendingCategoriesSQL, write.KeyBatch(productKeys),
		write.EachPair(func(product int64, externalID string) {
			pending[product] = append(pending[product], externalID)
		}))
}

// writeCategories replaces the categories of products by the lists of the edits, and drops pending references to
// categories. It marks the canonical categories of the edits. What an edit does not have stays: the mark, as long as
// the product has the category or waits for it, or the list.
func (ws *ProductWrites) writeCategories(ctx context.Context) error {
	listed := ws.existingKeys(func(e ProductEdit) bool { return e.Categories != nil })
	dropped, err := dropPendingCategories(ctx, ws.Tx, listed)
	if err != nil {
		return err
	}
	stored, err := ReadCategories(ctx, ws.Tx, ws.existingKeys(func(e ProductEdit) bool {
		return e.Categories != nil || e.CanonicalCategory != nil
	}))
	if err != nil {
		return err
	}

	saved := database.NewBatch(database.BigInt, database.BigInt, database.Bool)
	removed := database.NewBatch(database.BigInt, database.BigInt)
	for _, w := range ws.List {
		if w.Edit.Categories == nil && w.Edit.CanonicalCategory == nil {
			continue
		}

		had := stored[w.Product.Key]
		has := w.categories
		if w.Edit.Categories == nil {
			has = slices.Collect(maps.Keys(had))
		}
		canonical := ws.canonicalAfter(w, had, dropped[w.Product.Key])

		for _, category := range has {
			if wasCanonical, was := had[category]; !was || wasCanonical != (category == canonical) {
				saved.Add(w.Product.Key, category, category == canonical)
			}
			delete(had, category)
		}
		for category := range had {
			removed.Add(w.Product.Key, category)
		}
	}

	if err := ws.markPending(ctx); err != nil {
		return err
	}
	return write.ExecAll(ctx, ws.Tx, write.Statement{SQL: deleteCategoriesSQL, Batch: removed},
		write.Statement{SQL: saveCategoriesSQL, Batch: saved})
}

// canonicalAfter returns the key of the category that is marked after the write, or 0. The argument dropped is the
// external id of the canonical one among the pending references that the write replaces: if it has not come yet, the
// next references have the mark.
func (ws *ProductWrites) canonicalAfter(w *ProductWrite, had CategoryMarks, dropped string) int64 {
	if w.Edit.CanonicalCategory != nil {
		return w.canonical
	}
	if dropped == "" || ws.CategoryKey == nil {
		return had.Canonical()
	}
	key := ws.CategoryKey(dropped)
	if key == 0 {
		w.AwaitedCanonical = dropped
	}
	return key
}

// dropPendingCategories drops the pending references of products to categories. It returns the external ids of those
// that were marked as canonical, by the row key of the product.
func dropPendingCategories(ctx context.Context, tx store.Tx, productKeys []int64) (map[int64]string, error) {
	canonical := map[int64]string{}
	return canonical, tx.QueryRows(ctx, dropPendingCategoriesSQL, write.KeyBatch(productKeys),
		write.EachTriple(func(product int64, externalID string, isCanonical bool) {
			if isCanonical {
				canonical[product] = externalID
			}
		}), string(PendingCategory))
}

// markPending marks the pending references of products whose edits have a canonical category and no list.
func (ws *ProductWrites) markPending(ctx context.Context) error {
	unmark := ws.existingKeys(func(e ProductEdit) bool { return e.CanonicalCategory != nil && e.Categories == nil })
	mark := database.NewBatch(database.BigInt, database.Text)
	for _, w := range ws.List {
		if !w.Added && w.Edit.Categories == nil && w.AwaitedCanonical != "" {
			mark.Add(w.Product.Key, w.AwaitedCanonical)
		}
	}
	return write.ExecAll(ctx, ws.Tx, write.Statement{SQL: unmarkPendingSQL, Batch: write.KeyBatch(unmark)},
		write.Statement{SQL: markPendingSQL, Batch: mark})
}

// writeImages replaces the images of products by the lists of the edits.
func (ws *ProductWrites) writeImages(ctx context.Context) error {
	var galleries []gallery
	for _, w := range ws.List {
		if w.Edit.Images != nil {
			galleries = append(galleries, gallery{w.Product.Key, w.images})
		}
	}
	return setGalleries(ctx, ws.Tx, galleries, ws.Time.UnixMicro())
}

// fillLists replaces a list of each owner by the rows of a query. scan returns an element and the key of its owner.
func fillLists[Owner interface{ rowKey() int64 }, T any](
	ctx context.Context, tx store.Tx, sql string, owners []Owner, list func(Owner) *[]T,
	scan func(database.Rows) (owner int64, v T, err error),
) error {
	at := make(map[int64]Owner, len(owners))
	batch := database.NewBatch(database.BigInt)
	for _, o := range owners {
		*list(o) = nil
		at[o.rowKey()] = o
		batch.Add(o.rowKey())
	}

	return tx.QueryRows(ctx, sql, batch, func(rows database.Rows) error {
		key, v, err := scan(rows)
		if err != nil {
			return err
		}
		elements := list(at[key])
		*elements = append(*elements, v)
		return nil
	})
}

func (v *Variant) rowKey() int64 { return v.Key }
func (o *Offer) rowKey() int64   { return o.Key }

func scanAttributeValue(rows database.Rows) (owner int64, c AttributeValue, err error) {
	err = rows.Scan(&owner, &c.AttributeID, &c.Name, (*string)(&c.FieldType), &c.Value.ID, &c.Value.Name)
	return owner, c, err
}

// deleteFeatures removes values of features from products.
func deleteFeatures(ctx context.Context, tx store.Tx, values []ownedValue) error {
	return database.ExecRows(ctx, tx, deleteFeaturesSQL, ownedValueBatch(values))
}
