package pricelist

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const listListsSQL = `
SELECT key, id, external_id, name, currency, version, created_at, updated_at
FROM price_lists
WHERE store_id = $1
  AND deleted_at IS NULL
  AND awaited_since IS NULL`

const selectListSQL = listListsSQL + `
  AND id = $2`

const countListsSQL = `
SELECT COUNT(*)
FROM price_lists
WHERE store_id = $1
  AND deleted_at IS NULL
  AND awaited_since IS NULL`

// lockLists appends FOR UPDATE.
const storeCurrencySQL = `
SELECT currency
FROM stores
WHERE id = $1`

const insertListSQL = `
INSERT INTO price_lists (store_id, id, external_id, name, words, currency, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
RETURNING key`

// The name of an awaited list is its external id.
const selectAwaitedListSQL = `
SELECT key, id, external_id, name, currency, version, created_at, updated_at
FROM price_lists
WHERE store_id = $1
  AND external_id = $2
  AND awaited_since IS NOT NULL`

// An awaited list, whose prices were pushed already, comes into being.
const claimListSQL = `
UPDATE price_lists
SET id = $3, name = $4, words = $5, currency = $6, version = $7, created_at = $8, updated_at = $8, awaited_since = NULL
WHERE store_id = $1
  AND external_id = $2
  AND awaited_since IS NOT NULL
RETURNING key`

// The prices of the awaited list replace those of the list itself.
const (
	dropReplacedSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_prices
WHERE store_id = $1
  AND list_key = $2
  AND variant_key IN (SELECT key FROM r)
  AND (SELECT a.price FROM variant_prices a WHERE a.store_id = $1 AND a.variant_key = variant_prices.variant_key
	AND a.list_key = $3 AND a.from_quantity = variant_prices.from_quantity) IS NOT NULL`

	movePricesSQL = `
WITH r(key) AS (ROWS)
UPDATE variant_prices
SET list_key = $2
WHERE store_id = $1
  AND list_key = $3
  AND variant_key IN (SELECT key FROM r)`
)

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

// The settings have another version then, as after any other change of them.
const removeOldPriceListSQL = `
UPDATE stores
SET old_price_list_id = NULL, version = version + 1,
	updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
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

// selectAwaitedList returns the awaited list with an external id and locks it for update, or returns fault.NotFound.
func selectAwaitedList(ctx context.Context, tx store.Tx, externalID string) (catalog.PriceList, error) {
	return store.SelectOne(ctx, tx, selectAwaitedListSQL+tx.Dialect().ForUpdate, []any{externalID}, "price list",
		scanList)
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

// insertOrClaim inserts a list, or makes an awaited list with its external id into it.
func (s *Lists) insertOrClaim(ctx context.Context, tx store.Tx, l *catalog.PriceList) error {
	if l.ExternalID != nil {
		err := database.QueryRow(ctx, tx, claimListSQL, []any{
			l.ExternalID, l.ID, l.Name, locale.SearchText(l.Name), l.Currency, l.Version, l.CreatedAt.UnixMicro(),
		}, &l.Key)
		if !errors.Is(err, database.ErrNoRows) {
			return err
		}
	}

	err := database.QueryRow(ctx, tx, insertListSQL, []any{
		l.ID, l.ExternalID, l.Name, locale.SearchText(l.Name), l.Currency, l.Version, l.CreatedAt.UnixMicro(),
	}, &l.Key)
	return store.ExternalIDFault(err, "price_lists", "price list")
}

// takeAwaited moves the prices of the awaited list, if there is one, to an existing list that gets its external id, and
// deletes the awaited list. The products with such prices get new versions.
func (s *Lists) takeAwaited(ctx context.Context, tx store.Tx, l *catalog.PriceList, was *string) error {
	if l.ExternalID == nil || write.EqualStrings(l.ExternalID, was) {
		return nil
	}

	awaited, err := selectAwaitedList(ctx, tx, *l.ExternalID)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}

	var changed catalog.ChangedProducts
	move := func(variantKeys []int64) error {
		products, err := catalog.TouchProductsOfVariants(ctx, tx, variantKeys)
		if err != nil {
			return err
		}
		changed.Add(products)

		keys := write.KeyBatch(variantKeys)
		return write.ExecAll(ctx, tx,
			write.Statement{SQL: dropReplacedSQL, Batch: keys, Args: []any{l.Key, awaited.Key}},
			write.Statement{SQL: movePricesSQL, Batch: keys, Args: []any{l.Key, awaited.Key}})
	}
	if err := write.EachKeyChunk(ctx, tx, catalog.VariantsOfPriceListSQL, []any{awaited.Key}, move); err != nil {
		return err
	}

	if err := database.Exec(ctx, tx, deleteListSQL, awaited.Key); err != nil {
		return err
	}
	changed.PricesOnly = true
	return s.RecordChangedProducts(ctx, tx, changed)
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
	return database.Exec(ctx, tx, removeOldPriceListSQL, l.ID, now.UnixMicro())
}
