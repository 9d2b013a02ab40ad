package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

const listStocksSQL = `
SELECT key, id, external_id, name, version, created_at, updated_at
FROM stocks
WHERE store_id = $1
  AND deleted_at IS NULL`

const selectStockSQL = listStocksSQL + `
  AND id = $2`

const countStocksSQL = `
SELECT COUNT(*)
FROM stocks
WHERE store_id = $1
  AND deleted_at IS NULL`

const insertStockSQL = `
INSERT INTO stocks (store_id, id, external_id, name, words, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING key`

const updateStockSQL = `
UPDATE stocks
SET external_id = $3, name = $4, words = $5, version = $6, updated_at = $7, pushed = NULL
WHERE store_id = $1
  AND key = $2`

const deleteStockSQL = `
DELETE FROM stocks
WHERE store_id = $1
  AND key = $2`

const reservedInStockSQL = `
SELECT reserved
FROM remainders
WHERE store_id = $1
  AND stock_key = $2
  AND reserved > 0
LIMIT 1`

const variantsOfStockSQL = `
SELECT variant_key
FROM remainders
WHERE store_id = $1
  AND stock_key = $2
  AND variant_key > $3
ORDER BY variant_key
LIMIT $4`

// One statement deletes a whole range of keys. No remainder can be added in the range while the stock is locked.
const deleteRemaindersSQL = `
DELETE FROM remainders
WHERE store_id = $1
  AND stock_key = $2
  AND variant_key BETWEEN $3 AND $4
RETURNING reserved`

func scanStock(rows database.Rows) (Stock, error) {
	var t Stock
	err := rows.Scan(&t.Key, &t.ID, &t.ExternalID, &t.Name, &t.Version, database.Time(&t.CreatedAt),
		database.Time(&t.UpdatedAt))
	return t, err
}

// SelectStock reads a stock, or returns fault.NotFound.
func SelectStock(ctx context.Context, tx store.Tx, stockID StockID, lock string) (Stock, error) {
	return store.SelectOne(ctx, tx, selectStockSQL+lock, []any{stockID}, "stock", scanStock)
}

// List returns one page of a store's stocks, oldest first, and their total number. If search is not empty, only stocks
// whose names match it are listed and counted.
func (s *Stocks) List(
	ctx context.Context, tx store.Tx, search string, limit, offset int64,
) (_ []Stock, _ int64, err error) {
	defer fault.AddContext(&err, "list stocks")
	c := store.NewConditions()
	c.AndSearch("words", search)
	list := store.ListSQL{Select: listStocksSQL, Count: countStocksSQL, OrderBy: "key"}
	return store.SelectPage(ctx, tx, list, c, limit, offset, scanStock)
}

func insertStock(ctx context.Context, tx store.Tx, t *Stock) error {
	at := t.CreatedAt.UnixMicro()
	err := database.QueryRow(ctx, tx, insertStockSQL, []any{
		t.ID, t.ExternalID, t.Name, locale.SearchText(t.Name), t.Version, at, at,
	}, &t.Key)
	return store.ExternalIDFault(err, "stocks", "stock")
}

func updateStock(ctx context.Context, tx store.Tx, t *Stock) error {
	err := database.Exec(ctx, tx, updateStockSQL, t.Key, t.ExternalID, t.Name, locale.SearchText(t.Name), t.Version,
		t.UpdatedAt.UnixMicro())
	return store.ExternalIDFault(err, "stocks", "stock")
}

// checkReserved returns fault.Conflict if submitted orders have reserved something in the stock.
func checkReserved(ctx context.Context, tx store.Tx, stockKey int64) error {
	return database.QueryEach(ctx, tx, reservedInStockSQL, []any{stockKey}, refuseReserved)
}

// deleteRemainders deletes a stock's remainders and returns the products whose availability changed. If there are more
// than limit remainders, it changes nothing and returns false. It returns fault.Conflict if an order has
// reserved something since checkReserved.
func deleteRemainders(
	ctx context.Context, tx store.Tx, stockKey int64, limit int,
) (productKeys []int64, deleted bool, err error) {
	var variantKeys []int64
	err = database.QueryEach(ctx, tx, variantsOfStockSQL, []any{stockKey, int64(0), limit + 1},
		database.AppendColumn(&variantKeys))
	if err != nil || len(variantKeys) > limit {
		return nil, false, err
	}
	if len(variantKeys) == 0 {
		return nil, true, nil
	}

	if productKeys, err = TouchProductsOfVariants(ctx, tx, variantKeys); err != nil {
		return nil, false, err
	}

	args := []any{stockKey, variantKeys[0], variantKeys[len(variantKeys)-1]}
	if err := database.QueryEach(ctx, tx, deleteRemaindersSQL, args, refuseReserved); err != nil {
		return nil, false, err
	}

	return productKeys, true, RecomputeAvailable(ctx, tx, variantKeys)
}

// maxStockChanges is the maximum number of remainders whose products the deletion of a stock records by key. Recording
// more would take longer than the rest of its transaction.
const maxStockChanges = 2500

// productsOfStock returns the products that have remainders in a stock. If there are more than limit remainders, it
// returns false.
func productsOfStock(
	ctx context.Context, tx store.Tx, stockKey int64, limit int,
) (products []int64, listed bool, err error) {
	var variantKeys []int64
	err = database.QueryEach(ctx, tx, variantsOfStockSQL, []any{stockKey, int64(0), limit + 1},
		database.AppendColumn(&variantKeys))
	if err != nil || len(variantKeys) > limit {
		return nil, false, err
	}
	products, err = distinctProductsOf(ctx, tx, variantKeys, nil)
	return products, true, err
}

// refuseReserved returns fault.Conflict for a row whose reserved quantity is not 0.
func refuseReserved(rows database.Rows) error {
	var reserved int64
	if err := rows.Scan(&reserved); err != nil || reserved == 0 {
		return err
	}
	return fault.New(fault.Conflict, "stock_reserved",
		"Submitted orders wait for goods in this stock. Complete or cancel them first; nothing was deleted.")
}

func deleteStock(ctx context.Context, tx store.Tx, stockKey int64) error {
	return database.Exec(ctx, tx, deleteStockSQL, stockKey)
}
