package pricelist

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const listListsSQL = `
SELECT key, id, external_id, name, currency, version, created_at, updated_at
FROM price_lists
WHERE store_id = $1
  AND deleted_at IS NULL`

const selectListSQL = listListsSQL + `
  AND id = $2`

const countListsSQL = `
SELECT COUNT(*)
FROM price_lists
WHERE store_id = $1
  AND deleted_at IS NULL`

// lockLists appends FOR UPDATE.
const storeCurrencySQL = `
SELECT currency
FROM stores
WHERE id = $1`

const insertListSQL = `
INSERT INTO price_lists (store_id, id, external_id, name, words, currency, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
RETURNING key`

const updateListSQL = `
UPDATE price_lists
SET external_id = $3, name = $4, words = $5, currency = $6, version = $7, updated_at = $8, pushed = NULL
WHERE store_id = $1
  AND key = $2`

const deleteListSQL = `
DELETE FROM price_lists
WHERE store_id = $1
  AND key = $2`

const isListUsedSQL = `
SELECT EXISTS (SELECT 1 FROM customer_group_lists g WHERE g.store_id = $1 AND g.list_key = $2)
	OR EXISTS (SELECT 1 FROM stores s WHERE s.id = $1 AND s.old_price_list_id = $3)`

const groupsOfListSQL = `
UPDATE customer_groups
SET version = version + 1, updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
WHERE store_id = $1
  AND key IN (SELECT g.group_key FROM customer_group_lists g WHERE g.store_id = $1 AND g.list_key = $2)`

const removeFromGroupsSQL = `
DELETE FROM customer_group_lists
WHERE store_id = $1
  AND list_key = $2`

const removeOldPriceListSQL = `
UPDATE stores
SET old_price_list_id = NULL
WHERE id = $1
  AND old_price_list_id = $2`

func scanList(rows database.Rows) (catalog.PriceList, error) {
	var l catalog.PriceList
	err := rows.Scan(&l.Key, &l.ID, &l.ExternalID, &l.Name, &l.Currency, &l.Version, database.Time(&l.CreatedAt),
		database.Time(&l.UpdatedAt))
	return l, err
}

// selectList returns a price list, or fault.NotFound. lock is a locking clause of the dialect, or "".
func selectList(
	ctx context.Context, tx store.Tx, listID catalog.PriceListID, lock string,
) (catalog.PriceList, error) {
	return store.SelectOne(ctx, tx, selectListSQL+lock, []any{listID}, "price list", scanList)
}

// List returns one page of a store's price lists, oldest first, and their total number. If search is not empty, only
// lists whose names match it are listed and counted.
func (s *Lists) List(
	ctx context.Context, tx store.Tx, search string, limit, offset int64,
) (_ []catalog.PriceList, _ int64, err error) {
	defer fault.AddContext(&err, "list price lists")
	c := store.NewConditions()
	c.AndSearch("words", search)
	list := store.ListSQL{Select: listListsSQL, Count: countListsSQL, OrderBy: "key"}
	return store.SelectPage(ctx, tx, list, c, limit, offset, scanList)
}

// lockLists locks the store, so that nobody else creates a list, uses one in a group or changes a currency meanwhile.
// It returns the currency of the store.
func lockLists(ctx context.Context, tx store.Tx) (currency string, err error) {
	err = database.QueryRow(ctx, tx, storeCurrencySQL+tx.Dialect().ForUpdate, nil, &currency)
	return currency, err
}

func countLists(ctx context.Context, tx store.Tx) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countListsSQL, nil, &n)
	return n, err
}

func insertList(ctx context.Context, tx store.Tx, l *catalog.PriceList) error {
	err := database.QueryRow(ctx, tx, insertListSQL, []any{
		l.ID, l.ExternalID, l.Name, locale.SearchText(l.Name), l.Currency, l.Version, l.CreatedAt.UnixMicro(),
	}, &l.Key)
	return store.ExternalIDFault(err, "price_lists", "price list")
}

func updateList(ctx context.Context, tx store.Tx, l *catalog.PriceList) error {
	err := database.Exec(ctx, tx, updateListSQL, l.Key, l.ExternalID, l.Name, locale.SearchText(l.Name), l.Currency,
		l.Version, l.UpdatedAt.UnixMicro())
	return store.ExternalIDFault(err, "price_lists", "price list")
}

// isListUsed reports whether a group or the setting of old prices uses the list.
func isListUsed(ctx context.Context, tx store.Tx, l catalog.PriceList) (used bool, err error) {
	err = database.QueryRow(ctx, tx, isListUsedSQL, []any{l.Key, l.ID}, &used)
	return used, err
}

// removeFromGroups takes a list out of the groups and out of the setting of old prices.
func removeFromGroups(ctx context.Context, tx store.Tx, l catalog.PriceList, now time.Time) error {
	if err := database.Exec(ctx, tx, groupsOfListSQL, l.Key, now.UnixMicro()); err != nil {
		return err
	}
	if err := database.Exec(ctx, tx, removeFromGroupsSQL, l.Key); err != nil {
		return err
	}
	return database.Exec(ctx, tx, removeOldPriceListSQL, l.ID)
}

// deletePrices deletes a list and its prices.
func (s *Lists) deletePrices(ctx context.Context, tx store.Tx, listKey int64) error {
	return database.Exec(ctx, tx, deleteListSQL, listKey)
}
