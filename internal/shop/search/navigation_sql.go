package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const navigationSQL = `
SELECT p.key, x.category_key
FROM products p
CROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.product_key = p.key)
WHERE p.store_id = $1
  AND p.archived_at IS NULL
ORDER BY p.key`

// navigationBySQL is like searchColumns.navigation. It reads all products of the store.
func navigationBySQL(ctx context.Context, tx store.Tx) (Navigation, error) {
	var tree categoryTree
	if err := tree.load(ctx, tx); err != nil {
		return nil, err
	}

	branches := tree.newBranches()
	err := database.QueryEach(ctx, tx, navigationSQL, nil, func(rows database.Rows) error {
		var product, category int64
		err := rows.Scan(&product, &category)
		if id, ok := tree.ids[category]; ok {
			branches.add(id, product, 1)
			branches.addFirst(id, product)
		}
		return err
	})
	return branches.navigation(), err
}
