package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// Archived variants are read too: they are restored if a request names them.
const storedVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT w.product_key, w.key, w.id, w.external_id, w.name, w.sku, w.price, w.available, w.archived_at, w.combination, w.twin
FROM r
CROSS JOIN variants w
WHERE w.store_id = $1
  AND w.product_key = r.key
ORDER BY w.product_key, w.key`

const variantsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT w.key, w.product_key, w.id, w.external_id, w.name, w.sku, w.price, w.available, w.archived_at
FROM r
CROSS JOIN variants w
WHERE w.store_id = $1
  AND w.product_key = r.key`

const selectVariantSQL = `
SELECT w.key, w.product_key, w.id, w.external_id, w.name, w.sku, w.price, w.available, w.archived_at
FROM variants w
WHERE w.store_id = $1
  AND w.id = $2`

const listVariantsSQL = `
SELECT w.key, w.product_key, w.id, w.external_id, w.name, w.sku, w.price, w.available, w.archived_at
FROM variants w
WHERE w.store_id = $1
  AND w.product_key = $2`

const countVariantsSQL = `
SELECT COUNT(*)
FROM variants w
WHERE w.store_id = $1
  AND w.product_key = $2`

const optionsOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, a.id, a.name, a.field_type, v.id, v.name
FROM r
CROSS JOIN variant_values x
CROSS JOIN attributes a
CROSS JOIN attribute_values v
WHERE x.store_id = $1
  AND x.variant_key = r.key
  AND a.store_id = $1
  AND a.key = x.attribute_key
  AND v.store_id = $1
  AND v.key = x.value_key
ORDER BY x.variant_key, x.attribute_key, x.value_key`

// clause returns the condition on variants w for the end of a WHERE clause.
func (which Archived) clause() string {
	switch which {
	case OnlyArchived:
		return "\n  AND w.archived_at IS NOT NULL"
	case AnyArchived:
		return ""
	case Live:
	}
	return "\n  AND w.archived_at IS NULL"
}

func scanVariant(rows database.Rows) (Variant, error) {
	var v Variant
	var available *int64
	err := rows.Scan(&v.Key, &v.ProductKey, &v.ID, &v.ExternalID, &v.Name, &v.SKU, (*int64)(&v.Price), &available,
		database.NullTime(&v.ArchivedAt))
	v.Available = (*Quantity)(available)
	return v, err
}

// storedVariants reads all variants of products, ordered by product and then by key. The caller has locked the
// products.
func storedVariants(ctx context.Context, tx store.Tx, productKeys []int64, fn func(storedVariant)) error {
	return tx.QueryRows(ctx, storedVariantsSQL, database.BatchOf(database.BigInt, productKeys), func(rows database.Rows) error {
		var v storedVariant
		var combination []byte
		var available *int64
		err := rows.Scan(&v.ProductKey, &v.Key, &v.ID, &v.ExternalID, &v.Name, &v.SKU, (*int64)(&v.Price), &available,
			database.NullTime(&v.ArchivedAt), &combination, &v.duplicateKey)
		if err != nil {
			return err
		}
		v.combination, v.Available = string(combination), (*Quantity)(available)
		fn(v)
		return nil
	})
}

// selectVariant reads a variant of a product, or returns fault.NotFound.
func selectVariant(ctx context.Context, tx store.Tx, productKey int64, variantID VariantID) (Variant, error) {
	var v Variant
	found := false
	err := database.QueryEach(ctx, tx, selectVariantSQL, []any{variantID}, func(rows database.Rows) (err error) {
		v, err = scanVariant(rows)
		found = v.ProductKey == productKey
		return err
	})
	if err == nil && !found {
		err = fault.Missing("variant")
	}
	return v, err
}

// listVariants reads one page of those variants of a product that match which, oldest first.
func listVariants(
	ctx context.Context, tx store.Tx, productKey int64, which Archived, limit, offset int64,
) ([]Variant, int64, error) {
	list := store.ListSQL{
		Select: listVariantsSQL + which.clause(), Count: countVariantsSQL + which.clause(), OrderBy: "w.key",
	}
	return store.SelectPage(ctx, tx, list, store.NewConditions(productKey), limit, offset, scanVariant)
}

// fillVariants fills in those variants of products that match which, oldest first.
func fillVariants(ctx context.Context, tx store.Tx, products []Product, which Archived) error {
	at := productsByKey(products)
	for i := range products {
		products[i].Variants = nil
	}
	return tx.QueryRows(ctx, variantsOfProductsSQL+which.clause()+"\nORDER BY w.product_key, w.key",
		productBatch(products), func(rows database.Rows) error {
			v, err := scanVariant(rows)
			if err != nil {
				return err
			}
			p := at[v.ProductKey]
			p.Variants = append(p.Variants, v)
			return nil
		})
}

func variantsByKey(variants []*Variant) (map[int64]*Variant, *database.Batch) {
	at, batch := make(map[int64]*Variant, len(variants)), database.NewBatch(database.BigInt)
	for _, v := range variants {
		at[v.Key] = v
		batch.Add(v.Key)
	}
	return at, batch
}

// fillOptions fills in the options of variants, oldest option first.
func fillOptions(ctx context.Context, tx store.Tx, variants []*Variant) error {
	at, batch := variantsByKey(variants)
	return tx.QueryRows(ctx, optionsOfVariantsSQL, batch, func(rows database.Rows) error {
		key, c, err := scanAttributeValue(rows)
		if err != nil {
			return err
		}
		v := at[key]
		v.Options = append(v.Options, c)
		return nil
	})
}
