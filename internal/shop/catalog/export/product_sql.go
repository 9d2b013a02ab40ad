package export

import (
	"context"
	"errors"
	"math"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// The statements of an export read one table each, by the row keys of the products. They do not sort, so that LIMIT
// bounds their work.
var (
	exportColumns = "p.key, p.id, p.external_id, " + catalog.ProductScalars.Columns("p.") +
		", p.modifiers, p.archived_at"

	exportLiveSQL = `
SELECT ` + exportColumns + `
FROM products p
WHERE p.store_id = $1
  AND p.archived_at IS NULL
  AND p.key > $2
ORDER BY p.key
LIMIT $3`

	exportChangedSQL = `
SELECT ` + exportColumns + `
FROM products p
WHERE p.store_id = $1
  AND p.key > $2
  AND (p.updated_at >= $4 OR p.touched_at >= $4)
ORDER BY p.key
LIMIT $3`

	exportByKeySQL = `
WITH r(key) AS (ROWS)
SELECT ` + exportColumns + `
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.key)
ORDER BY p.key`

	exportVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT w.product_key, w.key, w.id, w.external_id, ` + catalog.VariantScalars.Columns("w.") + `
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
LIMIT $2`
)

const (
	exportOptionsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.variant_key = w.key)
LIMIT $2`

	exportRemaindersSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, m.stock_key, m.quantity
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = w.key)
LIMIT $2`

	exportImagesSQL = `
WITH r(key) AS (ROWS)
SELECT i.product_key, i.key, i.position, i.id, i.format, i.opaque
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key)
WHERE NOT i.leaving
LIMIT $2`

	exportSourcesSQL = `
WITH r(key) AS (ROWS)
SELECT s.product_key, s.key, s.position, s.url
FROM r
CROSS JOIN LOOKUP (image_sources s WHERE s.store_id = $1 AND s.product_key = r.key)
WHERE s.state = 'waiting'
  AND s.image_key IS NULL
LIMIT $2`

	exportPendingOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.product_key, p.kind, p.external_id, p.value_id
FROM r
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.product_key = r.key AND p.product_key IS NOT NULL)
LIMIT $2`

	exportPendingOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT p.variant_key, p.external_id, p.value_id
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.variant_key = w.key AND p.variant_key IS NOT NULL)
LIMIT $2`
)

func hasPending(ctx context.Context, tx store.Tx) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, tx, catalog.AnyPendingSQL, nil, &n)
	return n > 0, err
}

// readPage reads the next products of a selection, without their links. keys are those of the selection that are still
// to be read.
func (r *exportReader) readPage(
	ctx context.Context, sel ProductSelection, after int64, keys []int64,
) (page []exportRow, more bool, err error) {
	bytes := 0

	add := func(rows database.Rows) error {
		var p exportRow
		dest := catalog.ProductScalars.AppendScanned([]any{&p.Key, &p.ID, &p.ExternalID}, &p.Product)
		if err := rows.Scan(append(dest, &p.Modifiers, database.NullTime(&p.ArchivedAt))...); err != nil {
			return err
		}

		page = append(page, p)

		if bytes += len(p.Description) + len(p.Modifiers); bytes >= exportPageBytes {
			return errPageFull
		}

		return nil
	}
	switch {
	case sel.Keys != nil:
		keys, more = keys[:min(len(keys), exportPageProducts)], len(keys) > exportPageProducts
		err = write.QueryByKey(ctx, r.tx, exportByKeySQL, keys, add)
	case sel.ChangedSince != 0:
		err = database.QueryEach(ctx, r.tx, exportChangedSQL, []any{after, exportPageProducts, sel.ChangedSince}, add)
		more = len(page) == exportPageProducts
	default:
		err = database.QueryEach(ctx, r.tx, exportLiveSQL, []any{after, exportPageProducts}, add)
		more = len(page) == exportPageProducts
	}

	if errors.Is(err, errPageFull) {
		return page, true, nil
	}

	return page, more, err
}

// fill reads the links of the first products of a page, and returns of how many. It is fewer than all if these have
// very many rows.
func (r *exportReader) fill(ctx context.Context, page []exportRow) (n int, err error) {
	for n = len(page); ; n = (n + 7) / 8 {
		full, err := r.fillAll(ctx, page[:n])
		if err != nil {
			return 0, err
		}
		if !full {
			return n, r.findValues(ctx, page[:n])
		}
	}
}

// fillAll reads the links of products in one round trip to the database. It returns true, and the links are incomplete,
// if the products have more than exportPageRows rows in a table; a single product may have more.
func (r *exportReader) fillAll(ctx context.Context, page []exportRow) (full bool, err error) {
	at := make(map[int64]*exportRow, len(page))
	keys := make([]int64, 0, len(page))
	for i := range page {
		p := &page[i]
		p.categories, p.features, p.variants, p.images = nil, nil, nil, nil
		p.pendingCategories, p.pendingFeatures = nil, nil
		if p.ArchivedAt == nil {
			at[p.Key], keys = p, append(keys, p.Key)
		}
	}

	if len(keys) == 0 {
		return false, nil
	}

	limit := int64(exportPageRows)
	if len(page) == 1 {
		limit = math.MaxInt64
	}

	batch := write.KeyBatch(keys)
	variants := map[int64]*exportVariant{}
	var queries []database.BatchQuery

	read := func(sql string, each func(database.Rows) error) {
		n := int64(0)
		queries = append(queries, database.BatchQuery{SQL: sql, Batch: batch, Args: []any{limit},
			Each: func(rows database.Rows) error {
				n++
				full = full || n == limit
				return each(rows)
			}})
	}

	read(catalog.CategoryRowsSQL, write.EachPair(func(product, category int64) {
		at[product].categories = append(at[product].categories, category)
	}))
	read(catalog.FeatureRowsSQL, write.EachTriple(func(product, attribute, value int64) {
		at[product].features = append(at[product].features, catalog.ValueKeys{Attribute: attribute, Value: value})
	}))
	read(exportVariantsSQL, func(rows database.Rows) error {
		var product int64
		v := &exportVariant{}
		dest := []any{&product, &v.Key, &v.ID, &v.ExternalID}
		err := rows.Scan(catalog.VariantScalars.AppendScanned(dest, &v.Variant)...)
		at[product].variants = append(at[product].variants, v)
		variants[v.Key] = v
		return err
	})

	// LIMIT may have cut off the variant of a row below.
	read(exportOptionsSQL, write.EachTriple(func(variant, attribute, value int64) {
		if v := variants[variant]; v != nil {
			v.options = append(v.options, catalog.ValueKeys{Attribute: attribute, Value: value})
		}
	}))
	read(exportRemaindersSQL, write.EachTriple(func(variant, stock, quantity int64) {
		if v := variants[variant]; v != nil {
			v.remainders = append(v.remainders, catalog.StockQuantity{Stock: stock, Quantity: money.Quantity(quantity)})
		}
	}))
	read(exportImagesSQL, func(rows database.Rows) error {
		var product int64
		var im placedImage
		err := rows.Scan(&product, &im.key, &im.position, &im.ID, &im.Format, &im.Opaque)
		at[product].images = append(at[product].images, im)
		return err
	})

	read(exportSourcesSQL, func(rows database.Rows) error {
		var product int64
		var im placedImage
		err := rows.Scan(&product, &im.key, &im.position, &im.URL)
		at[product].images = append(at[product].images, im)
		return err
	})

	if r.pending {
		read(exportPendingOfProductsSQL, func(rows database.Rows) error {
			var product int64
			var kind string
			var ref catalog.ReferencePush
			err := rows.Scan(&product, &kind, &ref.Attribute, &ref.Value)
			if p := at[product]; catalog.PendingKind(kind) == catalog.PendingCategory {
				p.pendingCategories = append(p.pendingCategories, ref.Attribute)
			} else {
				p.pendingFeatures = append(p.pendingFeatures, ref)
			}

			return err
		})

		read(exportPendingOfVariantsSQL, write.EachTriple(func(variant int64, attribute, value string) {
			if v := variants[variant]; v != nil {
				v.pending = append(v.pending, catalog.ReferencePush{Attribute: attribute, Value: value})
			}
		}))
	}

	return full && len(page) > 1, r.tx.QueryAll(ctx, queries...)
}
