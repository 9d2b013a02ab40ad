package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// The list is sorted by the key of the variant, and $2 is the key of the stock where one is selected. Each statement
// has its own way to the variants, whatever the planner knows of the tables:
//
//   - levelsSQL and levelsOfStockSQL read an index in the order of the list until the page is full; what is sold out
//     has
//     an index of its own, variants_sold_out;
//   - reservedLevelsSQL begins with what is reserved, which is little, by the index remainders_reserved;
//   - foundLevelsSQL and foundLevelsOfStockSQL begin with the products that a search finds.
//
// The condition liveProductSQL looks up the product of a variant, after all other conditions.
const (
	levelsSQL = `
SELECT w.id
FROM variants w
WHERE w.store_id = $1
  AND w.archived_at IS NULL`

	// firstSoldOutSQL is like levelsSQL for some of the variants of which nothing is left.
	firstSoldOutSQL = `
SELECT w.id
FROM (
	SELECT x.id, x.key, x.product_key, x.sold_out, x.available
	FROM variants x
	WHERE x.store_id = $1
	  AND x.sold_out
	  AND x.archived_at IS NULL
	ORDER BY x.key
	LIMIT $2) w
WHERE TRUE`

	levelsOfStockSQL = `
SELECT w.id
FROM remainders m
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.key = m.variant_key)
WHERE m.store_id = $1
  AND m.stock_key = $2
  AND w.archived_at IS NULL`

	// The unary plus keeps SQLite from reading all remainders in the order of their primary key for DISTINCT.
	reservedLevelsSQL = `
SELECT w.id
FROM (SELECT DISTINCT +m.variant_key AS key FROM remainders m WHERE m.store_id = $1 AND m.reserved > 0) r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.key = r.key)
WHERE w.archived_at IS NULL`

	foundLevelsSQL = `
SELECT w.id
FROM products p
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = p.key)
WHERE p.store_id = $1
  AND w.archived_at IS NULL`

	foundLevelsOfStockSQL = `
SELECT w.id
FROM products p
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = p.key)
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = w.key AND m.stock_key = $2)
WHERE p.store_id = $1
  AND w.archived_at IS NULL`

	reservedVariantSQL = `EXISTS (
	SELECT 1 FROM remainders m WHERE m.store_id = $1 AND m.variant_key = w.key AND m.reserved > 0)`
	// wantedProductSQL says that the product was ordered lately: see package order.
	wantedProductSQL = `(
	SELECT y.quantity FROM product_popularity y WHERE y.store_id = $1 AND y.product_key = w.product_key) > 0`
	liveProductSQL = `(SELECT p.archived_at FROM products p WHERE p.store_id = $1 AND p.key = w.product_key) IS NULL`
)

// setSortSQL turns sorting off or on until the end of the transaction. Without statistics PostgreSQL expects a store to
// have fewer variants than a page, and would read and sort all of them. If it must not sort, it can only read the index
// in the order of the list, and stops after the page.
const setSortSQL = `
SELECT set_config('enable_sort', $1, TRUE)`

const stockImpactSQL = `
SELECT
	(SELECT COUNT(*) FROM remainders m WHERE m.store_id = $1 AND m.stock_key = $2),
	(SELECT COUNT(*) FROM remainders m WHERE m.store_id = $1 AND m.stock_key = $2 AND m.reserved > 0)`

// levelVariants returns the ids of the variants of a page, and one more if there are more. With p.Before they are in
// descending order.
func levelVariants(
	ctx context.Context, tx store.Tx, f LevelFilter, stockKey int64, p LevelPage,
) (ids []catalog.VariantID, err error) {
	pending, err := catalog.ReadPendingDeletions(ctx, tx)
	if err != nil {
		return nil, err
	}

	r := newLevelRead(f, stockKey)
	left, soldOut := "w.available", "w.sold_out"
	if pending.Stocks {
		left = catalog.AvailableSQL
		soldOut = catalog.AvailableSQL + " <= 0"
	}

	c := store.NewConditions()
	if stockKey != 0 {
		left = "m.quantity - m.reserved"
		soldOut = "m.quantity <= m.reserved"
		c = store.NewConditions(stockKey)
	}

	if f.firstSoldOut {
		c = store.NewConditions(maxSoldOutRead)
	}

	switch f.State {
	case RanOut:
		c.And(soldOut)
	case Wanted:
		c.And(soldOut)
		c.And(wantedProductSQL)
	case LowStock:
		c.And(left + " > 0")
		c.And(left+" <= $n", int64(f.Low))
	case ReservedStock:
		c.And(r.reserved)
	case AnyStock:
	}

	for _, pattern := range locale.QueryPatterns(f.Search) {
		c.And("p.words LIKE $n", pattern)
	}

	order := ""
	switch {
	case p.Before > 0:
		c.And(r.key+" < $n", p.Before)
		order = " DESC"
	case p.After > 0:
		c.And(r.key+" > $n", p.After)
	}

	c.And(r.live)
	sql := r.sql + c.String() + "\nORDER BY " + r.key + order + c.LimitOffset(int64(p.Limit)+1, 0)
	read := func() error { return database.QueryEach(ctx, tx, sql, c.Args(), database.AppendColumn(&ids)) }
	if r.inIndexOrder {
		err = withoutSort(ctx, tx, read)
	} else {
		err = read()
	}

	return ids, err
}

// levelRead is a statement that reads a list of stock levels.
type levelRead struct {
	sql string
	// key is the key of the variant, by which the list is sorted.
	key string
	// reserved and live are the conditions that something is reserved, and that the product is not archived.
	reserved, live string
	// inIndexOrder says that the statement reads an index in the order of the list.
	inIndexOrder bool
}

func newLevelRead(f LevelFilter, stockKey int64) levelRead {
	oneStock := stockKey != 0
	search := len(locale.QueryPatterns(f.Search)) > 0
	r := levelRead{key: "w.key", reserved: reservedVariantSQL, live: liveProductSQL}
	if oneStock {
		r.reserved = "m.reserved > 0"
	}

	switch {
	case search:
		r.live = "p.archived_at IS NULL"
		if r.sql = foundLevelsSQL; oneStock {
			r.sql = foundLevelsOfStockSQL
		}
	case f.State == ReservedStock:
		if r.sql = levelsOfStockSQL; !oneStock {
			r.sql = reservedLevelsSQL
			r.reserved = "TRUE"
		}
	case f.firstSoldOut:
		r.inIndexOrder = true
		r.sql = firstSoldOutSQL
	default:
		r.inIndexOrder = true
		if r.sql = levelsSQL; oneStock {
			r.sql = levelsOfStockSQL
			r.key = "m.variant_key"
		}
	}

	return r
}

// withoutSort runs a read for which PostgreSQL must not sort; see setSortSQL.
func withoutSort(ctx context.Context, tx store.Tx, read func() error) error {
	if tx.Dialect().Engine != database.Postgres {
		return read()
	}
	var set string
	if err := database.QueryRow(ctx, tx.Unscoped(), setSortSQL, []any{"off"}, &set); err != nil {
		return err
	}
	if err := read(); err != nil {
		return err
	}
	return database.QueryRow(ctx, tx.Unscoped(), setSortSQL, []any{"on"}, &set)
}

func readStockImpact(ctx context.Context, tx store.Tx, stockKey int64) (i StockImpact, err error) {
	err = database.QueryRow(ctx, tx, stockImpactSQL, []any{stockKey}, &i.Variants, &i.Reserved)
	return i, err
}
