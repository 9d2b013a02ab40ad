package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const listPricesSQL = `
WITH r(variant_key, list_key, from_quantity) AS (ROWS)
SELECT x.variant_key, x.list_key, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = r.variant_key AND x.list_key = r.list_key
	AND x.from_quantity = r.from_quantity)`

const pricesInListsSQL = `
WITH r(variant_key, list_key) AS (ROWS)
SELECT x.variant_key, x.list_key, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = r.variant_key
	AND x.list_key = r.list_key)`

const upsertListPricesSQL = `
WITH r(variant_key, list_key, from_quantity, price) AS (ROWS)
INSERT INTO variant_prices (store_id, variant_key, list_key, from_quantity, price)
SELECT $1, variant_key, list_key, from_quantity, price
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, list_key, from_quantity) DO UPDATE
SET price = excluded.price`

// A materialized CTE has the store's id; see storeKeysSQL.
const deleteListPricesSQL = `
WITH r(variant_key, list_key, from_quantity) AS (ROWS), k(store_id, variant_key, list_key, from_quantity)
	AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.variant_key, r.list_key, r.from_quantity
	FROM r)
DELETE FROM variant_prices
WHERE (store_id, variant_key, list_key, from_quantity) IN (
	SELECT store_id, variant_key, list_key, from_quantity
	FROM k)`

// An export of what changed names the prices that were removed since; see ListPriceEntity.
const insertRemovedPricesSQL = `
WITH r(variant_key, list_key, from_quantity) AS (ROWS)
INSERT INTO deleted_ids (store_id, entity, parent_id, external_id, deleted_at)
SELECT $1, 'list-prices', CAST(variant_key AS TEXT),
	CAST(list_key AS TEXT) || ':' || CAST(from_quantity AS TEXT), $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, entity, parent_id, external_id) DO UPDATE
SET deleted_at = excluded.deleted_at`

// VariantStep identifies a price of a list.
type VariantStep struct {
	Variant int64 // key
	PriceStep
}

// Compare orders by variant, list and quantity, which is the order of the table.
func (s VariantStep) Compare(other VariantStep) int {
	if s.Variant != other.Variant {
		return max(-1, min(int(s.Variant-other.Variant), 1))
	}
	return s.PriceStep.Compare(other.PriceStep)
}

// ListPrices maps prices of lists to their amounts. One without an amount is not stored, or is to be deleted.
type ListPrices map[VariantStep]money.Price

// ReadListPrices returns the stored prices among these.
func ReadListPrices(ctx context.Context, tx store.Tx, steps map[VariantStep]bool) (ListPrices, error) {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for _, s := range slices.SortedFunc(maps.Keys(steps), VariantStep.Compare) {
		batch.Add(s.Variant, s.ListKey, int64(s.FromQuantity))
	}

	found := make(ListPrices, len(steps))
	return found, tx.QueryRows(ctx, listPricesSQL, batch, found.add)
}

// VariantInList identifies the prices of a variant in a list, by keys.
type VariantInList struct{ Variant, List int64 }

// InList returns the variant and the list of the step.
func (s VariantStep) InList() VariantInList { return VariantInList{s.Variant, s.ListKey} }

// ReadPricesInLists returns all stored prices of these variants in these lists.
func ReadPricesInLists(ctx context.Context, tx store.Tx, wanted map[VariantInList]bool) (ListPrices, error) {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, w := range slices.SortedFunc(maps.Keys(wanted), func(a, b VariantInList) int {
		return cmp.Or(cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.List, b.List))
	}) {
		batch.Add(w.Variant, w.List)
	}

	found := ListPrices{}
	return found, tx.QueryRows(ctx, pricesInListsSQL, batch, found.add)
}

// add adds a row of a query.
func (prices ListPrices) add(rows database.Rows) error {
	var s VariantStep
	var price money.Price
	err := rows.Scan(&s.Variant, &s.ListKey, (*int64)(&s.FromQuantity), &price)
	prices[s] = price
	return err
}

// completeWith adds the removal of all stored prices that are not among these, of the given variants and lists.
func (prices ListPrices) completeWith(ctx context.Context, tx store.Tx, complete map[VariantInList]bool) error {
	if len(complete) == 0 {
		return nil
	}
	stored, err := ReadPricesInLists(ctx, tx, complete)
	for step := range stored {
		if _, listed := prices[step]; !listed {
			prices[step] = money.Price{}
		}
	}
	return err
}

// SaveListPrices writes prices of lists, and deletes those without an amount, which it records as removed at that time.
// The caller has locked the products.
func SaveListPrices(ctx context.Context, tx store.Tx, prices ListPrices, at time.Time) error {
	written := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	deleted := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for _, s := range slices.SortedFunc(maps.Keys(prices), VariantStep.Compare) {
		if amount, ok := prices[s].Amount(); ok {
			written.Add(s.Variant, s.ListKey, int64(s.FromQuantity), int64(amount))
		} else {
			deleted.Add(s.Variant, s.ListKey, int64(s.FromQuantity))
		}
	}

	return write.ExecAll(ctx, tx, write.Statement{SQL: deleteListPricesSQL, Batch: deleted},
		write.Statement{SQL: insertRemovedPricesSQL, Batch: deleted, Args: []any{at.UnixMicro()}},
		write.Statement{SQL: upsertListPricesSQL, Batch: written})
}

// Changed returns the prices among these that are stored otherwise.
func (prices ListPrices) Changed(ctx context.Context, tx store.Tx) (ListPrices, error) {
	if len(prices) == 0 {
		return nil, nil
	}

	steps := make(map[VariantStep]bool, len(prices))
	for s := range prices {
		steps[s] = true
	}
	stored, err := ReadListPrices(ctx, tx, steps)
	if err != nil {
		return nil, err
	}

	changed := ListPrices{}
	for s, price := range prices {
		if stored[s] != price {
			changed[s] = price
		}
	}
	return changed, nil
}
