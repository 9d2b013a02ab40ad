package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const allAttributesSQL = `
SELECT ` + attributeColumns + `
FROM attributes a
WHERE a.store_id = $1
ORDER BY a.key`

const allCategoriesSQL = `
SELECT key, id, name, parent_key
FROM categories
WHERE store_id = $1
ORDER BY key`

const valuesOfKeysSQL = `
WITH r(key) AS (ROWS)
SELECT v.key, v.attribute_key, v.id, v.name, v.number
FROM r
CROSS JOIN attribute_values v
WHERE v.store_id = $1
  AND v.key = r.key`

const optionsOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.value_key
FROM r
CROSS JOIN variant_values x
WHERE x.store_id = $1
  AND x.variant_key = r.key
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

// The statements that read products come in pairs: one for a chunk of consecutive keys, one for a list of keys. All
// return their rows in the order of the product keys.
const (
	productsColumns = `SELECT p.key, p.created_at, p.sort_name, p.words`
	productsTail    = `
  AND p.archived_at IS NULL
ORDER BY p.key`
	featuresColumns   = `SELECT x.product_key, x.attribute_key, x.value_key`
	categoriesColumns = `SELECT x.product_key, x.category_key`
	byProduct         = `
ORDER BY x.product_key`
	variantsColumns = `SELECT w.product_key, w.key, w.price, w.available, w.combination`
	variantsTail    = `
  AND w.archived_at IS NULL
ORDER BY w.product_key, w.key`

	productsChunkSQL = productsColumns + `
FROM products p
WHERE p.store_id = $1
  AND p.key > $2` + productsTail + `
LIMIT $3`
	featuresChunkSQL = featuresColumns + `
FROM product_values x
WHERE x.store_id = $1
  AND x.product_key > $2
  AND x.product_key <= $3` + byProduct
	categoriesChunkSQL = categoriesColumns + `
FROM product_categories x
WHERE x.store_id = $1
  AND x.product_key > $2
  AND x.product_key <= $3` + byProduct
	variantsChunkSQL = variantsColumns + `
FROM variants w
WHERE w.store_id = $1
  AND w.product_key > $2
  AND w.product_key <= $3` + variantsTail

	productsByKeySQL = `
WITH r(key) AS (ROWS)
` + productsColumns + `
FROM r
CROSS JOIN products p
WHERE p.store_id = $1
  AND p.key = r.key` + productsTail
	featuresByKeySQL = `
WITH r(key) AS (ROWS)
` + featuresColumns + `
FROM r
CROSS JOIN product_values x
WHERE x.store_id = $1
  AND x.product_key = r.key` + byProduct
	categoriesByKeySQL = `
WITH r(key) AS (ROWS)
` + categoriesColumns + `
FROM r
CROSS JOIN product_categories x
WHERE x.store_id = $1
  AND x.product_key = r.key` + byProduct
	variantsByKeySQL = `
WITH r(key) AS (ROWS)
` + variantsColumns + `
FROM r
CROSS JOIN variants w
WHERE w.store_id = $1
  AND w.product_key = r.key` + variantsTail
)

// loader reads the rows of one store on a snapshot.
type loader struct {
	tx store.Tx
}

// chunk returns the next products after a key, with all details. The result is empty at the end.
func (l *loader) chunk(ctx context.Context, after int64, limit int) ([]productRow, error) {
	var list []productRow
	err := database.QueryEach(ctx, l.tx, productsChunkSQL, []any{after, limit},
		func(rows database.Rows) error { return scanProduct(&list, rows) })
	if err != nil || len(list) == 0 {
		return nil, err
	}
	args := []any{l.tx.StoreID(), after, list[len(list)-1].key}
	return list, l.addDetails(list, [3]string{featuresChunkSQL, categoriesChunkSQL, variantsChunkSQL},
		func(sql string, fn func(database.Rows) error) error {
			return database.QueryEach(ctx, l.tx.Unscoped(), sql, args, fn)
		})
}

// byKeys returns the live products with these keys, with all details, sorted by key.
func (l *loader) byKeys(ctx context.Context, keys []int64) ([]productRow, error) {
	batch := database.NewBatch(database.BigInt)
	for _, k := range keys {
		batch.Add(k)
	}
	query := func(sql string, fn func(database.Rows) error) error {
		return l.tx.QueryRows(ctx, sql, batch, fn)
	}
	var list []productRow
	if err := query(productsByKeySQL, func(rows database.Rows) error { return scanProduct(&list, rows) }); err != nil {
		return nil, err
	}
	return list, l.addDetails(list, [3]string{featuresByKeySQL, categoriesByKeySQL, variantsByKeySQL}, query)
}

func scanProduct(list *[]productRow, rows database.Rows) error {
	*list = append(*list, productRow{})
	p := &(*list)[len(*list)-1]
	return rows.Scan(&p.key, &p.created, &p.name, &p.words)
}

// addDetails adds features, categories and variants to the products. The statements return rows in the order of the
// products, so the function merges the two sorted lists.
func (l *loader) addDetails(
	list []productRow, statements [3]string, query func(sql string, fn func(database.Rows) error) error,
) error {
	var at int
	var features []featureValue
	productOf := func(key int64) *productRow {
		for at < len(list) && list[at].key < key {
			at++
		}
		if at == len(list) || list[at].key != key {
			return nil // archived
		}
		return &list[at]
	}
	err := query(statements[0], func(rows database.Rows) error {
		var key int64
		var v featureValue
		if err := rows.Scan(&key, &v.attribute, &v.value); err != nil {
			return err
		}
		if p := productOf(key); p != nil {
			// All products share one backing array. When append moves it, the slices of earlier products keep the old
			// array.
			if len(p.features) == 0 {
				p.features = features[len(features):]
			}
			features = append(features, v)
			p.features = features[len(features)-len(p.features)-1:]
		}
		return nil
	})
	if err != nil {
		return err
	}
	at = 0
	err = query(statements[1], func(rows database.Rows) error {
		var key, category int64
		if err := rows.Scan(&key, &category); err != nil {
			return err
		}
		if p := productOf(key); p != nil {
			p.categories = append(p.categories, category)
		}
		return nil
	})
	if err != nil {
		return err
	}
	at = 0
	return query(statements[2], func(rows database.Rows) error {
		var key int64
		var v variantRow
		var available *int64
		var combination []byte
		if err := rows.Scan(&key, &v.key, &v.price, &available, &combination); err != nil {
			return err
		}
		v.inStock, v.combination = available == nil || *available > 0, string(combination)
		if p := productOf(key); p != nil {
			p.variants = append(p.variants, v)
		}
		return nil
	})
}

// attributes calls fn for each feature and option.
func (l *loader) attributes(ctx context.Context, fn func(attribute)) error {
	return database.QueryEach(ctx, l.tx, allAttributesSQL, nil, func(rows database.Rows) error {
		a, err := scanAttribute(rows)
		fn(a)
		return err
	})
}

// categories calls fn for each category; parent is nil for a root.
func (l *loader) categories(ctx context.Context, fn func(key int64, n categoryNode, parent *int64)) error {
	return database.QueryEach(ctx, l.tx, allCategoriesSQL, nil, func(rows database.Rows) error {
		var key int64
		var n categoryNode
		var parent *int64
		err := rows.Scan(&key, &n.id, &n.name, &parent)
		fn(key, n, parent)
		return err
	})
}

// values calls fn for each existing value with one of these keys.
func (l *loader) values(ctx context.Context, keys []int64, fn func(key int64, v valueInfo)) error {
	batch := database.NewBatch(database.BigInt)
	for _, k := range keys {
		batch.Add(k)
	}
	return l.tx.QueryRows(ctx, valuesOfKeysSQL, batch, func(rows database.Rows) error {
		var key int64
		var v valueInfo
		var number *float64
		if err := rows.Scan(&key, &v.attribute, &v.id, &v.name, &number); err != nil {
			return err
		}
		if number != nil {
			v.number = *number
		}
		fn(key, v)
		return nil
	})
}

// options calls fn for each option value of the variants. Calls for one variant are consecutive.
func (l *loader) options(ctx context.Context, variantKeys []int64, fn func(variantKey, valueKey int64)) error {
	batch := database.NewBatch(database.BigInt)
	for _, k := range variantKeys {
		batch.Add(k)
	}
	return l.tx.QueryRows(ctx, optionsOfVariantsSQL, batch, func(rows database.Rows) error {
		var variant, value int64
		err := rows.Scan(&variant, &value)
		fn(variant, value)
		return err
	})
}

// keyRange returns the lowest and the highest product key of the store; ok is false if it has no products.
func (l *loader) keyRange(ctx context.Context) (first, last int64, ok bool, err error) {
	var least, most *int64
	err = database.QueryRow(ctx, l.tx, keyRangeSQL, nil, &least, &most)
	if err != nil || least == nil {
		return 0, 0, false, err
	}
	return *least, *most, true, nil
}

// sample returns the number of products with keys in [from, to) and adds the number of their values per feature to
// counts.
func (l *loader) sample(ctx context.Context, from, to int64, counts map[int64]int64) (products int64, err error) {
	if err := database.QueryRow(ctx, l.tx, sampleProductsSQL, []any{from, to}, &products); err != nil {
		return 0, err
	}
	err = database.QueryEach(ctx, l.tx, sampleFeaturesSQL, []any{from, to}, func(rows database.Rows) error {
		var attributeKey, n int64
		err := rows.Scan(&attributeKey, &n)
		counts[attributeKey] += n
		return err
	})
	return products, err
}
