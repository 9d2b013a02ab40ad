package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

const slugsOfProductIDsSQL = `
WITH r(id) AS (ROWS)
SELECT p.id, p.slug
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = r.id)`

// Slugs returns the present slug of each product, archived ones included. It is "" for a product that has none yet. Ids
// that the store does not have are left out.
func Slugs(
	ctx context.Context, tx store.Tx, ids []catalog.ProductID,
) (_ map[catalog.ProductID]slug.Slug, err error) {
	defer fault.AddContext(&err, "read the slugs of %d products", len(ids))
	slugs := make(map[catalog.ProductID]slug.Slug, len(ids))
	return slugs, tx.QueryRows(ctx, slugsOfProductIDsSQL, uniqueIDs(ids), database.PutPairs(slugs))
}
