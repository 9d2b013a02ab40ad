package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// DraftSQL says whether a product p is a draft.
const DraftSQL = "COALESCE(p.draft_at = p.archived_at, FALSE)"

// productColumns are the columns that ScanProduct reads. In lockedProductColumns the version does not include hidden
// links: the lock may be granted after the snapshot of the statement.
var (
	productColumns       = productColumnsWith(productVersionSQL)
	lockedProductColumns = productColumnsWith("p.version")
)

func productColumnsWith(version string) string {
	return "p.key, p.id, p.external_id, " + ProductScalars.Columns("p.") + ", " + version +
		", p.archived_at, " + DraftSQL + ", p.created_at, p.updated_at, p.locks"
}

var selectProductSQL = `
SELECT ` + productColumns + `
FROM products p
WHERE p.store_id = $1
  AND p.id = $2`

// lockProductByID appends FOR UPDATE.
var lockProductByIDSQL = `
SELECT ` + lockedProductColumns + `
FROM products p
WHERE p.store_id = $1
  AND p.id = $2`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
var ProductsOfKeysSQL = `
WITH r(key) AS (ROWS)
SELECT ` + productColumns + `
FROM r
CROSS JOIN products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key = r.key`

// writtenColumns are the columns that inserts and updates of products have in common: see appendWritten. written is no
// column: it is the set of the members whose writers change.
var writtenColumns = ProductScalars.Columns("") +
	", words, sort_name, modifiers, source_version, locks, article, good_barcodes, " + pushColumns + ", written"

const pushColumns = "pushed, pushed_goods, pushed_offers, pushed_prices, pushed_at"

var insertProductsSQL = `
WITH r(id, external_id, archived_at, ` + writtenColumns + `) AS (ROWS)
INSERT INTO products (store_id, id, external_id, archived_at, ` + ProductScalars.Columns("") + `, words, sort_name,
	modifiers, source_version, locks, article, good_barcodes, ` + pushColumns + `, version, created_at, updated_at,` +
	writerColumns + `)
SELECT $1, id, external_id, archived_at, ` + ProductScalars.Columns("") + `, words, sort_name,
	COALESCE(modifiers, '` + NoModifiers + `'), source_version, locks, article, good_barcodes, ` + pushColumns + `,
	1, $2, $2,` +
	insertedWritersSQL + `
FROM r
RETURNING key, id`

// Modifiers, a source version, the codes of a good and a time of a push that were not sent are NULL here and stay
// unchanged.
var setWrittenSQL = ProductScalars.assignments() + `, words = r.words, sort_name = r.sort_name,
	modifiers = COALESCE(r.modifiers, products.modifiers),
	source_version = COALESCE(r.source_version, products.source_version), locks = r.locks,
	article = COALESCE(r.article, products.article),
	good_barcodes = COALESCE(r.good_barcodes, products.good_barcodes), pushed = r.pushed, pushed_goods = r.pushed_goods,
	pushed_offers = r.pushed_offers, pushed_prices = r.pushed_prices,
	pushed_at = COALESCE(r.pushed_at, products.pushed_at), version = r.version, updated_at = $2,` +
	updatedWritersSQL + `
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

var updateProductsSQL = `
WITH r(key, version, external_id, archived_at, ` + writtenColumns + `) AS (ROWS)
UPDATE products
SET external_id = r.external_id, archived_at = r.archived_at, ` + setWrittenSQL

// If only columns change that no index contains, this statement is used: SQLite rewrites every index that contains a
// column named in SET. See docs/planner.md.
var updateUnindexedProductsSQL = `
WITH r(key, version, ` + writtenColumns + `) AS (ROWS)
UPDATE products
SET ` + setWrittenSQL

const deleteProductSQL = `
DELETE FROM products
WHERE store_id = $1
  AND key = $2`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const deleteProductRowsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM products
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const pinnedKeysSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key
FROM r
CROSS JOIN LOOKUP (search_pins x WHERE x.store_id = $1 AND x.product_key = r.key)`

const raisePinsVersionSQL = `
UPDATE search_rules
SET pins_version = pins_version + 1
WHERE store_id = $1`

const productsOfExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT p.key, p.external_id
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.external_id = r.external_id)`

const TotalsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT w.product_key, COUNT(*), MIN(w.price), MAX(w.price), CAST(SUM(` + AvailableSQL + `) AS BIGINT)
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
GROUP BY w.product_key`

const ModifiersOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.modifiers
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.key)`

// eachModifiers calls fn with the stored modifiers of each product.
func eachModifiers(ctx context.Context, tx store.Tx, keys []int64, fn func(key int64, stored string)) error {
	return tx.QueryRows(ctx, ModifiersOfProductsSQL, write.KeyBatch(keys), write.EachPair(fn))
}

func ScanProduct(rows database.Rows) (Product, error) {
	var p Product
	err := rows.Scan(productDest(&p)...)
	return p, err
}

// productDest returns the arguments of Scan for the columns of selectProductSQL.
func productDest(p *Product) []any {
	dest := ProductScalars.AppendScanned([]any{&p.Key, &p.ID, &p.ExternalID}, p)
	return append(dest, &p.Version, database.NullTime(&p.ArchivedAt), &p.Draft, database.Time(&p.CreatedAt),
		database.Time(&p.UpdatedAt), (*int64)(&p.Locks))
}

// selectProduct reads a product, archived or not, or returns fault.NotFound.
func selectProduct(ctx context.Context, tx store.Tx, productID ProductID) (Product, error) {
	return store.SelectOne(ctx, tx, selectProductSQL, []any{productID}, "product", ScanProduct)
}

// lockProductByID is like selectProduct, locks the product for update, and deletes its hidden links.
func lockProductByID(ctx context.Context, tx store.Tx, productID ProductID) (Product, error) {
	sql := lockProductByIDSQL + tx.Dialect().ForUpdate
	p, err := store.SelectOne(ctx, tx, sql, []any{productID}, "product", ScanProduct)
	if err != nil {
		return p, err
	}
	raised, err := RemoveHiddenLinks(ctx, tx, []int64{p.Key})
	p.Version += raised[p.Key]
	return p, err
}

// productsOf reads the products with these keys, in the given order. Keys that do not exist are left out.
func productsOf(ctx context.Context, tx store.Tx, keys []int64) ([]Product, error) {
	found := make(map[int64]Product, len(keys))
	err := tx.QueryRows(ctx, ProductsOfKeysSQL, write.KeyBatch(keys), func(rows database.Rows) error {
		p, err := ScanProduct(rows)
		found[p.Key] = p
		return err
	})
	if err != nil {
		return nil, err
	}

	list := make([]Product, 0, len(keys))
	for _, key := range keys {
		if p, ok := found[key]; ok {
			list = append(list, p)
		}
	}

	return list, nil
}

// productKeysOf returns the keys of the products with these external ids, including archived ones.
func productKeysOf(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]int64, error) {
	keys := make(map[string]int64, len(externalIDs))
	return keys, tx.QueryRows(ctx, productsOfExternalIDsSQL, write.TextBatch(externalIDs),
		write.EachPair(func(key int64, externalID string) { keys[externalID] = key }))
}

// checkExternalIDs returns fault.Conflict if other products of the store have external ids of this request.
func (ws *ProductWrites) checkExternalIDs(ctx context.Context) error {
	var sent []string
	for _, w := range ws.List {
		if w.Edit.ExternalID != nil && w.Product.ExternalID != nil {
			sent = append(sent, *w.Product.ExternalID)
		}
	}

	holders, err := productKeysOf(ctx, ws.Tx, sent)
	if err != nil || len(holders) == 0 {
		return err
	}

	var taken []string
	for _, w := range ws.List {
		if w.Product.ExternalID == nil {
			continue
		}
		if key, held := holders[*w.Product.ExternalID]; held && key != w.Product.Key {
			taken = append(taken, w.Path.Member("external_id"))
		}
	}

	if taken == nil {
		return nil
	}

	return rule.ExternalIDsTaken(taken, "product of this store")
}

// newWrittenBatch returns a batch with these columns, and writtenColumns after them.
func newWrittenBatch(first ...database.ColumnType) *database.Batch {
	return ProductScalars.batch(first, []database.ColumnType{database.Text, database.Text, database.Text,
		database.BigInt, database.BigInt, database.Text, database.Text, database.Bytes, database.Bytes, database.Bytes,
		database.Bytes, database.BigInt, database.BigInt})
}

// appendWritten appends the values of writtenColumns.
func (ws *ProductWrites) appendWritten(row []any, w *ProductWrite) []any {
	words, sortName := w.Product.words(w.codes())
	row = ProductScalars.appendStored(row, &w.Product)
	row = append(row, words, sortName, w.Edit.Modifiers, w.SourceVersion, int64(w.Product.Locks), w.Article,
		(*string)(w.GoodBarcodes))

	if m := w.Pushed; m != nil {
		row = append(row, nullIfNil(m.Whole), nullIfNil(m.Goods), nullIfNil(m.Offers), nullIfNil(m.Prices),
			ws.Time.UnixMicro())
	} else {
		row = append(row, nil, nil, nil, nil, nil)
	}

	return append(row, int64(w.written()))
}

// insertProducts inserts the new products, in the order of the request, and fills in their keys.
func (ws *ProductWrites) insertProducts(ctx context.Context) error {
	added := make(map[ProductID]*ProductWrite, len(ws.List))
	batch := newWrittenBatch(database.UUID, database.Text, database.BigInt)
	var row []any
	for _, w := range ws.List {
		if !w.Added {
			continue
		}

		added[w.Product.ID] = w
		row = append(row[:0], w.Product.ID, w.Product.ExternalID, database.MicrosOrNull(w.Product.ArchivedAt))
		row = ws.appendWritten(row, w)
		batch.Add(row...)
	}

	err := ws.Tx.QueryRows(ctx, insertProductsSQL, batch, write.EachPair(func(key int64, productID ProductID) {
		added[productID].Product.Key = key
	}), ws.Time.UnixMicro(), productfield.WriterFrom(ctx).OrNull())
	return ws.productFault(err)
}

// updateProducts updates the rows of the existing products.
func (ws *ProductWrites) updateProducts(ctx context.Context) error {
	indexed := newWrittenBatch(database.BigInt, database.BigInt, database.Text, database.BigInt)
	plain := newWrittenBatch(database.BigInt, database.BigInt)
	var row []any

	for _, w := range ws.List {
		if w.Added {
			continue
		}

		batch := plain
		row = append(row[:0], w.Product.Key, w.Product.Version)
		if w.indexedColumnsChange() {
			batch = indexed
			row = append(row, w.Product.ExternalID, database.MicrosOrNull(w.Product.ArchivedAt))
		}

		row = ws.appendWritten(row, w)
		batch.Add(row...)
	}

	args := []any{ws.Time.UnixMicro(), productfield.WriterFrom(ctx).OrNull()}
	return ws.productFault(write.ExecAll(ctx, ws.Tx,
		write.Statement{SQL: updateUnindexedProductsSQL, Batch: plain, Args: args},
		write.Statement{SQL: updateProductsSQL, Batch: indexed, Args: args}))
}

// recordOldIDs records the external ids that the products lose.
func (ws *ProductWrites) recordOldIDs(ctx context.Context) error {
	batch := database.NewBatch(database.Text, database.Text, database.Text)
	for _, w := range ws.List {
		if was := w.Before.ExternalID; was != nil && !write.EqualStrings(was, w.Product.ExternalID) {
			batch.Add(string(ProductEntity), "", *was)
		}
	}
	return InsertDeletedIDs(ctx, ws.Tx, batch, ws.Time)
}

// productFault turns a violation of the unique index on external ids into fault.Conflict. The violation occurs when
// another transaction takes the external id after checkExternalIDs.
func (ws *ProductWrites) productFault(err error) error {
	if !database.ViolatesIndex(err, "products_external", "products.store_id, products.external_id") {
		return err
	}
	if len(ws.List) > 1 {
		return rule.ExternalIDTaken("products", "product of this store")
	}
	return rule.ExternalIDTaken(ws.List[0].Path.Member("external_id"), "product of this store")
}

func productBatch(products []Product) *database.Batch {
	batch := database.NewBatch(database.BigInt)
	for i := range products {
		batch.Add(products[i].Key)
	}
	return batch
}

func productsByKey(products []Product) map[int64]*Product {
	at := make(map[int64]*Product, len(products))
	for i := range products {
		at[products[i].Key] = &products[i]
	}
	return at
}

// fillTotals fills in the number of variants of products, their price range and their availability.
func fillTotals(ctx context.Context, tx store.Tx, products []Product) error {
	at := productsByKey(products)
	return tx.QueryRows(ctx, TotalsOfProductsSQL, productBatch(products), func(rows database.Rows) error {
		return ScanTotals(rows, func(key int64) *Product { return at[key] })
	})
}

// ScanTotals reads a row of TotalsOfProductsSQL into the product with its key.
func ScanTotals(rows database.Rows, product func(key int64) *Product) error {
	var key, count int64
	var from, to, available *int64 // from and to are NULL if no variant has a price
	if err := rows.Scan(&key, &count, &from, &to, &available); err != nil {
		return err
	}
	p := product(key)
	p.VariantCount, p.Available = count, (*money.Quantity)(available)
	p.PriceFrom, p.PriceTo = (*money.Money)(from), (*money.Money)(to)
	return nil
}

func deleteProduct(ctx context.Context, tx store.Tx, productKey int64) error {
	return database.Exec(ctx, tx, deleteProductSQL, productKey)
}

const liveProductsSQL = `
SELECT key, external_id IS NOT NULL, created_at
FROM products
WHERE store_id = $1
  AND archived_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

// liveChunkSize is the number of products that one statement of EachLive reads.
const liveChunkSize = 10_000

// EachLive calls fn for each live product. known says whether it has an external id; createdAt is in microseconds.
func (s *Products) EachLive(
	ctx context.Context, tx store.Tx, fn func(key int64, known bool, createdAt int64),
) (err error) {
	defer fault.AddContext(&err, "read all live products")
	for last, n := int64(0), liveChunkSize; n == liveChunkSize; {
		n = 0
		err := database.QueryEach(ctx, tx, liveProductsSQL, []any{last, liveChunkSize},
			write.EachTriple(func(key int64, known bool, createdAt int64) {
				fn(key, known, createdAt)
				last = key
				n++
			}))
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteProductRows deletes products and their images, which the caller has locked.
func DeleteProductRows(ctx context.Context, tx store.Tx, keys []int64, now time.Time) error {
	var images []int64
	if err := write.QueryByKey(ctx, tx, imageKeysOfProductsSQL, keys, database.AppendColumn(&images)); err != nil {
		return err
	}
	if err := DeleteImages(ctx, tx, images, now); err != nil {
		return err
	}

	pinned, err := arePinned(ctx, tx, keys)
	if err != nil {
		return err
	}
	if err := write.RecordDeleted(ctx, tx, keys, now); err != nil {
		return err
	}
	if err := write.ExecByKey(ctx, tx, deleteProductRowsSQL, keys); err != nil {
		return err
	}
	return raisePinsVersion(ctx, tx, pinned)
}

// arePinned reports whether one of the products comes first for a query: see package searchrule.
func arePinned(ctx context.Context, tx store.Tx, productKeys []int64) (bool, error) {
	var pinned []int64
	err := write.QueryByKey(ctx, tx, pinnedKeysSQL, productKeys, database.AppendColumn(&pinned))
	return len(pinned) > 0, err
}

// raisePinsVersion raises the versions of the pins and of the search, if products were pinned that are now deleted with
// their pins. The index has the row keys of pinned products, which SQLite may use again.
func raisePinsVersion(ctx context.Context, tx store.Tx, pinned bool) error {
	if !pinned {
		return nil
	}
	if err := database.Exec(ctx, tx, raisePinsVersionSQL); err != nil {
		return err
	}
	_, err := store.RaiseSearchVersion(ctx, tx)
	return err
}

const CategoryRowsSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.category_key, x.canonical
FROM r
CROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.product_key = r.key)
LIMIT $2`

const FeatureRowsSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN LOOKUP (product_values x WHERE x.store_id = $1 AND x.product_key = r.key)
LIMIT $2`

// nullIfNil returns bytes as a column value: NULL for nil.
func nullIfNil(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// lockProductRows appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock. Callers
// filter archived rows in Go: a condition on archived_at makes PostgreSQL scan a partial index for each row.
// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const lockProductRowsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.archived_at
FROM r
CROSS JOIN products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key = r.key
ORDER BY p.key`

const archiveProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET archived_at = $2, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END,
	` + forgetPushesSQL + `
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

const restoreProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET archived_at = NULL, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2
	ELSE updated_at + 1 END, ` + forgetPushesSQL + `
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

const markDraftSQL = `
UPDATE products
SET draft_at = archived_at
WHERE store_id = $1
  AND key = $2`

func markDraft(ctx context.Context, tx store.Tx, productKey int64) error {
	return database.Exec(ctx, tx, markDraftSQL, productKey)
}

// lockProductRows locks products for update and calls fn with the archiving time of each, in the order of their keys.
func lockProductRows(ctx context.Context, tx store.Tx, keys []int64, fn func(key int64, archivedAt *int64)) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	return tx.QueryRows(ctx, lockProductRowsSQL+tx.Dialect().ForUpdate, write.KeyBatch(keys), write.EachPair(fn))
}

func archiveProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, archiveProductsSQL, productKeys, at.UnixMicro())
}

func restoreProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, restoreProductsSQL, productKeys, at.UnixMicro())
}

const productLabelsSQL = `
WITH r(external_id) AS (ROWS)
SELECT p.external_id, p.name, COALESCE(p.article, '')
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.external_id = r.external_id)`

// IS NOT NULL matches the condition of a partial index; see docs/planner.md.
const variantLabelsSQL = `
WITH r(external_id) AS (ROWS)
SELECT v.external_id, p.name, COALESCE(NULLIF(v.sku, ''), p.article, '')
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.external_id = r.external_id AND v.external_id IS NOT NULL)
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = v.product_key)`

// Label returns what people call a good: its name and, in brackets, its article, if it has one.
func Label(name, article string) string {
	if article == "" || name == "" {
		return name + article
	}
	return name + " (" + article + ")"
}

// ProductLabels returns the labels of products by external id. Those that do not exist have none.
func ProductLabels(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]string, error) {
	return readLabels(ctx, tx, productLabelsSQL, externalIDs)
}

// VariantLabels returns the labels of variants, by external id: the name of the product and the variant's SKU.
func VariantLabels(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]string, error) {
	return readLabels(ctx, tx, variantLabelsSQL, externalIDs)
}

func readLabels(ctx context.Context, tx store.Tx, sql string, externalIDs []string) (map[string]string, error) {
	labels := map[string]string{}
	err := tx.QueryRows(ctx, sql, write.TextBatch(externalIDs), func(rows database.Rows) error {
		var id, name, article string
		if err := rows.Scan(&id, &name, &article); err != nil {
			return err
		}
		labels[id] = Label(name, article)
		return nil
	})
	return labels, err
}
