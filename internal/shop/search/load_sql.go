package search

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/store"
)

const allAttributesSQL = `
SELECT ` + attributeColumns + `
FROM attributes a
WHERE a.store_id = $1
  AND a.kind IN ('option', 'feature')
ORDER BY a.key`

const localeSQL = `
SELECT locale
FROM stores
WHERE id = $1`

const allCategoriesSQL = `
SELECT key, id, name, slug, parent_key
FROM categories
WHERE store_id = $1
  AND deleted_at IS NULL
ORDER BY key`

// Values of deleted attributes are deleted, too, although they exist for a while.
const valuesOfKeysSQL = `
WITH r(key) AS (ROWS)
SELECT v.key, v.attribute_key, v.id, v.name, v.number, v.position
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = r.key AND v.deleted_at IS NULL)
WHERE (SELECT a.kind FROM attributes a WHERE a.store_id = $1 AND a.key = v.attribute_key) IN ('option', 'feature')`

const optionsOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.value_key
FROM r
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.variant_key = r.key)
ORDER BY x.variant_key`

const keyRangeSQL = `
SELECT MIN(key), MAX(key)
FROM products
WHERE store_id = $1`

const sampleFeaturesSQL = `
SELECT attribute_key, COUNT(*)
FROM product_values
WHERE store_id = $1
  AND product_key >= $2
  AND product_key < $3
GROUP BY attribute_key`

const sampleProductsSQL = `
SELECT COUNT(*)
FROM products
WHERE store_id = $1
  AND key >= $2
  AND key < $3`

// productColumns are the columns that appendProduct reads.
const productColumns = `p.key, p.created_at, p.sort_name, p.name, p.description, COALESCE(p.external_id, '')`

const productsAfterSQL = `SELECT ` + productColumns + `
FROM products p
WHERE p.store_id = $1
  AND p.key > $2
  AND p.archived_at IS NULL
ORDER BY p.key
LIMIT $3`

// productTable holds the parts of the statements that read rows of products, in the order of the product keys.
type productTable struct {
	columns, table, alias, productKey, end string
	// keysSQL is the statement for the products whose keys are in ROWS, if it is not made of the parts.
	keysSQL string
}

// rangeSQL selects the rows of the products with keys above $2 and up to $3.
func (t productTable) rangeSQL() string {
	key := t.alias + "." + t.productKey
	return "SELECT " + t.columns + "\nFROM " + t.table + " " + t.alias + "\nWHERE " + t.alias + ".store_id = $1" +
		"\n  AND " + key + " > $2\n  AND " + key + " <= $3" + t.end
}

// byKeySQL selects the rows of the products whose keys are in ROWS.
func (t productTable) byKeySQL() string {
	if t.keysSQL != "" {
		return t.keysSQL
	}

	return "\nWITH r(key) AS (ROWS)\nSELECT " + t.columns + "\nFROM r\nCROSS JOIN LOOKUP (" + t.table + " " + t.alias +
		" WHERE " + t.alias + ".store_id = $1 AND " + t.alias + "." + t.productKey + " = r.key)\nWHERE TRUE" + t.end
}

// readProductsAfter returns up to limit products with all details, ordered by key, beginning with the first key greater
// than the parameter after. It returns none if there is no such key. The variants have their prices in the lists.
func readProductsAfter(
	ctx context.Context, tx store.Tx, after int64, limit int, lists []int64,
) (list []productRow, err error) {
	err = database.QueryEach(ctx, tx, productsAfterSQL, []any{after, limit}, appendProduct(&list))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	args := []any{after, list[len(list)-1].key}
	return list, readProductDetails(list, lists, func(t productTable, fn func(database.Rows) error) error {
		return database.QueryEach(ctx, tx, t.rangeSQL(), args, fn)
	})
}

// readProducts returns the live products with these keys, with all details, sorted by key.
func readProducts(ctx context.Context, tx store.Tx, keys, lists []int64) (list []productRow, err error) {
	batch := database.BatchOf(database.BigInt, keys)
	query := func(t productTable, fn func(database.Rows) error) error {
		return tx.QueryRows(ctx, t.byKeySQL(), batch, fn)
	}
	products := productTable{productColumns, "products", "p", "key",
		"\n  AND p.archived_at IS NULL\nORDER BY p.key", ""}
	if err := query(products, appendProduct(&list)); err != nil {
		return nil, err
	}
	return list, readProductDetails(list, lists, query)
}

func appendProduct(list *[]productRow) func(database.Rows) error {
	return func(rows database.Rows) error {
		*list = append(*list, productRow{})
		p := &(*list)[len(*list)-1]
		return rows.Scan(&p.key, &p.created, &p.sortName, &p.name, &p.description, &p.externalID)
	}
}

// readProductDetails adds features, categories and variants to the products, which are sorted by key. The function
// query must read the rows of a table in the order of the product keys, too, so that readProductDetails can merge both.
func readProductDetails(
	list []productRow, lists []int64, query func(t productTable, fn func(database.Rows) error) error,
) error {
	var key int64

	// merge reads the rows of a table. It scans each row into the variable key and the variables into, and calls add
	// with the product of the row.
	merge := func(t productTable, add func(p *productRow), into ...any) error {
		at := 0
		into = append([]any{&key}, into...)
		return query(t, func(rows database.Rows) error {
			err := rows.Scan(into...)
			for at < len(list) && list[at].key < key {
				at++
			}
			if err == nil && at < len(list) && list[at].key == key { // otherwise the product is archived
				add(&list[at])
			}
			return err
		})
	}

	var feature featureValue
	var features []featureValue
	table := productTable{"x.product_key, x.attribute_key, x.value_key", "product_values", "x", "product_key",
		"\nORDER BY x.product_key", ""}
	err := merge(table, func(p *productRow) {
		// All products share one backing array. When append moves it, earlier slices keep the old array.
		if len(p.features) == 0 {
			p.features = features[len(features):]
		}
		features = append(features, feature)
		p.features = features[len(features)-len(p.features)-1:]
	}, &feature.attribute, &feature.value)
	if err != nil {
		return err
	}

	var quantity int64
	table.columns = "x.product_key, x.quantity"
	table.table = "product_popularity"
	table.keysSQL = popularityOfKeysSQL

	err = merge(table, func(p *productRow) { p.popularity = popularityOf(quantity) }, &quantity)
	if err != nil {
		return err
	}

	var category int64
	table.columns = "x.product_key, x.category_key"
	table.table = "product_categories"
	table.keysSQL = ""

	err = merge(table, func(p *productRow) { p.categories = append(p.categories, category) }, &category)
	if err != nil {
		return err
	}

	var v variantRow
	var price, available *int64
	var combination []byte
	listPrices := make([]*int64, len(lists))
	into := []any{&v.key, &price, &available, &combination, &v.name, &v.sku, &v.barcodes}
	for i := range listPrices {
		into = append(into, &listPrices[i])
	}

	table = productTable{"w.product_key, w.key, w.price, " + catalog.AvailableSQL +
		", w.combination, w.name, w.sku, w.barcodes" +
		pricelist.ColumnsSQL(lists), "variants", "w", "product_key",
		"\n  AND w.archived_at IS NULL\nORDER BY w.product_key, w.key", ""}
	return merge(table, func(p *productRow) {
		v.inStock = isInStock(available)
		v.combination = string(combination)
		v.price = orNoPrice(price)
		v.listPrices = nil
		for _, price := range listPrices {
			v.listPrices = append(v.listPrices, orNoPrice(price))
		}
		p.variants = append(p.variants, v)
	}, into...)
}

func orNoPrice(price *int64) int64 {
	if price == nil {
		return noPrice
	}
	return *price
}

// chainTable returns the table of the live variants with their prices for a chain.
func chainTable(lists []int64) productTable {
	return productTable{"w.product_key, " + pricelist.PriceSQL(lists), "variants", "w", "product_key",
		"\n  AND w.archived_at IS NULL\nORDER BY w.product_key, w.key", ""}
}

// readChain reads the prices of all variants of the store for a chain.
func readChain(ctx context.Context, tx store.Tx, lists []int64) (*chainPrices, error) {
	current, err := readVersions(ctx, tx)
	if err != nil {
		return nil, err
	}
	first, last, err := keyRange(ctx, tx)
	if err != nil {
		return nil, err
	}

	read := &chainPrices{state: current.State}
	if first == nil {
		return read, nil
	}
	for from := *first - 1; from < *last; from += chainWindow {
		args := []any{from, from + chainWindow}
		if err := database.QueryEach(ctx, tx, chainTable(lists).rangeSQL(), args, read.scan); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// readChainOf reads the prices of the variants of products, whose keys are sorted.
func readChainOf(ctx context.Context, tx store.Tx, lists, keys []int64) (*chainPrices, error) {
	read := &chainPrices{}
	batch := database.BatchOf(database.BigInt, keys)
	return read, tx.QueryRows(ctx, chainTable(lists).byKeySQL(), batch, read.scan)
}

func (p *chainPrices) scan(rows database.Rows) error {
	var productKey int64
	var price *int64
	err := rows.Scan(&productKey, &price)
	p.add(productKey, orNoPrice(price))
	return err
}

func readLocale(ctx context.Context, tx store.Tx) (locale string, err error) {
	err = database.QueryRow(ctx, tx, localeSQL, nil, &locale)
	return locale, err
}

func readAttributes(ctx context.Context, tx store.Tx) (map[int64]*attribute, error) {
	all := map[int64]*attribute{}
	err := database.QueryEach(ctx, tx, allAttributesSQL, nil, func(rows database.Rows) error {
		a, err := scanSearchAttribute(rows)
		all[a.key] = &a
		return err
	})
	return all, err
}

// eachCategory calls fn for each category; parent is nil for a root.
func eachCategory(ctx context.Context, tx store.Tx, fn func(key int64, n categoryNode, parent *int64)) error {
	return database.QueryEach(ctx, tx, allCategoriesSQL, nil, func(rows database.Rows) error {
		var key int64
		var n categoryNode
		var parent *int64
		err := rows.Scan(&key, &n.id, &n.name, &n.slug, &parent)
		fn(key, n, parent)
		return err
	})
}

// eachValue calls fn for each existing value with one of these keys.
func eachValue(ctx context.Context, tx store.Tx, keys []int64, fn func(key int64, v valueInfo)) error {
	batch := database.BatchOf(database.BigInt, keys)
	return tx.QueryRows(ctx, valuesOfKeysSQL, batch, func(rows database.Rows) error {
		var key int64
		var v valueInfo
		var number *float64
		if err := rows.Scan(&key, &v.attribute, &v.id, &v.name, &number, &v.position); err != nil {
			return err
		}
		if number != nil {
			v.number = *number
		}
		fn(key, v)
		return nil
	})
}

// eachOption calls fn for each option value of the variants. Calls for one variant are consecutive.
func eachOption(ctx context.Context, tx store.Tx, variantKeys []int64, fn func(variantKey, valueKey int64)) error {
	batch := database.BatchOf(database.BigInt, variantKeys)
	return tx.QueryRows(ctx, optionsOfVariantsSQL, batch, func(rows database.Rows) error {
		var variant, value int64
		err := rows.Scan(&variant, &value)
		fn(variant, value)
		return err
	})
}

// keyRange returns the lowest and the highest product key of the store. They are nil if it has no products.
func keyRange(ctx context.Context, tx store.Tx) (first, last *int64, err error) {
	err = database.QueryRow(ctx, tx, keyRangeSQL, nil, &first, &last)
	return first, last, err
}

// sampleFeatures counts the products with keys in [from, to), and adds the numbers of their values by feature to
// counts.
func sampleFeatures(
	ctx context.Context, tx store.Tx, from, to int64, counts map[int64]int64,
) (products int64, err error) {
	if err := database.QueryRow(ctx, tx, sampleProductsSQL, []any{from, to}, &products); err != nil {
		return 0, err
	}
	err = database.QueryEach(ctx, tx, sampleFeaturesSQL, []any{from, to}, func(rows database.Rows) error {
		var attributeKey, n int64
		err := rows.Scan(&attributeKey, &n)
		counts[attributeKey] += n
		return err
	})
	return products, err
}

// State identifies the state of a store's catalogue. Snapshots with equal states have equal contents. Versions alone do
// not suffice: after a restore, or a failover that lost commits, the database may get to the same versions by other
// changes. So the state has the time of the change that made the version of the products, and the random stamps of the
// others. They are 0 if they are not recorded.
type State struct {
	products, categories, attributes, search, changedAt int64
	categoriesStamp, attributesStamp, searchStamp       int64
}

// PartVersion is a version of a part of the catalogue, and what tells it from a version of a lost history with the same
// number.
type PartVersion struct{ version, stamp int64 }

// IsZero reports whether the state is the zero value: the state of an empty catalogue.
func (s State) IsZero() bool { return s == State{} }

// Products returns the version of the products.
func (s State) Products() int64 { return s.products }

// Categories returns the version of the category tree.
func (s State) Categories() PartVersion { return PartVersion{s.categories, s.categoriesStamp} }

// Attributes returns the version of the options and features.
func (s State) Attributes() PartVersion { return PartVersion{s.attributes, s.attributesStamp} }

// Search returns the version of what only the order and the meaning of searches depend on.
func (s State) Search() PartVersion { return PartVersion{s.search, s.searchStamp} }

// withoutSearch returns the state for a comparison that leaves out the version of the search.
func (s State) withoutSearch() State {
	s.search = 0
	s.searchStamp = 0
	return s
}

// SameNames reports whether categories and attributes have the same versions in both states.
func (s State) SameNames(other State) bool {
	return s.Categories() == other.Categories() && s.Attributes() == other.Attributes()
}

// NewerNames reports whether categories or attributes are newer than in the other state, and neither is older.
func (s State) NewerNames(other State) bool {
	return !s.SameNames(other) && s.categories >= other.categories && s.attributes >= other.attributes
}

// OlderThan reports whether any version in s is lower than the same version in other.
func (s State) OlderThan(other State) bool {
	return s.products < other.products || s.categories < other.categories || s.attributes < other.attributes ||
		s.search < other.search
}

// partNames are the parts of the catalogue in the order of State.parts. The versions of the products have no stamps.
var partNames = [...]store.Part{"", store.CategoriesPart, store.AttributesPart, store.SearchPart}

// parts returns the versions, each with what identifies it.
func (s State) parts() [len(partNames)]PartVersion {
	return [...]PartVersion{{s.products, s.changedAt}, s.Categories(), s.Attributes(), s.Search()}
}

// DivergedFrom reports whether both states have the same version of a part of the catalogue, made by different changes.
func (s State) DivergedFrom(other State) bool {
	theirs := other.parts()
	for i, one := range s.parts() {
		if one.version == theirs[i].version && one.stamp != theirs[i].stamp && one.stamp != 0 && theirs[i].stamp != 0 {
			return true
		}
	}
	return false
}

// isRecorded reports whether isPast can tell the state from one of a lost history: each version is the current one or
// has a stamp.
func (s State) isRecorded(current State) bool {
	now := current.parts()
	for i, one := range s.parts() {
		if one.version != now[i].version && one.version != 0 && one.stamp == 0 {
			return false
		}
	}
	return true
}

// sameAs reports whether the states have equal contents. It ignores a changedAt that is not recorded.
func (s State) sameAs(other State) bool {
	return s.products == other.products && s.categories == other.categories && s.attributes == other.attributes &&
		s.search == other.search && !s.DivergedFrom(other)
}

// samePrices reports whether the products of both states have equal prices. Orders change the version of the search all
// the time.
func (s State) samePrices(other State) bool { return s.withoutSearch().sameAs(other.withoutSearch()) }

// Versions is the state of a store's catalogue on a snapshot and how far back its changes are recorded.
type Versions struct {
	State
	// prunedUpTo is the product version up to which the change records are deleted.
	prunedUpTo int64
	// rules is the version of the search that last changed more than the popularity of products.
	rules int64
	// RedirectsStamp is that of store.Versions.
	RedirectsStamp int64
}

const changeTimeSQL = `
SELECT changed_at
FROM product_changes
WHERE store_id = $1
  AND version = $2
ORDER BY product_key
LIMIT 1`

const countUpToSQL = `
SELECT COUNT(*)
FROM (SELECT key FROM products WHERE store_id = $1 LIMIT $2) AS p`

const changedProductsSQL = `
SELECT DISTINCT product_key
FROM product_changes
WHERE store_id = $1
  AND version > $2
  AND version <= $3
ORDER BY product_key
LIMIT $4`

func readVersions(ctx context.Context, tx store.Tx) (Versions, error) {
	v, err := store.FindVersions(ctx, tx)
	return VersionsOf(v), err
}

// isPast reports whether the database was once in the given state, as far as its change records and stamps show. It
// does not matter if the stamp of the search is no longer recorded: orders make many versions, and what depends on them
// can be read whole.
func isPast(ctx context.Context, tx store.Tx, state State, current Versions) (bool, error) {
	if current.OlderThan(state) || state.DivergedFrom(current.State) {
		return false, nil
	}

	now := current.parts()
	for i, one := range state.parts() {
		if one.version == now[i].version || one.stamp == 0 {
			continue
		}

		stamp, err := findStamp(ctx, tx, partNames[i], one.version)
		switch {
		case errors.Is(err, database.ErrNoRows):
			if partNames[i] != store.SearchPart {
				return false, nil
			}
		case err != nil:
			return false, err
		case stamp != one.stamp:
			return false, nil
		}
	}

	return true, nil
}

// findStamp returns what identifies a version of a part, or database.ErrNoRows if it is not recorded.
func findStamp(ctx context.Context, tx store.Tx, part store.Part, version int64) (stamp int64, err error) {
	if part != "" {
		return store.FindStamp(ctx, tx, part, version)
	}
	err = database.QueryRow(ctx, tx, changeTimeSQL, []any{version}, &stamp)
	return stamp, err
}

// countUpTo counts the products of the store, archived ones included, but not more than limit.
func countUpTo(ctx context.Context, tx store.Tx, limit int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countUpToSQL, []any{limit}, &n)
	return n, err
}

// A stock that was hidden is in the change log instead of the products that have remainders in it. This statement reads
// the products of the variants that went out of stock with it, because their other remainders are empty, or came in
// stock, because they have no other remainders. Remainders in other hidden stocks do not count.
const productsOfHiddenStockSQL = `
SELECT (SELECT w.product_key FROM variants w WHERE w.store_id = $1 AND w.key = r.variant_key)
FROM remainders r
WHERE r.store_id = $1
  AND r.stock_key = $2
  AND COALESCE((
	SELECT SUM(CASE WHEN x.quantity > x.reserved THEN 1 ELSE 0 END)
	FROM remainders x
	WHERE x.store_id = $1
	  AND x.variant_key = r.variant_key
	  AND x.stock_key <> $2
	  AND NOT ` + catalog.RemainderHiddenSQL + `), -1) = CASE WHEN r.quantity > r.reserved THEN 0 ELSE -1 END
LIMIT $3`

// productsOfHiddenStock returns the keys of the products, at most limit, with variants that came in stock or went out
// of stock when a stock was hidden, as far as their remainders are not deleted yet.
func productsOfHiddenStock(ctx context.Context, tx store.Tx, stockKey int64, limit int) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, productsOfHiddenStockSQL, []any{stockKey, limit}, database.AppendColumn(&keys))
	return keys, err
}

// isInStock reports whether a variant with this availability is in stock. It is if no stock is kept of it.
func isInStock(available *int64) bool { return available == nil || *available > 0 }

// changedProducts returns the sorted keys, at most limit, of the products that changed in a version greater than from
// and not greater than to. Key 0 stands for all products of the store. A negative key stands for all products with
// remainders in a stock: -7 for the stock with key 7. See Stocks.hide in package catalog.
func changedProducts(ctx context.Context, tx store.Tx, from, to int64, limit int) ([]int64, error) {
	var keys []int64
	err := database.QueryEach(ctx, tx, changedProductsSQL, []any{from, to, limit}, database.AppendColumn(&keys))
	return keys, err
}

// Changes returns the row keys of the products that changed after the state from, up to the snapshot of tx, whose
// versions are current. The result all is true if any product may have changed, or more than limit did.
func (s *Service) Changes(
	ctx context.Context, tx store.Tx, from State, current Versions, limit int,
) (keys []int64, all bool, err error) {
	if from.products < current.prunedUpTo {
		return nil, true, nil
	}
	past, err := isPast(ctx, tx, from, current)
	if err != nil || !past {
		return nil, true, err
	}
	keys, err = changedProducts(ctx, tx, from.products, current.products, limit+1)
	return keys, len(keys) > limit || len(keys) > 0 && keys[0] <= 0, err
}
