package view

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// Attributes of other kinds are hidden, and so is what has a deleted_at; see Attributes.Stage and Deletions.
const attributeNamesSQL = `
WITH r(key) AS (ROWS)
SELECT a.key, a.id, a.name, a.field_type, a.version
FROM r
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.key = r.key AND a.kind IN ('option', 'feature'))`

const valueNamesSQL = `
WITH r(key) AS (ROWS)
SELECT v.key, v.attribute_key, v.id, v.name
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = r.key AND v.deleted_at IS NULL)`

// categoryNamesSQL reads categories and those above them.
const categoryNamesSQL = `
WITH RECURSIVE r(key) AS (ROWS), up(key) AS (
	SELECT r.key
	FROM r
	UNION
	SELECT (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
	FROM up
	WHERE up.key IS NOT NULL)
SELECT c.key, c.parent_key, c.id, c.name, c.slug
FROM up
CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.key = up.key AND c.deleted_at IS NULL)`

// NameKeys are the row keys of objects that products refer to.
type NameKeys struct{ Attributes, Values, Categories []int64 }

// Names are the names of objects that products refer to. Objects that do not exist are left out.
type Names struct {
	Attributes []AttributeName
	Values     []ValueName
	Categories []CategoryName
}

// AttributeName has what a product shows of an option or a feature.
type AttributeName struct {
	Key       int64
	ID        catalog.AttributeID
	Name      string
	FieldType catalog.FieldType
	Version   int64 // increases with every change of the attribute or of one of its values
}

// ValueName has what a product shows of a value.
type ValueName struct {
	Key, AttributeKey int64
	ID                catalog.ValueID
	Name              string
}

// CategoryName has what a product shows of a category.
type CategoryName struct {
	Key  int64
	ID   catalog.CategoryID
	Name string
	Slug slug.Slug
	// Above are the categories above it, the root first. Those of other categories are empty.
	Above []CategoryName
}

// ReadNames reads the names of objects in one round trip to the database.
func ReadNames(ctx context.Context, tx store.Tx, keys NameKeys) (names Names, err error) {
	defer fault.AddContext(&err, "read the names of %d values", len(keys.Values))

	categories := map[int64]CategoryName{}
	parents := map[int64]int64{}
	err = tx.QueryAll(ctx,
		database.BatchQuery{SQL: attributeNamesSQL, Batch: write.KeyBatch(keys.Attributes),
			Each: database.AppendScanned(&names.Attributes, func(rows database.Rows) (a AttributeName, err error) {
				err = rows.Scan(&a.Key, &a.ID, &a.Name, (*string)(&a.FieldType), &a.Version)
				return a, err
			})},
		database.BatchQuery{SQL: valueNamesSQL, Batch: write.KeyBatch(keys.Values),
			Each: database.AppendScanned(&names.Values, func(rows database.Rows) (v ValueName, err error) {
				err = rows.Scan(&v.Key, &v.AttributeKey, &v.ID, &v.Name)
				return v, err
			})},
		database.BatchQuery{SQL: categoryNamesSQL, Batch: write.KeyBatch(keys.Categories),
			Each: func(rows database.Rows) error {
				var c CategoryName
				var parent *int64
				err := rows.Scan(&c.Key, &parent, &c.ID, &c.Name, &c.Slug)
				categories[c.Key] = c
				if parent != nil {
					parents[c.Key] = *parent
				}
				return err
			}})

	for _, key := range keys.Categories {
		if c, ok := categories[key]; ok {
			c.Above = categoriesAbove(categories, parents, key)
			names.Categories = append(names.Categories, c)
		}
	}

	return names, err
}

// categoriesAbove returns the categories above one, the root first. The map parents has the keys of parents.
func categoriesAbove(categories map[int64]CategoryName, parents map[int64]int64, key int64) (above []CategoryName) {
	for len(above) < len(categories) {
		parent, ok := parents[key]
		if !ok {
			break
		}
		c, ok := categories[parent]
		if !ok {
			break
		}
		above = append(above, c)
		key = parent
	}
	slices.Reverse(above)
	return above
}
