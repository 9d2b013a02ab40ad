package harness

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// ReadProductRows reads the columns of all products that exports and feeds have, one table after the other, without
// making anything of them.
func ReadProductRows(ctx context.Context, db *database.DB, storeID store.ID) error {
	var key, other, third int64
	var name, text, modifiers string
	var externalID *string
	var imageID []byte

	queries := []struct {
		sql  string
		dest []any
	}{
		{`SELECT key, external_id, name, description, modifiers FROM products WHERE store_id = $1 ` +
			`AND archived_at IS NULL ORDER BY key`,
			[]any{&key, &externalID, &name, &text, &modifiers}},
		{`SELECT product_key, category_key FROM product_categories WHERE store_id = $1 ORDER BY product_key`,
			[]any{&key, &other}},
		{`SELECT product_key, attribute_key, value_key FROM product_values WHERE store_id = $1 ORDER BY product_key`,
			[]any{&key, &other, &third}},
		{`SELECT product_key, id FROM images WHERE store_id = $1 AND product_key IS NOT NULL ORDER BY product_key`,
			[]any{&key, &imageID}},
		{`SELECT key, product_key, external_id, name, sku, price FROM variants WHERE store_id = $1 ` +
			`AND archived_at IS NULL ORDER BY product_key`,
			[]any{&key, &other, &externalID, &name, &text, &third}},
		{`SELECT variant_key, attribute_key, value_key FROM variant_values WHERE store_id = $1 ORDER BY variant_key`,
			[]any{&key, &other, &third}},
		{`SELECT variant_key, stock_key, quantity FROM remainders WHERE store_id = $1 ORDER BY variant_key`,
			[]any{&key, &other, &third}},
	}

	return db.Snapshot(ctx, func(q database.Querier) error {
		for _, query := range queries {
			err := database.QueryEach(ctx, q, query.sql, []any{storeID},
				func(rows database.Rows) error { return rows.Scan(query.dest...) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}
