package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const findCategorySQL = `
SELECT key, id, name
FROM categories
WHERE store_id = $1
  AND id = $2`

const attributeColumns = `a.key, a.id, a.kind, a.name, a.filterable, a.field_type, a.version`

const findAttributesSQL = `
WITH r(id) AS (ROWS)
SELECT ` + attributeColumns + `
FROM r
CROSS JOIN attributes a
WHERE a.store_id = $1
  AND a.id = r.id`

const findValuesSQL = `
WITH r(id) AS (ROWS)
SELECT v.key, v.id, v.name, v.attribute_key
FROM r
CROSS JOIN attribute_values v
WHERE v.store_id = $1
  AND v.id = r.id`

// findCategory returns the category with this id, or database.ErrNoRows.
func findCategory(ctx context.Context, tx store.Tx, id catalog.CategoryID) (CategoryCount, error) {
	var c CategoryCount
	err := database.QueryRow(ctx, tx, findCategorySQL, []any{id}, &c.key, &c.ID, &c.Name)
	return c, err
}

// findNamedAttributes looks up all attributes and values that a query refers to, with one statement per table.
func findNamedAttributes(ctx context.Context, tx store.Tx, query Query) (namedAttributes, error) {
	named := namedAttributes{map[catalog.AttributeID]attribute{}, map[catalog.ValueID]namedValue{}}
	attributes, values := database.NewBatch(database.UUID), database.NewBatch(database.UUID)
	for _, list := range [][]Choice{query.Features, query.Options} {
		for _, c := range list {
			attributes.Add(c.ID)
			for _, v := range c.Values {
				values.Add(v)
			}
		}
	}
	err := tx.QueryRows(ctx, findAttributesSQL, attributes, func(rows database.Rows) error {
		a, err := scanSearchAttribute(rows)
		named.attributes[a.id] = a
		return err
	})
	if err != nil {
		return namedAttributes{}, err
	}
	err = tx.QueryRows(ctx, findValuesSQL, values, func(rows database.Rows) error {
		var v namedValue
		err := rows.Scan(&v.key, &v.id, &v.name, &v.attribute)
		named.values[v.id] = v
		return err
	})
	return named, err
}

func scanSearchAttribute(rows database.Rows) (attribute, error) {
	var a attribute
	err := rows.Scan(&a.key, &a.id, (*string)(&a.kind), &a.name, &a.filterable, (*string)(&a.fieldType), &a.version)
	return a, err
}
