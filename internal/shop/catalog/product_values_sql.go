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

const CategoryKeysOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.category_key
FROM r
CROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.product_key = r.key)`

const deleteCategoriesSQL = `
WITH r(product_key, category_key) AS (ROWS), k(store_id, product_key, category_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.product_key, r.category_key
	FROM r)
DELETE FROM product_categories
WHERE (store_id, product_key, category_key) IN (SELECT store_id, product_key, category_key FROM k)`

const insertCategoriesSQL = `
WITH r(product_key, category_key) AS (ROWS)
INSERT INTO product_categories (store_id, product_key, category_key)
SELECT $1, product_key, category_key
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

// productCategory is the link of a product to a category, by keys.
type productCategory struct{ product, category int64 }

// writeCategories does for categories what writeFeatures does for features.
func (ws *ProductWrites) writeCategories(ctx context.Context) error {
	known := ws.existingKeys(func(e ProductEdit) bool { return e.Categories != nil })
	if err := DropPending(ctx, ws.Tx, PendingCategory, known); err != nil {
		return err
	}

	gone := map[productCategory]bool{}
	err := ws.Tx.QueryRows(ctx, CategoryKeysOfProductsSQL, write.KeyBatch(known),
		write.EachPair(func(product, category int64) { gone[productCategory{product, category}] = true }))
	if err != nil {
		return err
	}

	added := database.NewBatch(database.BigInt, database.BigInt)
	removed := database.NewBatch(database.BigInt, database.BigInt)
	for _, w := range ws.List {
		for _, category := range w.categories {
			at := productCategory{w.Product.Key, category}
			if !gone[at] {
				added.Add(at.product, at.category)
			}
			delete(gone, at)
		}
	}

	for at := range gone {
		removed.Add(at.product, at.category)
	}

	return write.ExecAll(ctx, ws.Tx, write.Statement{SQL: deleteCategoriesSQL, Batch: removed},
		write.Statement{SQL: insertCategoriesSQL, Batch: added})
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
