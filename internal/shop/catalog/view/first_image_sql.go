package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const imagesOfProductIDsSQL = `
WITH r(id) AS (ROWS)
SELECT p.id, i.id, i.format, i.opaque
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = r.id)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = p.key)
ORDER BY p.key, i.position, i.key`

// FirstImages returns the first image of each product, archived ones included. Products without an image, and ids that
// the store does not have, are left out. Only ID, Format and Opaque of an image are set.
func FirstImages(
	ctx context.Context, tx store.Tx, ids []catalog.ProductID,
) (_ map[catalog.ProductID]*catalog.Image, err error) {
	defer fault.AddContext(&err, "read the first images of %d products", len(ids))

	unique := make(map[catalog.ProductID]bool, len(ids))
	batch := database.NewBatch(database.UUID)
	for _, id := range ids {
		if !unique[id] {
			unique[id] = true
			batch.Add(id)
		}
	}

	first := make(map[catalog.ProductID]*catalog.Image, len(unique))

	err = tx.QueryRows(ctx, imagesOfProductIDsSQL, batch, func(rows database.Rows) error {
		var productID catalog.ProductID
		var im catalog.Image
		err := rows.Scan(&productID, &im.ID, &im.Format, &im.Opaque)
		if first[productID] == nil {
			first[productID] = &im
		}
		return err
	})

	return first, err
}
