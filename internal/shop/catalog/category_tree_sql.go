package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const categoryTreeSQL = `
SELECT key, id, external_id, name, slug, version, parent_key
FROM categories
WHERE store_id = $1
  AND deleted_at IS NULL
ORDER BY position, key`

const siblingsSQL = `
SELECT key, id, position
FROM categories
WHERE store_id = $1
  AND deleted_at IS NULL`

const setCategoryPositionsSQL = `
WITH r(key, position) AS (ROWS)
UPDATE categories
SET position = r.position
FROM r
WHERE categories.store_id = $1
  AND categories.key = r.key`

const categoryImpactSQL = `
SELECT
	(SELECT COUNT(*) FROM product_categories x WHERE x.store_id = $1 AND x.category_key = $2),
	(SELECT COUNT(*) FROM categories c WHERE c.store_id = $1 AND c.parent_key = $2 AND c.deleted_at IS NULL)`

// ReadCategoryTree returns all categories of the store. Its memory is proportional to their number, which is thousands
// in a large store.
func ReadCategoryTree(ctx context.Context, tx store.Tx) (_ *CategoryTree, err error) {
	defer fault.AddContext(&err, "read the category tree")
	var sorted []*CategoryNode
	err = database.QueryEach(ctx, tx, categoryTreeSQL, nil,
		database.AppendScanned(&sorted, func(rows database.Rows) (*CategoryNode, error) {
			n := &CategoryNode{}
			return n, ScanCategoryNode(rows, n)
		}))
	if err != nil {
		return nil, err
	}
	return newCategoryTree(sorted), nil
}

func ScanCategoryNode(rows database.Rows, n *CategoryNode) error {
	return rows.Scan(&n.Key, &n.ID, &n.ExternalID, &n.Name, &n.Slug, &n.Version, &n.ParentKey)
}

// siblingCategory is a category with its position among its siblings.
type siblingCategory struct {
	key      int64
	id       CategoryID
	position int64
}

// siblingsOf returns the children of a category, or the root categories for nil, in their order.
func siblingsOf(ctx context.Context, tx store.Tx, parentKey *int64) (list []siblingCategory, err error) {
	c := store.NewConditions()
	if parentKey == nil {
		c.And("parent_key IS NULL")
	} else {
		c.And("parent_key = $n", *parentKey)
	}
	err = database.QueryEach(ctx, tx, siblingsSQL+c.String()+"\nORDER BY position, key", c.Args(),
		database.AppendScanned(&list, func(rows database.Rows) (o siblingCategory, err error) {
			err = rows.Scan(&o.key, &o.id, &o.position)
			return o, err
		}))
	return list, err
}

// writeCategoryPositions stores the order of siblings, from 1 on. Those that have their place already are not written.
func writeCategoryPositions(ctx context.Context, tx store.Tx, siblings []siblingCategory) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for i, o := range siblings {
		if place := int64(i + 1); o.position != place {
			batch.Add(o.key, place)
		}
	}
	return database.ExecRows(ctx, tx, setCategoryPositionsSQL, batch)
}

func readCategoryImpact(ctx context.Context, tx store.Tx, categoryKey int64) (i CategoryImpact, err error) {
	err = database.QueryRow(ctx, tx, categoryImpactSQL, []any{categoryKey}, &i.Products, &i.Children)
	return i, err
}
