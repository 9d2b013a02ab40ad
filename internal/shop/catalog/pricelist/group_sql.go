package pricelist

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

const listGroupsSQL = `
SELECT key, id, external_id, name, version, created_at, updated_at
FROM customer_groups
WHERE store_id = $1`

const selectGroupSQL = listGroupsSQL + `
  AND id = $2`

const countGroupsSQL = `
SELECT COUNT(*)
FROM customer_groups
WHERE store_id = $1`

const listsOfGroupsSQL = `
WITH r(key) AS (ROWS)
SELECT x.group_key, l.id
FROM r
CROSS JOIN LOOKUP (customer_group_lists x WHERE x.store_id = $1 AND x.group_key = r.key)
CROSS JOIN LOOKUP (price_lists l WHERE l.store_id = $1 AND l.key = x.list_key)
ORDER BY x.group_key, x.list_order`

var chainOfGroupSQL = `
SELECT COALESCE(` + pricing.ChainSQL("g.key") + `, '')
FROM customer_groups AS g
JOIN stores AS s ON s.id = g.store_id
WHERE g.store_id = $1
  AND g.key = $2`

const insertGroupSQL = `
INSERT INTO customer_groups (store_id, id, external_id, name, words, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
RETURNING key`

const updateGroupSQL = `
UPDATE customer_groups
SET external_id = $3, name = $4, words = $5, version = $6, updated_at = $7
WHERE store_id = $1
  AND key = $2`

const clearGroupListsSQL = `
DELETE FROM customer_group_lists
WHERE store_id = $1
  AND group_key = $2`

const insertGroupListsSQL = `
WITH r(list_order, list_key) AS (ROWS)
INSERT INTO customer_group_lists (store_id, group_key, list_order, list_key)
SELECT $1, $2, list_order, list_key
FROM r`

const clearKeysSQL = `
UPDATE credentials
SET group_key = NULL
WHERE store_id = $1
  AND group_key = $2`

func scanGroup(rows database.Rows) (Group, error) {
	g := Group{PriceLists: []catalog.PriceListID{}}
	err := rows.Scan(&g.Key, &g.ID, &g.ExternalID, &g.Name, &g.Version, database.Time(&g.CreatedAt),
		database.Time(&g.UpdatedAt))
	return g, err
}

// selectGroup returns a group, or fault.NotFound. lock is a locking clause of the dialect, or "".
func selectGroup(ctx context.Context, tx store.Tx, groupID GroupID, lock string) (Group, error) {
	g, err := store.SelectOne(ctx, tx, selectGroupSQL+lock, []any{groupID}, "customer group", scanGroup)
	if err != nil {
		return Group{}, err
	}
	err = addLists(ctx, tx, &g)
	return g, err
}

// List returns one page of a store's groups, oldest first, and their total number. If search is not empty, only groups
// whose names match it are listed and counted.
func (s *Groups) List(
	ctx context.Context, tx store.Tx, search string, limit, offset int64,
) (_ []Group, _ int64, err error) {
	defer fault.AddContext(&err, "list customer groups")
	c := store.NewConditions()
	c.AndSearch("words", search)
	list := store.ListSQL{Select: listGroupsSQL, Count: countGroupsSQL, OrderBy: "key"}
	page, total, err := store.SelectPage(ctx, tx, list, c, limit, offset, scanGroup)
	if err != nil {
		return nil, 0, err
	}
	return page, total, addLists(ctx, tx, write.PointersTo(page)...)
}

// Chain returns the price lists whose prices the customers of a group get.
func (s *Groups) Chain(ctx context.Context, tx store.Tx, g *Group) (chain pricing.Chain, err error) {
	defer fault.AddContext(&err, "read the price lists of customer group %s", g.ID)
	err = database.QueryRow(ctx, tx, chainOfGroupSQL, []any{g.Key}, (*string)(&chain))
	return chain, err
}

// addLists adds the price lists to groups.
func addLists(ctx context.Context, tx store.Tx, groups ...*Group) error {
	byKey := make(map[int64]*Group, len(groups))
	var keys []int64
	for _, g := range groups {
		byKey[g.Key] = g
		keys = append(keys, g.Key)
	}

	add := write.EachPair(func(key int64, listID catalog.PriceListID) {
		byKey[key].PriceLists = append(byKey[key].PriceLists, listID)
	})
	return write.QueryByKey(ctx, tx, listsOfGroupsSQL, keys, add)
}

func countGroups(ctx context.Context, tx store.Tx) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countGroupsSQL, nil, &n)
	return n, err
}

// selectAllLists returns the price lists of the store, of which there are at most MaxLists.
func selectAllLists(ctx context.Context, tx store.Tx) (map[catalog.PriceListID]catalog.PriceList, error) {
	lists := map[catalog.PriceListID]catalog.PriceList{}
	return lists, database.QueryEach(ctx, tx, listListsSQL, nil, func(rows database.Rows) error {
		l, err := scanList(rows)
		lists[l.ID] = l
		return err
	})
}

func insertGroup(ctx context.Context, tx store.Tx, g *Group) error {
	err := database.QueryRow(ctx, tx, insertGroupSQL, []any{
		g.ID, g.ExternalID, g.Name, locale.SearchText(g.Name), g.Version, g.CreatedAt.UnixMicro(),
	}, &g.Key)
	return store.ExternalIDFault(err, "customer_groups", "customer group")
}

func updateGroup(ctx context.Context, tx store.Tx, g *Group) error {
	err := database.Exec(ctx, tx, updateGroupSQL, g.Key, g.ExternalID, g.Name, locale.SearchText(g.Name), g.Version,
		g.UpdatedAt.UnixMicro())
	return store.ExternalIDFault(err, "customer_groups", "customer group")
}

// replaceGroupLists sets the lists of a group, in this order.
func replaceGroupLists(ctx context.Context, tx store.Tx, groupKey int64, listKeys []int64) error {
	if err := database.Exec(ctx, tx, clearGroupListsSQL, groupKey); err != nil {
		return err
	}
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for i, listKey := range listKeys {
		batch.Add(int64(i), listKey)
	}
	return database.ExecRows(ctx, tx, insertGroupListsSQL, batch, groupKey)
}

// clearKeys takes the keys of the store out of a group.
func clearKeys(ctx context.Context, tx store.Tx, groupKey int64) error {
	return database.Exec(ctx, tx, clearKeysSQL, groupKey)
}
