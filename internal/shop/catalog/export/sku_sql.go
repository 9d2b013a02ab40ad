package export

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// The condition on the empty SKU is that of the index.
const variantsBySKUSQL = `
WITH r(sku) AS (ROWS)
SELECT v.sku, p.key, p.external_id, v.external_id,
	(SELECT COUNT(*) FROM variants w WHERE w.store_id = $1 AND w.product_key = p.key AND w.archived_at IS NULL)
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.sku = r.sku AND v.sku <> '' AND v.archived_at IS NULL)
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = v.product_key)
WHERE p.archived_at IS NULL
ORDER BY v.sku, p.key, v.key`

// SKUVariant is a live variant with an SKU, by its external ids. The only variant of a product may have none.
type SKUVariant struct {
	Product, Variant string
	Only             bool // the product has no other variant
}

// maxSKUVariants limits the variants with one SKU that are returned.
const maxSKUVariants = 10

// VariantsBySKU returns the live variants with each SKU, at most maxSKUVariants of each. It gives them and their
// products external ids if they lack them, and returns the row keys of the products that got some; the caller records
// the change.
func (s *Exports) VariantsBySKU(
	ctx context.Context, tx store.Tx, skus map[string]bool,
) (found map[string][]SKUVariant, changed []int64, err error) {
	defer fault.AddContext(&err, "find %d variants by SKU", len(skus))

	found, nameless, err := variantsBySKU(ctx, tx, skus)
	if err != nil || len(nameless) == 0 {
		return found, nil, err
	}

	changed = write.SortedKeys(nameless)
	if _, err := s.assignProductKeys(ctx, tx, changed); err != nil {
		return nil, nil, err
	}
	if _, err := s.assignVariantsOf(ctx, tx, changed); err != nil {
		return nil, nil, err
	}
	found, _, err = variantsBySKU(ctx, tx, skus)
	return found, changed, err
}

// variantsBySKU also returns the row keys of products that lack an external id, or whose variants lack theirs.
func variantsBySKU(
	ctx context.Context, tx store.Tx, skus map[string]bool,
) (found map[string][]SKUVariant, nameless map[int64]bool, err error) {
	found, nameless = map[string][]SKUVariant{}, map[int64]bool{}
	batch := database.NewBatch(database.Text)
	for _, sku := range write.SortedStrings(skus) {
		batch.Add(sku)
	}

	err = tx.QueryRows(ctx, variantsBySKUSQL, batch, func(rows database.Rows) error {
		var sku string
		var key, siblings int64
		var product, variant *string
		if err := rows.Scan(&sku, &key, &product, &variant, &siblings); err != nil {
			return err
		}

		if len(found[sku]) == maxSKUVariants {
			return nil
		}
		v := SKUVariant{Only: siblings == 1}
		if product != nil {
			v.Product = *product
		}
		if variant != nil {
			v.Variant = *variant
		}
		if product == nil || variant == nil && !v.Only {
			nameless[key] = true
		}
		found[sku] = append(found[sku], v)
		return nil
	})
	return found, nameless, err
}
