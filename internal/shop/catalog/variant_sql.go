package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Archived variants are read, too: they are restored if a request names them.
var storedVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT w.product_key, w.key, w.id, w.external_id, ` + VariantScalars.Columns("w.") + `, w.available, w.archived_at,
	w.combination, w.twin
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key)
ORDER BY w.product_key, w.key`

// variantColumns are the columns that ScanVariant reads.
var variantColumns = "w.key, w.product_key, w.id, w.external_id, " + VariantScalars.Columns("w.") + ", " +
	AvailableSQL + ", w.archived_at"

var VariantsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT ` + variantColumns + `
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key)
WHERE TRUE`

const productsOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT v.key, v.product_key
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.key = r.key)`

var selectVariantSQL = `
SELECT ` + variantColumns + `
FROM variants w
WHERE w.store_id = $1
  AND w.id = $2`

var listVariantsSQL = `
SELECT ` + variantColumns + `
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
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.variant_key = r.key)
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.key = x.attribute_key AND a.kind = 'option')
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = x.value_key AND v.deleted_at IS NULL)
ORDER BY x.variant_key, x.attribute_key, x.value_key`

// Clause returns the condition on the variants, which have the alias w, for the end of a WHERE clause.
func (which Archived) Clause() string {
	return [...]string{
		Live: "\n  AND w.archived_at IS NULL", OnlyArchived: "\n  AND w.archived_at IS NOT NULL", AnyArchived: "",
	}[which]
}

func ScanVariant(rows database.Rows) (Variant, error) {
	var v Variant
	var available *int64
	dest := VariantScalars.AppendScanned([]any{&v.Key, &v.ProductKey, &v.ID, &v.ExternalID}, &v)
	err := rows.Scan(append(dest, &available, database.NullTime(&v.ArchivedAt))...)
	v.Available = (*money.Quantity)(available)
	return v, err
}

// StoredVariants reads all variants of products, which the caller has locked, ordered by product and then by key.
func StoredVariants(ctx context.Context, tx store.Tx, productKeys []int64, fn func(StoredVariant)) error {
	return tx.QueryRows(ctx, storedVariantsSQL, write.KeyBatch(productKeys), func(rows database.Rows) error {
		var v StoredVariant
		var combination []byte
		var available *int64
		dest := VariantScalars.AppendScanned([]any{&v.ProductKey, &v.Key, &v.ID, &v.ExternalID}, &v.Variant)
		dest = append(dest, &available, database.NullTime(&v.ArchivedAt), &combination, &v.duplicateMark)
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		v.Combination, v.Available = string(combination), (*money.Quantity)(available)
		fn(v)
		return nil
	})
}

// productsOfVariants returns the keys of the products of variants, by variant key. Deleted variants are left out.
func productsOfVariants(ctx context.Context, tx store.Tx, variantKeys []int64) (map[int64]int64, error) {
	products := make(map[int64]int64, len(variantKeys))
	return products, tx.QueryRows(ctx, productsOfVariantsSQL, write.KeyBatch(variantKeys), database.PutPairs(products))
}

// selectVariant reads a variant, or returns fault.NotFound.
func selectVariant(ctx context.Context, tx store.Tx, variantID VariantID) (Variant, error) {
	return store.SelectOne(ctx, tx, selectVariantSQL, []any{variantID}, "variant", ScanVariant)
}

// listVariants reads one page of a product's variants, oldest first. The parameter which selects live variants,
// archived ones, or both.
func listVariants(
	ctx context.Context, tx store.Tx, productKey int64, which Archived, limit, offset int64,
) ([]Variant, int64, error) {
	list := store.ListSQL{
		Select: listVariantsSQL + which.Clause(), Count: countVariantsSQL + which.Clause(), OrderBy: "w.key",
	}
	return store.SelectPage(ctx, tx, list, store.NewConditions(productKey), limit, offset, ScanVariant)
}

const remaindersOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, s.id, m.quantity, m.reserved
FROM r
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = r.key)
CROSS JOIN LOOKUP (stocks s WHERE s.store_id = $1 AND s.key = m.stock_key AND s.deleted_at IS NULL)
ORDER BY m.variant_key, m.stock_key`

// fillVariantDetails fills in the options of variants, oldest option first, their remainders, oldest stock first, and
// their images.
func fillVariantDetails(ctx context.Context, tx store.Tx, variants []*Variant) error {
	err := fillLists(ctx, tx, optionsOfVariantsSQL, variants,
		func(v *Variant) *[]AttributeValue { return &v.Options }, scanAttributeValue)
	if err != nil {
		return err
	}
	if err := FillRemainders(ctx, tx, variants); err != nil {
		return err
	}
	return fillVariantImages(ctx, tx, variants)
}

// FillRemainders fills in the remainders of variants, oldest stock first.
func FillRemainders(ctx context.Context, tx store.Tx, variants []*Variant) error {
	return fillLists(ctx, tx, remaindersOfVariantsSQL, variants,
		func(v *Variant) *[]Remainder { return &v.Remainders },
		func(rows database.Rows) (owner int64, m Remainder, err error) {
			err = rows.Scan(&owner, &m.StockID, (*int64)(&m.Quantity), (*int64)(&m.Reserved))
			return owner, m, err
		})
}
