package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// The list is sorted by the key of the variant. The first statement is for all stocks, the second for one of them, $2.
// Subqueries look up the product of a variant, after all other conditions.
const (
	levelsSQL = `
SELECT w.id
FROM variants w
WHERE w.store_id = $1
  AND w.archived_at IS NULL`

	levelsOfStockSQL = `
SELECT w.id
FROM remainders m
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.key = m.variant_key)
WHERE m.store_id = $1
  AND m.stock_key = $2
  AND w.archived_at IS NULL`

	reservedVariantsSQL = `w.key IN (SELECT m.variant_key FROM remainders m WHERE m.store_id = $1 AND m.reserved > 0)`
	liveProductSQL      = `(SELECT p.archived_at FROM products p WHERE p.store_id = $1 AND p.key = w.product_key) IS NULL`
	foundProductsSQL    = `w.product_key IN (SELECT p.key FROM products p WHERE p.store_id = $1 AND p.words LIKE $n)`
)

const stockImpactSQL = `
SELECT
	(SELECT COUNT(*) FROM remainders m WHERE m.store_id = $1 AND m.stock_key = $2),
	(SELECT COUNT(*) FROM remainders m WHERE m.store_id = $1 AND m.stock_key = $2 AND m.reserved > 0)`

// levelVariants returns the ids of the variants of a page, and one more if there are more. With p.Before they are in
// descending order.
func levelVariants(
	ctx context.Context, tx store.Tx, f LevelFilter, stockKey int64, p LevelPage,
) (ids []VariantID, err error) {
	pending, err := readPendingDeletions(ctx, tx)
	if err != nil {
		return nil, err
	}
	sql, key, left, reserved := levelsSQL, "w.key", "w.available", reservedVariantsSQL
	if pending.stocks {
		left = AvailableSQL
	}
	c := store.NewConditions()
	if stockKey != 0 {
		sql, key, left, reserved = levelsOfStockSQL, "m.variant_key", "m.quantity - m.reserved", "m.reserved > 0"
		c = store.NewConditions(stockKey)
	}
	switch f.State {
	case RanOut:
		c.And(left + " <= 0")
	case LowStock:
		c.And(left + " > 0")
		c.And(left+" <= $n", int64(f.Low))
	case ReservedStock:
		c.And(reserved)
	case AnyStock:
	}
	for _, pattern := range locale.QueryPatterns(f.Search) {
		c.And(foundProductsSQL, pattern)
	}
	order := ""
	switch {
	case p.Before > 0:
		c.And(key+" < $n", p.Before)
		order = " DESC"
	case p.After > 0:
		c.And(key+" > $n", p.After)
	}
	c.And(liveProductSQL)
	sql += c.String() + "\nORDER BY " + key + order + c.LimitOffset(int64(p.Limit)+1, 0)
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendColumn(&ids))
	return ids, err
}

func readStockImpact(ctx context.Context, tx store.Tx, stockKey int64) (i StockImpact, err error) {
	err = database.QueryRow(ctx, tx, stockImpactSQL, []any{stockKey}, &i.Variants, &i.Reserved)
	return i, err
}
