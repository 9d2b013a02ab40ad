package catalog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// These expressions count the deletions that hide a row x of a table of links. A link is a row by which a product or
// one of its variants refers to an attribute and a value, a category or a stock.
const (
	hidingDeletionsSQL = `(SELECT COUNT(*) FROM deletions d WHERE d.store_id = $1 AND d.kind = `

	valueHiddenSQL = hidingDeletionsSQL + `'attribute' AND d.target_key = x.attribute_key)
		+ ` + hidingDeletionsSQL + `'value' AND d.target_key = x.value_key) > 0`
	categoryHiddenSQL  = hidingDeletionsSQL + `'category' AND d.target_key = x.category_key) > 0`
	RemainderHiddenSQL = hidingDeletionsSQL + `'stock' AND d.target_key = x.stock_key) > 0`
)

// HiddenLinksSQL is the number of hidden links of a product p and its variants. In a store without deletions it costs
// one lookup for the whole statement.
const HiddenLinksSQL = `CASE
	WHEN (SELECT d.target_key FROM deletions d WHERE d.store_id = $1 LIMIT 1) IS NULL THEN 0
	ELSE CAST(
		(SELECT COUNT(*) FROM product_values x WHERE x.store_id = $1 AND x.product_key = p.key AND ` + valueHiddenSQL +
	`)
		+ (SELECT COUNT(*) FROM product_categories x WHERE x.store_id = $1 AND x.product_key = p.key AND ` +
	categoryHiddenSQL + `)
		+ (SELECT COALESCE(SUM(
			(SELECT COUNT(*) FROM variant_values x WHERE x.store_id = $1 AND x.variant_key = w.key AND ` +
	valueHiddenSQL + `)
			+ (SELECT COUNT(*) FROM remainders x WHERE x.store_id = $1 AND x.variant_key = w.key AND ` +
	RemainderHiddenSQL + `)), 0)
			FROM variants w
			WHERE w.store_id = $1
			  AND w.product_key = p.key) AS BIGINT)
	END`

// HiddenPricesSQL is the number of prices that a product p has in deleted lists. They do not count for its version.
const HiddenPricesSQL = `CASE
	WHEN (SELECT MIN(d.target_key) FROM deletions d WHERE d.store_id = $1 AND d.kind = 'price_list') IS NULL THEN 0
	ELSE (
		SELECT COUNT(*)
		FROM variants w
		CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = w.key)
		WHERE w.store_id = $1
		  AND w.product_key = p.key
		  AND ` + hidingDeletionsSQL + `'price_list' AND d.target_key = x.list_key) > 0)
	END`

// productVersionSQL is the version of a product p. The column version grows by the number of hidden links when they are
// deleted, so the sum grows when they become hidden and stays when they are deleted.
const productVersionSQL = `p.version + ` + HiddenLinksSQL

// AvailableSQL is the availability of a variant w. The column available includes the remainders of deleted stocks until
// they are deleted, too.
const AvailableSQL = `CASE
	WHEN (SELECT MIN(d.target_key) FROM deletions d WHERE d.store_id = $1 AND d.kind = 'stock') IS NULL THEN w.available
	ELSE (
		SELECT CAST(SUM(CASE WHEN x.quantity > x.reserved THEN x.quantity - x.reserved ELSE 0 END) AS BIGINT)
		FROM remainders x
		WHERE x.store_id = $1
		  AND x.variant_key = w.key
		  AND NOT ` + RemainderHiddenSQL + `)
	END`

const pendingDeletionsSQL = `
SELECT
	(SELECT MIN(target_key) FROM deletions WHERE store_id = $1 AND kind = 'attribute'),
	(SELECT MIN(target_key) FROM deletions WHERE store_id = $1 AND kind = 'value'),
	(SELECT MIN(target_key) FROM deletions WHERE store_id = $1 AND kind = 'category'),
	(SELECT MIN(target_key) FROM deletions WHERE store_id = $1 AND kind = 'stock')`

// storeKeysSQL adds the store's id to each key of a batch. PostgreSQL cannot look into a materialized CTE, so it does
// not plan by the number of rows that it expects in this store; see docs/planner.md.
const storeKeysSQL = `
WITH r(key) AS (ROWS), k(store_id, key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.key
	FROM r)`

const hiddenOptionsSQL = storeKeysSQL + `
SELECT v.product_key, x.variant_key, x.attribute_key, x.value_key
FROM k
CROSS JOIN variants v
CROSS JOIN variant_values x
WHERE v.store_id = k.store_id
  AND v.product_key = k.key
  AND x.store_id = k.store_id
  AND x.variant_key = v.key
  AND ` + valueHiddenSQL

const hiddenFeaturesSQL = storeKeysSQL + `
SELECT x.product_key, x.product_key, x.attribute_key, x.value_key
FROM k
CROSS JOIN product_values x
WHERE x.store_id = k.store_id
  AND x.product_key = k.key
  AND ` + valueHiddenSQL

const hiddenCategoriesSQL = storeKeysSQL + `
SELECT x.product_key, x.category_key
FROM k
CROSS JOIN product_categories x
WHERE x.store_id = k.store_id
  AND x.product_key = k.key
  AND ` + categoryHiddenSQL

const hiddenRemaindersSQL = storeKeysSQL + `
SELECT v.product_key, x.variant_key, x.stock_key
FROM k
CROSS JOIN variants v
CROSS JOIN remainders x
WHERE v.store_id = k.store_id
  AND v.product_key = k.key
  AND x.store_id = k.store_id
  AND x.variant_key = v.key
  AND ` + RemainderHiddenSQL

const raiseVersionsBySQL = `
WITH r(key, n) AS (ROWS)
UPDATE products
SET version = version + f.n, ` + forgetPushesSQL + `
FROM (
	SELECT r.n, (SELECT p.key FROM products p WHERE p.store_id = $1 AND p.key = r.key) AS key
	FROM r) AS f
WHERE products.key = f.key`

const insertDeletionsSQL = `
WITH r(kind, target_key, attribute_key) AS (ROWS)
INSERT INTO deletions (store_id, kind, target_key, attribute_key)
SELECT $1, kind, target_key, attribute_key
FROM r`

const deleteDeletionSQL = `
DELETE FROM deletions
WHERE store_id = $1
  AND kind = $2
  AND target_key = $3`

const deleteValueDeletionsSQL = `
DELETE FROM deletions
WHERE store_id = $1
  AND kind = 'value'
  AND attribute_key = $2`

const storeWithDeletionsSQL = `
SELECT store_id
FROM deletions
WHERE store_id > $1
ORDER BY store_id
LIMIT 1`

// The caller appends a lock clause.
const firstDeletionSQL = `
SELECT kind, target_key, attribute_key
FROM deletions
WHERE store_id = $1
ORDER BY kind, target_key
LIMIT 1`

// The following statements read one chunk of the links to the values of an attribute, in the order of the index on
// values. They begin after a position; see docs/planner.md on dead index entries.
const (
	variantsOfValuesSQL = `
SELECT value_key, variant_key
FROM variant_values
WHERE store_id = $1
  AND attribute_key = $2
  AND (value_key, variant_key) > ($3, $4)
  AND value_key <= $5
ORDER BY value_key, variant_key
LIMIT $6`

	productsOfValuesSQL = `
SELECT value_key, product_key
FROM product_values
WHERE store_id = $1
  AND attribute_key = $2
  AND (value_key, product_key) > ($3, $4)
  AND value_key <= $5
ORDER BY value_key, product_key
LIMIT $6`
)

const hideValuesSQL = `
WITH r(key) AS (ROWS)
UPDATE attribute_values
SET deleted_at = $2, external_id = NULL
WHERE key IN (SELECT (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) FROM r)`

// The subtree of the parent no longer includes the category.
const hideCategorySQL = `
UPDATE categories
SET deleted_at = $3, external_id = NULL, slug = NULL, pushed = NULL, parent_key = NULL
WHERE store_id = $1
  AND key = $2`

const hideStockSQL = `
UPDATE stocks
SET deleted_at = $3, external_id = NULL, pushed = NULL
WHERE store_id = $1
  AND key = $2`

const hidePriceListSQL = `
UPDATE price_lists
SET deleted_at = $3, external_id = NULL, pushed = NULL
WHERE store_id = $1
  AND key = $2`

const deletePriceListSQL = `
DELETE FROM price_lists
WHERE store_id = $1
  AND key = $2`

// The lists of the group go with it.
const deleteCustomerGroupSQL = `
DELETE FROM customer_groups
WHERE store_id = $1
  AND key = $2`

// customersOfGroupSQL is a statement for nextOwners. IS NOT NULL matches the condition of a partial index; see
// docs/planner.md.
const customersOfGroupSQL = `
SELECT key
FROM customers
WHERE store_id = $1
  AND group_key = $2
  AND group_key IS NOT NULL
  AND key > $3
ORDER BY key
LIMIT $4`

// A materialized CTE has the store's id; see storeKeysSQL. A customer who has got another group meanwhile keeps it.
const clearCustomersSQL = `
WITH r(key) AS (ROWS), k(store_id, key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.key
	FROM r)
UPDATE customers
SET group_key = NULL, version = version + 1
WHERE (store_id, key) IN (SELECT store_id, key FROM k)
  AND group_key IS NOT NULL
  AND (SELECT g.key FROM customer_groups g WHERE g.store_id = $1 AND g.key = customers.group_key) IS NULL`

const emptyGroupSQL = `
UPDATE customers
SET group_key = NULL, version = version + 1
WHERE store_id = $1
  AND group_key = $2
  AND group_key IS NOT NULL`

// VariantsOfPriceListSQL is a statement for write.EachKeyChunk.
const VariantsOfPriceListSQL = `
SELECT DISTINCT variant_key
FROM variant_prices
WHERE store_id = $1
  AND list_key = $2
  AND variant_key > $3
ORDER BY variant_key
LIMIT $4`

// A materialized CTE has the store's id; see storeKeysSQL.
const deletePricesInListSQL = `
WITH r(key) AS (ROWS), k(store_id, list_key, variant_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), CAST($2 AS BIGINT), r.key
	FROM r)
DELETE FROM variant_prices
WHERE (store_id, list_key, variant_key) IN (SELECT store_id, list_key, variant_key FROM k)`

// pendingDeletions says of which kinds the store has deletions whose links are not all deleted yet.
type pendingDeletions struct{ values, categories, Stocks bool }

func ReadPendingDeletions(ctx context.Context, tx store.Tx) (p pendingDeletions, err error) {
	var attribute, value, category, stock *int64
	err = database.QueryRow(ctx, tx, pendingDeletionsSQL, nil, &attribute, &value, &category, &stock)
	return pendingDeletions{attribute != nil || value != nil, category != nil, stock != nil}, err
}

// hiddenLinks are the hidden links of some products and their variants.
type hiddenLinks struct {
	options    []ownedValue
	features   []ownedValue
	categories []productCategory
	remainders []RemainderKey
	stocks     map[stockOfProduct]bool // of remainders
	count      map[int64]int64         // by product key
}

// hiddenLinksOf reads the hidden links of products in one round trip to the database.
func hiddenLinksOf(
	ctx context.Context, tx store.Tx, pending pendingDeletions, productKeys []int64,
) (h hiddenLinks, err error) {
	h.count, h.stocks = map[int64]int64{}, map[stockOfProduct]bool{}

	values := func(list *[]ownedValue) func(database.Rows) error {
		return func(rows database.Rows) error {
			var product int64
			var v ownedValue
			err := rows.Scan(&product, &v.owner, &v.Attribute, &v.Value)
			*list = append(*list, v)
			h.count[product]++
			return err
		}
	}

	batch := write.KeyBatch(productKeys)
	var queries []database.BatchQuery
	if pending.values {
		queries = append(queries,
			database.BatchQuery{SQL: hiddenOptionsSQL, Batch: batch, Each: values(&h.options)},
			database.BatchQuery{SQL: hiddenFeaturesSQL, Batch: batch, Each: values(&h.features)})
	}

	if pending.categories {
		queries = append(queries, database.BatchQuery{SQL: hiddenCategoriesSQL, Batch: batch,
			Each: write.EachPair(func(product, category int64) {
				h.categories = append(h.categories, productCategory{product, category})
				h.count[product]++
			})})
	}

	if pending.Stocks {
		queries = append(queries, database.BatchQuery{SQL: hiddenRemaindersSQL, Batch: batch,
			Each: write.EachTriple(func(product, variant, stock int64) {
				h.remainders = append(h.remainders, RemainderKey{variant, stock})
				h.stocks[stockOfProduct{stock, product}] = true
				h.count[product]++
			})})
	}

	err = tx.QueryAll(ctx, queries...)
	return h, err
}

// raiseVersionsBy increases the versions of products by the given numbers, and clears the digests of their last pushes.
func raiseVersionsBy(ctx context.Context, tx store.Tx, counts map[int64]int64) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for product, n := range counts {
		batch.Add(product, n)
	}
	return database.ExecRows(ctx, tx, raiseVersionsBySQL, batch)
}

// insertDeletions records that the targets are deleted and that their links are to be deleted.
func insertDeletions(ctx context.Context, tx store.Tx, deletions []deletion) error {
	batch := database.NewBatch(database.Text, database.BigInt, database.BigInt)
	for _, d := range deletions {
		batch.Add(string(d.kind), d.target, d.attribute)
	}
	return database.ExecRows(ctx, tx, insertDeletionsSQL, batch)
}

func deleteDeletion(ctx context.Context, tx store.Tx, d deletion) error {
	return database.Exec(ctx, tx, deleteDeletionSQL, string(d.kind), d.target)
}

// deleteValueDeletions deletes the deletions of values of an attribute, for an attribute that is deleted itself: SQLite
// may reuse the keys of the values later. It returns their number.
func deleteValueDeletions(ctx context.Context, tx store.Tx, attributeKey int64) (int64, error) {
	return tx.Exec(ctx, deleteValueDeletionsSQL, attributeKey)
}

// storeWithDeletions returns the first store after the given one that has deletions, or false if there is none.
func storeWithDeletions(
	ctx context.Context, q database.Querier, after store.ID,
) (next store.ID, found bool, err error) {
	err = database.QueryRow(ctx, q, storeWithDeletionsSQL, []any{after}, &next)
	if errors.Is(err, database.ErrNoRows) {
		return next, false, nil
	}
	return next, err == nil, err
}

// lockDeletion reads and locks the store's first deletion. It returns false if there is none, or if another transaction
// has just completed it.
func lockDeletion(ctx context.Context, tx store.Tx) (d deletion, found bool, err error) {
	err = database.QueryEach(ctx, tx, firstDeletionSQL+tx.Dialect().ForUpdate, nil, func(rows database.Rows) error {
		found = true
		return rows.Scan((*string)(&d.kind), &d.target, &d.attribute)
	})
	return d, found, err
}

func deleteProductCategories(ctx context.Context, tx store.Tx, links []productCategory) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, l := range links {
		batch.Add(l.product, l.category)
	}
	return database.ExecRows(ctx, tx, deleteCategoriesSQL, batch)
}

// hideValueRows makes values invisible.
func hideValueRows(ctx context.Context, tx store.Tx, keys []int64, at int64) error {
	return write.ExecByKey(ctx, tx, hideValuesSQL, keys, at)
}

// hideCategory makes a category invisible and moves its children to its parent.
func hideCategory(ctx context.Context, tx store.Tx, key, at int64) error {
	if err := database.Exec(ctx, tx, reparentChildrenSQL, key); err != nil {
		return err
	}
	if err := slug.RemoveAll(ctx, tx, slug.Category, key); err != nil {
		return err
	}
	return database.Exec(ctx, tx, hideCategorySQL, key, at)
}

// hideStock makes a stock invisible.
func hideStock(ctx context.Context, tx store.Tx, key, at int64) error {
	return database.Exec(ctx, tx, hideStockSQL, key, at)
}

// nextPriced returns the next variants with prices in the price list, and moves the position behind them.
func (p *deletionPosition) nextPriced(ctx context.Context, tx store.Tx) ([]int64, error) {
	return p.nextOwners(ctx, tx, VariantsOfPriceListSQL)
}

// hidePriceList makes a price list invisible.
func hidePriceList(ctx context.Context, tx store.Tx, key, at int64) error {
	return database.Exec(ctx, tx, hidePriceListSQL, key, at)
}

func deletePriceList(ctx context.Context, tx store.Tx, key int64) error {
	return database.Exec(ctx, tx, deletePriceListSQL, key)
}

// variantsOfPriceList returns up to limit variants with prices in a list.
func variantsOfPriceList(ctx context.Context, tx store.Tx, listKey int64, limit int) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, VariantsOfPriceListSQL, []any{listKey, int64(0), limit},
		database.AppendColumn(&keys))
	return keys, err
}

func deletePricesInList(ctx context.Context, tx store.Tx, listKey int64, variantKeys []int64) error {
	return write.ExecByKey(ctx, tx, deletePricesInListSQL, variantKeys, listKey)
}

// nextCustomers returns the next customers of the deleted group, and moves the position behind them.
func (p *deletionPosition) nextCustomers(ctx context.Context, tx store.Tx) ([]int64, error) {
	return p.nextOwners(ctx, tx, customersOfGroupSQL)
}

// customersOfGroup returns up to limit customers of a group.
func customersOfGroup(ctx context.Context, tx store.Tx, groupKey int64, limit int) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, customersOfGroupSQL, []any{groupKey, int64(0), limit},
		database.AppendColumn(&keys))
	return keys, err
}

func deleteCustomerGroup(ctx context.Context, tx store.Tx, groupKey int64) error {
	return database.Exec(ctx, tx, deleteCustomerGroupSQL, groupKey)
}

// clearCustomers takes customers out of a group that is deleted.
func clearCustomers(ctx context.Context, tx store.Tx, keys []int64) error {
	return write.ExecByKey(ctx, tx, clearCustomersSQL, keys)
}

// FreeGroupKey completes the deletion of a group whose row key a new group has got: SQLite uses keys again. The caller
// has just inserted that, so nobody is in it.
func FreeGroupKey(ctx context.Context, tx store.Tx, groupKey int64) error {
	n, err := tx.Exec(ctx, deleteDeletionSQL, string(deletedGroup), groupKey)
	if err != nil || n == 0 {
		return err
	}
	return database.Exec(ctx, tx, emptyGroupSQL, groupKey)
}

// next returns the keys of products with links to the target, behind the position, and moves the position.
func (p *deletionPosition) next(ctx context.Context, tx store.Tx) (products []int64, err error) {
	switch p.kind {
	case deletedCategory:
		return p.nextOwners(ctx, tx, productsOfCategorySQL)
	case deletedStock:
		variants, err := p.nextOwners(ctx, tx, variantsOfStockSQL)
		return distinctProductsOf(ctx, tx, variants, err)
	case deletedAttribute, deletedValue, deletedPriceList, deletedGroup:
	}

	if !p.features {
		variants, err := p.nextLinks(ctx, tx, variantsOfValuesSQL)
		if err != nil || len(variants) > 0 {
			return distinctProductsOf(ctx, tx, variants, err)
		}
		p.features = true
		p.value = 0
		p.owner = 0
	}

	return p.nextLinks(ctx, tx, productsOfValuesSQL)
}

// nextLinks reads at most deletionChunk links to values after the position, and moves the position behind them. It
// returns the keys of the variants or products that have them.
func (p *deletionPosition) nextLinks(ctx context.Context, tx store.Tx, sql string) (owners []int64, err error) {
	from := int64(0)
	to := int64(maxKey)
	attribute := p.target
	if p.kind == deletedValue {
		attribute, from, to = p.attribute, p.target, p.target
	}
	args := []any{attribute, max(from, p.value), p.owner, to, deletionChunk}
	err = database.QueryEach(ctx, tx, sql, args, write.EachPair(func(value, owner int64) {
		p.value = value
		p.owner = owner
		p.moved = true
		owners = append(owners, owner)
	}))
	return owners, err
}

// nextOwners reads a chunk of the owners of links by a statement of EachKeyChunk, and moves the position behind them.
func (p *deletionPosition) nextOwners(ctx context.Context, tx store.Tx, sql string) (owners []int64, err error) {
	err = database.QueryEach(ctx, tx, sql, []any{p.target, p.owner, deletionChunk}, database.AppendColumn(&owners))
	if n := len(owners); n > 0 {
		p.owner = owners[n-1]
		p.moved = true
	}
	return owners, err
}
