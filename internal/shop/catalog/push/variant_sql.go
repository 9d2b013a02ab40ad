package push

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// The first and the last variant with an external id show whether the id is ambiguous. The others are not read, since
// there may be very many. IS NOT NULL matches the condition of a partial index; see docs/planner.md.
const (
	variantWithExternalIDSQL = `
		SELECT v.key
		FROM variants v
		WHERE v.store_id = $1
		  AND v.external_id = r.external_id
		  AND v.external_id IS NOT NULL`
	liveVariantSQL = variantWithExternalIDSQL + `
		  AND v.archived_at IS NULL
		  AND (SELECT p.archived_at FROM products p WHERE p.store_id = $1 AND p.key = v.product_key) IS NULL`
	firstVariantSQL = `
		ORDER BY v.key
		LIMIT 1`
	lastVariantSQL = `
		ORDER BY v.key DESC
		LIMIT 1`

	variantsOfExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT r.external_id,
	(` + liveVariantSQL + firstVariantSQL + `),
	(` + liveVariantSQL + lastVariantSQL + `),
	(` + variantWithExternalIDSQL + firstVariantSQL + `),
	(` + variantWithExternalIDSQL + lastVariantSQL + `)
FROM r`
)

const variantsWithinProductsSQL = `
WITH r(product_id, external_id) AS (ROWS)
SELECT n.product_id, n.external_id, (
	SELECT v.key
	FROM variants v
	WHERE v.store_id = $1
	  AND v.product_key = n.product_key
	  AND v.external_id = n.external_id)
FROM (
	SELECT r.product_id, r.external_id,
		(SELECT p.key FROM products p WHERE p.store_id = $1 AND p.external_id = r.product_id) AS product_key
	FROM r) AS n`

const (
	liveOfProductSQL = `
		SELECT v.key
		FROM variants v
		WHERE v.store_id = $1
		  AND v.product_key = n.product_key
		  AND v.archived_at IS NULL`

	liveVariantsOfProductsSQL = `
WITH r(product_id) AS (ROWS)
SELECT n.product_id,
	(` + liveOfProductSQL + firstVariantSQL + `),
	(` + liveOfProductSQL + lastVariantSQL + `)
FROM (
	SELECT r.product_id,
		(SELECT p.key FROM products p WHERE p.store_id = $1 AND p.external_id = r.product_id) AS product_key
	FROM r) AS n`
)

const pushedVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT v.key, v.product_key, v.external_id, v.price
FROM r
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.key = r.key)`

// LockProducts appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock.
// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const lockPushedProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.updated_at, p.locks
FROM r
CROSS JOIN products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key = r.key
ORDER BY p.key`

// These statements keep what pushes of the goods part have left, and of offers without prices and remainders:
// see catalog.PushMark.
const (
	touchPricedProductsSQL  = catalog.TouchPushedSQL + ", price_writer = $3" + catalog.OfProductsSQL
	touchCountedProductsSQL = catalog.TouchPushedSQL + ", remainders_writer = $3" + catalog.OfProductsSQL
)

// candidatesOf finds the variants that the names may match, with a fixed number of queries.
func (b *variantPushes) candidatesOf(
	ctx context.Context, names []variantName,
) (map[variantName]*variantCandidates, error) {
	found := make(map[variantName]*variantCandidates, len(names))
	anywhere := database.NewBatch(database.Text)
	within := database.NewBatch(database.Text, database.Text)
	for _, n := range names {
		switch {
		case found[n] != nil:
			continue
		case n.product == "":
			anywhere.Add(n.variant)
		default:
			within.Add(n.product, n.variant)
		}

		found[n] = &variantCandidates{}
	}

	err := b.tx.QueryRows(ctx, variantsOfExternalIDsSQL, anywhere, func(rows database.Rows) error {
		var n variantName
		var liveFirst, liveLast, first, last *int64
		if err := rows.Scan(&n.variant, &liveFirst, &liveLast, &first, &last); err != nil {
			return err
		}
		found[n].live, found[n].any = spanOf(liveFirst, liveLast), spanOf(first, last)
		return nil
	})
	if err != nil {
		return nil, err
	}

	err = b.tx.QueryRows(ctx, variantsWithinProductsSQL, within,
		write.EachTriple(func(product, variant string, key *int64) {
			found[variantName{variant, product}].live = spanOf(key, key)
		}))
	if err != nil {
		return nil, err
	}

	return found, b.findSingles(ctx, found)
}

// findSingles finds variants by the external ids of their products, for the names whose candidates.live is empty.
func (b *variantPushes) findSingles(ctx context.Context, found map[variantName]*variantCandidates) error {
	productIDs := map[string]bool{}
	for n, c := range found {
		if c.live.first == 0 && n.mayBeSingle() {
			productIDs[n.variant] = true
		}
	}
	return b.tx.QueryRows(ctx, liveVariantsOfProductsSQL, write.TextBatch(write.SortedStrings(productIDs)),
		write.EachTriple(func(externalID string, first, last *int64) {
			for _, n := range []variantName{{variant: externalID}, {externalID, externalID}} {
				if c := found[n]; c != nil {
					c.single = spanOf(first, last)
				}
			}
		}))
}

func spanOf(first, last *int64) variantKeySpan {
	if first == nil || last == nil {
		return variantKeySpan{}
	}
	return variantKeySpan{*first, *last}
}

// readPushedVariants reads variants by key. The result has no entry for a deleted variant.
func readPushedVariants(ctx context.Context, tx store.Tx, keys []int64) (map[int64]*pushedVariant, error) {
	variants := make(map[int64]*pushedVariant, len(keys))
	return variants, tx.QueryRows(ctx, pushedVariantsSQL, write.KeyBatch(keys), func(rows database.Rows) error {
		var v pushedVariant
		err := rows.Scan(&v.key, &v.productKey, &v.externalID, &v.price)
		variants[v.key] = &v
		return err
	})
}

// lockProducts locks products for update, deletes their hidden links, and sets b.last and b.locks.
func (b *variantPushes) lockProducts(ctx context.Context, keys []int64) error {
	err := b.tx.QueryRows(ctx, lockPushedProductsSQL+b.tx.Dialect().ForUpdate, write.KeyBatch(keys),
		write.EachTriple(func(key, updatedAt, locks int64) {
			b.last = write.LaterTime(b.last, time.UnixMicro(updatedAt))
			if locks != 0 {
				b.locks[key] = productfield.Set(locks)
			}
		}))
	if err != nil {
		return err
	}
	_, err = catalog.RemoveHiddenLinks(ctx, b.tx, keys)
	return err
}

const quantitiesSQL = `
WITH r(variant_key, stock_key) AS (ROWS)
SELECT m.variant_key, m.stock_key, m.quantity
FROM r
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = r.variant_key AND m.stock_key = r.stock_key)`

// quantities reads the stored quantities of the remainders that the items set.
func (b *variantPushes) quantities(ctx context.Context) (catalog.Quantities, error) {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for i, v := range b.items {
		if v != nil {
			at := b.remainder(i)
			batch.Add(at.Variant, at.Stock)
		}
	}
	present := make(catalog.Quantities, len(b.items))
	return present, b.tx.QueryRows(ctx, quantitiesSQL, batch, write.EachTriple(func(variant, stock, quantity int64) {
		present[catalog.RemainderKey{Variant: variant, Stock: stock}] = money.Quantity(quantity)
	}))
}

const setPricesSQL = `
WITH r(key, price) AS (ROWS)
UPDATE variants
SET price = r.price, updated_at = $2
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key`

// savePrices writes prices of variants and of lists. The products are locked.
func (b *variantPushes) savePrices(
	ctx context.Context, prices map[int64]money.Price, ofLists catalog.ListPrices,
) error {
	at := b.s.UpdateTimeAfter(b.last)
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, key := range slices.Sorted(maps.Keys(prices)) {
		batch.Add(key, prices[key].OrNull())
	}
	if _, err := b.tx.ExecRows(ctx, setPricesSQL, batch, at.UnixMicro()); err != nil {
		return err
	}
	if err := catalog.SaveListPrices(ctx, b.tx, ofLists, at); err != nil {
		return err
	}

	variants := map[int64]bool{}
	for key := range prices {
		variants[key] = true
	}
	for step := range ofLists {
		variants[step.Variant] = true
	}
	return b.markChanged(ctx, touchPricedProducts, write.SortedKeys(variants), at)
}

// touchPricedProducts does the same as TouchPushedProducts, and records who wrote the prices.
func touchPricedProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, touchPricedProductsSQL, productKeys, at.UnixMicro(),
		productfield.WriterFrom(ctx).OrNull())
}

// touchCountedProducts does the same as TouchPushedProducts, and records who wrote the remainders.
func touchCountedProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, touchCountedProductsSQL, productKeys, at.UnixMicro(),
		productfield.WriterFrom(ctx).OrNull())
}
