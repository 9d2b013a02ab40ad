package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// The statements of an export read the rows of products, and what view.FillRows does not read of them.
var (
	exportColumns = "p.key, p.id, p.external_id, " + catalog.ProductScalars.Columns("p.") +
		", p.modifiers, p.archived_at, p.has_variant_images"

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

	exportImagesSQL = `
WITH r(key) AS (ROWS)
SELECT i.product_key, i.key, i.position, i.id, i.format, i.opaque
FROM r
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = r.key)
WHERE i.variant_key = 0
  AND NOT i.leaving`

	exportVariantImagesSQL = `
WITH r(key) AS (ROWS)
SELECT l.variant_key, i.key, l.position, i.id, i.format, i.opaque
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (variant_images l WHERE l.store_id = $1 AND l.variant_key = w.key)
CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.key = l.image_key)
WHERE NOT l.leaving`

	exportSourcesSQL = `
WITH r(key) AS (ROWS)
SELECT s.product_key, s.variant_key, s.key, s.position, s.url
FROM r
CROSS JOIN LOOKUP (image_sources s WHERE s.store_id = $1 AND s.product_key = r.key)
WHERE s.state = 'waiting'
  AND s.image_key IS NULL`

	exportPendingOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.product_key, p.kind, p.external_id, p.value_id, p.canonical
FROM r
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.product_key = r.key AND p.product_key IS NOT NULL)`

	exportPendingOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT p.variant_key, p.external_id, p.value_id
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.variant_key = w.key AND p.variant_key IS NOT NULL)`

	anyListPriceSQL = `
SELECT EXISTS (SELECT 1 FROM variant_prices x WHERE x.store_id = $1)`

	exportListPricesSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.list_key, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = w.key)`

	exportRemovedPricesSQL = `
WITH r(key) AS (ROWS)
SELECT w.key, d.external_id
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
CROSS JOIN LOOKUP (deleted_ids d WHERE d.store_id = $1 AND d.entity = $2 AND d.parent_id = CAST(w.key AS TEXT))
WHERE d.deleted_at >= $3`
)

func hasListPrices(ctx context.Context, tx store.Tx) (has bool, err error) {
	err = database.QueryRow(ctx, tx, anyListPriceSQL, nil, &has)
	return has, err
}

func hasPending(ctx context.Context, tx store.Tx) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, tx, catalog.AnyPendingSQL, nil, &n)
	return n > 0, err
}

// readPage reads the next products of a selection, without their links. keys are the keys of the selection that are
// still to be read.
func (r *exportReader) readPage(
	ctx context.Context, sel ProductSelection, after int64, keys []int64,
) (page []exportRow, more bool, err error) {
	bytes := 0

	add := func(rows database.Rows) error {
		var p exportRow
		dest := catalog.ProductScalars.AppendScanned([]any{&p.Key, &p.ID, &p.ExternalID}, &p.Product)
		dest = append(dest, &p.Modifiers, database.NullTime(&p.ArchivedAt), &p.hasVariantImages)
		if err := rows.Scan(dest...); err != nil {
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
	live := make([]*view.ProductRows, 0, len(page))
	for i := range page {
		if page[i].ArchivedAt == nil {
			live = append(live, &page[i].ProductRows)
		}
	}

	if len(live) == 0 {
		return len(page), nil
	}

	filled, err := view.FillRows(ctx, r.tx, live)
	if err != nil {
		return 0, err
	}

	n = len(page)
	if filled < len(live) {
		n = slices.IndexFunc(page, func(p exportRow) bool { return p.Key == live[filled].Key })
	}

	if err := r.fillPushed(ctx, page[:n]); err != nil {
		return 0, err
	}

	return n, r.findValues(ctx, page[:n])
}

// keysWithVariantImages returns the keys of the products whose variants may have images.
func keysWithVariantImages(page []exportRow) (keys []int64) {
	for i := range page {
		if page[i].hasVariantImages {
			keys = append(keys, page[i].Key)
		}
	}
	return keys
}

// addRemovedPrice scans a record of ListPriceEntity.
func (r *exportReader) addRemovedPrice(rows database.Rows) error {
	var variant int64
	var step string
	if err := rows.Scan(&variant, &step); err != nil {
		return err
	}

	list, quantity, _ := strings.Cut(step, ":")
	listKey, err := strconv.ParseInt(list, 10, 64)
	if err != nil {
		return fmt.Errorf("read a removed price: %w", err)
	}
	from, err := strconv.ParseInt(quantity, 10, 64)
	if err != nil {
		return fmt.Errorf("read a removed price: %w", err)
	}
	removed := catalog.PriceStep{ListKey: listKey, FromQuantity: money.Quantity(from)}
	r.removedPrices[variant] = append(r.removedPrices[variant], removed)
	return nil
}

// fillPushed reads the images of products, their prices in lists, those that were removed since, and what pushes have
// left to be done: images to download, and references to things that do not exist yet.
func (r *exportReader) fillPushed(ctx context.Context, page []exportRow) error {
	at := make(map[int64]*exportRow, len(page))
	keys := make([]int64, len(page))
	for i := range page {
		at[page[i].Key] = &page[i]
		keys[i] = page[i].Key
	}

	batch := write.KeyBatch(keys)
	queries := []database.BatchQuery{
		{SQL: exportImagesSQL, Batch: batch, Each: func(rows database.Rows) error {
			var product int64
			var im placedImage
			err := rows.Scan(&product, &im.key, &im.position, &im.ID, &im.Format, &im.Opaque)
			at[product].images = append(at[product].images, im)
			return err
		}},
		{SQL: exportSourcesSQL, Batch: batch, Each: func(rows database.Rows) error {
			var product, variant int64
			var im placedImage
			err := rows.Scan(&product, &variant, &im.key, &im.position, &im.URL)
			if variant == 0 {
				at[product].images = append(at[product].images, im)
			} else {
				at[product].hasVariantImages = true
				r.variantImages[variant] = append(r.variantImages[variant], im)
			}
			return err
		}},
	}

	clear(r.variantImages)
	if withImages := keysWithVariantImages(page); len(withImages) > 0 {
		queries = append(queries, database.BatchQuery{SQL: exportVariantImagesSQL, Batch: write.KeyBatch(withImages),
			Each: func(rows database.Rows) error {
				var variant int64
				var im placedImage
				err := rows.Scan(&variant, &im.key, &im.position, &im.ID, &im.Format, &im.Opaque)
				r.variantImages[variant] = append(r.variantImages[variant], im)
				return err
			}})
	}

	clear(r.listPrices)
	if r.hasListPrices {
		queries = append(queries, database.BatchQuery{SQL: exportListPricesSQL, Batch: batch,
			Each: func(rows database.Rows) error {
				var variant int64
				var p catalog.ListPrice
				err := rows.Scan(&variant, &p.ListKey, (*int64)(&p.FromQuantity), (*int64)(&p.Price))
				r.listPrices[variant] = append(r.listPrices[variant], p)
				return err
			}})
	}

	clear(r.removedPrices)
	if r.removedSince != 0 {
		queries = append(queries, database.BatchQuery{SQL: exportRemovedPricesSQL, Batch: batch,
			Args: []any{string(catalog.ListPriceEntity), r.removedSince}, Each: r.addRemovedPrice})
	}

	clear(r.pendingOptions)
	if r.pending {
		addPending := func(rows database.Rows) error {
			var product int64
			var kind string
			var ref catalog.ReferencePush
			var isCanonical bool
			err := rows.Scan(&product, &kind, &ref.Attribute, &ref.Value, &isCanonical)
			if p := at[product]; catalog.PendingKind(kind) == catalog.PendingCategory {
				p.pendingCategories = append(p.pendingCategories, ref.Attribute)
				if isCanonical {
					p.pendingCanonical = ref.Attribute
				}
			} else {
				p.pendingFeatures = append(p.pendingFeatures, ref)
			}

			return err
		}

		addOption := write.EachTriple(func(variant int64, attribute, value string) {
			ref := catalog.ReferencePush{Attribute: attribute, Value: value}
			r.pendingOptions[variant] = append(r.pendingOptions[variant], ref)
		})

		queries = append(queries,
			database.BatchQuery{SQL: exportPendingOfProductsSQL, Batch: batch, Each: addPending},
			database.BatchQuery{SQL: exportPendingOfVariantsSQL, Batch: batch, Each: addOption})
	}

	return r.tx.QueryAll(ctx, queries...)
}
