package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// If rows are locked, they are locked in this order.
const offersSQL = `
WITH r(id) AS (ROWS)
SELECT v.key, v.product_key, v.id, v.name, v.sku, v.price, v.archived_at, p.id, p.name, p.archived_at
FROM r
CROSS JOIN variants v
CROSS JOIN products p
WHERE v.store_id = $1
  AND v.id = r.id
  AND p.store_id = $1
  AND p.key = v.product_key
ORDER BY p.key, v.key`

// offersOf reads variants with the data of their products, without options.
func offersOf(ctx context.Context, tx store.Tx, ids []VariantID, lock rowLock) (map[VariantID]*Offer, error) {
	offers := make(map[VariantID]*Offer, len(ids))
	clause := lock.clause(tx.Unscoped())
	if clause != "" {
		clause += " OF p, v"
	}
	err := tx.QueryRows(ctx, offersSQL+clause, database.BatchOf(database.UUID, ids), func(rows database.Rows) error {
		var o Offer
		var archived, productArchived *int64
		err := rows.Scan(&o.Key, &o.ProductKey, &o.ID, &o.VariantName, &o.SKU, (*int64)(&o.Price), &archived,
			&o.ProductID, &o.ProductName, &productArchived)
		o.Live = archived == nil && productArchived == nil
		offers[o.ID] = &o
		return err
	})
	return offers, err
}

// lockOffers is offersOf, and locks the variants and their products against writes until the transaction ends. Lock
// order: each product before its variants, as in all writers. The rows are read after the locks are acquired, so they
// are current.
func lockOffers(ctx context.Context, tx store.Tx, ids []VariantID) (map[VariantID]*Offer, error) {
	return offersOf(ctx, tx, ids, forUpdate)
}

func fillOfferOptions(ctx context.Context, tx store.Tx, offers map[VariantID]*Offer) error {
	at, batch := make(map[int64]*Offer, len(offers)), database.NewBatch(database.BigInt)
	for _, o := range offers {
		at[o.Key] = o
		batch.Add(o.Key)
	}
	return tx.QueryRows(ctx, optionsOfVariantsSQL, batch, func(rows database.Rows) error {
		key, c, err := scanAttributeValue(rows)
		if err != nil {
			return err
		}
		at[key].Options = append(at[key].Options, c)
		return nil
	})
}
