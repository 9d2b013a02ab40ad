package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const productLabelsSQL = `
WITH r(external_id) AS (ROWS)
SELECT p.external_id, p.name, COALESCE(p.article, '')
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.external_id = r.external_id)`

// IS NOT NULL matches the condition of a partial index; see docs/planner.md.
const variantLabelsSQL = `
WITH r(external_id) AS (ROWS)
SELECT v.external_id, p.name, COALESCE(NULLIF(v.sku, ''), p.article, '')
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.external_id = r.external_id AND v.external_id IS NOT NULL)
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = v.product_key)`

// Label returns what people call a good: its name and, in brackets, its article, if it has one.
func Label(name, article string) string {
	if article == "" || name == "" {
		return name + article
	}
	return name + " (" + article + ")"
}

// ProductLabels returns the labels of products by external id. Those that do not exist have none.
func ProductLabels(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]string, error) {
	return readLabels(ctx, tx, productLabelsSQL, externalIDs)
}

// VariantLabels returns the labels of variants, by external id: the name of the product and the variant's SKU.
func VariantLabels(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]string, error) {
	return readLabels(ctx, tx, variantLabelsSQL, externalIDs)
}

func readLabels(ctx context.Context, tx store.Tx, sql string, externalIDs []string) (map[string]string, error) {
	labels := map[string]string{}
	err := tx.QueryRows(ctx, sql, write.TextBatch(externalIDs), func(rows database.Rows) error {
		var id, name, article string
		if err := rows.Scan(&id, &name, &article); err != nil {
			return err
		}
		labels[id] = Label(name, article)
		return nil
	})
	return labels, err
}
