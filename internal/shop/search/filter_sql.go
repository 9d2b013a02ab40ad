package search

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const findCategorySQL = `
SELECT key, id, name, slug
FROM categories
WHERE store_id = $1
  AND id = $2
  AND deleted_at IS NULL`

const attributeColumns = `a.key, a.id, a.kind, a.name, a.filterable, a.field_type, a.version`

// Other kinds are hidden; see catalog.Attributes.Stage. Here and below, deleted_at marks what catalog.Deletions hides.
const findAttributesSQL = `
WITH r(id) AS (ROWS)
SELECT ` + attributeColumns + `
FROM r
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.id = r.id)
WHERE a.kind IN ('option', 'feature')`

const findValuesSQL = `
WITH r(id) AS (ROWS)
SELECT v.key, v.id, v.name, v.position, v.attribute_key
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.id = r.id AND v.deleted_at IS NULL)`

const findProductsByIDSQL = `
WITH r(id) AS (ROWS)
SELECT p.id, p.key
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = r.id)`

const findProductsByExternalIDSQL = `
WITH r(external_id) AS (ROWS)
SELECT p.external_id, p.key
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.external_id = r.external_id)`

const findProductsByBarcodeSQL = `
SELECT DISTINCT w.product_key
FROM variant_barcodes b
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.key = b.variant_key AND w.archived_at IS NULL)
WHERE b.store_id = $1
  AND b.barcode = $2
ORDER BY w.product_key
LIMIT $3`

// findNamedProducts returns the row keys of the products that the query names, without repetition and in the order of
// the list. If the query names them in several ways, a product must be in all of the lists. The result is never nil.
func findNamedProducts(ctx context.Context, tx store.Tx, query Query) ([]int64, error) {
	byID, err := findKeys(ctx, tx, findProductsByIDSQL, database.UUID, query.IDs)
	if err != nil {
		return nil, err
	}

	byExternalID, err := findKeys(ctx, tx, findProductsByExternalIDSQL, database.Text, query.ExternalIDs)
	if err != nil {
		return nil, err
	}

	byBarcode := []int64{}
	if query.Barcode != "" {
		err := database.QueryEach(ctx, tx, findProductsByBarcodeSQL, []any{query.Barcode, maxWithBarcode},
			database.AppendColumn(&byBarcode))
		if err != nil {
			return nil, err
		}
	}

	var named []int64
	for _, list := range []struct {
		isGiven bool
		keys    []int64
	}{{query.IDs != nil, byID}, {query.ExternalIDs != nil, byExternalID}, {query.Barcode != "", byBarcode}} {
		switch {
		case !list.isGiven:
		case named == nil:
			named = list.keys
		default:
			named = slices.DeleteFunc(named, func(key int64) bool { return !slices.Contains(list.keys, key) })
		}
	}

	return named, nil
}

// findKeys runs a statement that returns a name and a row key for each known name. It returns the keys in the order of
// the names, without repetition.
func findKeys[Name comparable](
	ctx context.Context, tx store.Tx, statement string, column database.ColumnType, names []Name,
) ([]int64, error) {
	batch := database.NewBatch(column)
	unique := make(map[Name]bool, len(names))
	for _, name := range names {
		if !unique[name] {
			unique[name] = true
			batch.Add(name)
		}
	}

	found := make(map[Name]int64, len(unique))
	err := tx.QueryRows(ctx, statement, batch, func(rows database.Rows) error {
		var name Name
		var key int64
		err := rows.Scan(&name, &key)
		found[name] = key
		return err
	})
	if err != nil {
		return nil, err
	}

	keys := make([]int64, 0, len(found))
	for _, name := range names {
		if key, ok := found[name]; ok {
			keys = append(keys, key)
			delete(found, name)
		}
	}

	return keys, nil
}

// findCategory returns the category with this id, or database.ErrNoRows.
func findCategory(ctx context.Context, tx store.Tx, id catalog.CategoryID) (CategoryCount, error) {
	var c CategoryCount
	err := database.QueryRow(ctx, tx, findCategorySQL, []any{id}, &c.key, &c.ID, &c.Name, &c.Slug)
	return c, err
}

// findNamedAttributes looks up all attributes and values that a query refers to, with one statement per table.
func findNamedAttributes(ctx context.Context, tx store.Tx, query Query) (namedAttributes, error) {
	named := newNamedAttributes()
	attributes := database.NewBatch(database.UUID)
	values := database.NewBatch(database.UUID)
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
		err := rows.Scan(&v.key, &v.id, &v.name, &v.position, &v.attribute)
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
