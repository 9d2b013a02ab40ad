package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The order is that in which the rows are locked.
const lockRemaindersSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, m.stock_key, m.quantity, m.reserved
FROM r
CROSS JOIN remainders m
WHERE m.store_id = $1
  AND m.variant_key = r.key
ORDER BY m.variant_key, m.stock_key`

const deleteRemaindersByKeySQL = `
WITH r(variant_key, stock_key) AS (ROWS)
DELETE FROM remainders
WHERE store_id = $1
  AND (variant_key, stock_key) IN (SELECT variant_key, stock_key FROM r)`

const upsertRemaindersSQL = `
WITH r(variant_key, stock_key, quantity) AS (ROWS)
INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved)
SELECT $1, variant_key, stock_key, quantity, 0
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, stock_key) DO UPDATE
SET quantity = excluded.quantity`

// Both are looked up for each key in turn: a planner that has not counted the tables yet would otherwise hold each remainder against each key.
const recomputeAvailableSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET available = f.available
FROM (
	SELECT
		(SELECT v.key FROM variants v WHERE v.store_id = $1 AND v.key = r.key) AS key,
		(SELECT SUM(CASE WHEN m.quantity > m.reserved THEN m.quantity - m.reserved ELSE 0 END)
		FROM remainders m
		WHERE m.store_id = $1
		  AND m.variant_key = r.key) AS available
	FROM r) AS f
WHERE variants.key = f.key`

// stockQuantity is how many of a variant a stock shall have, by the stock's key.
type stockQuantity struct {
	stock    int64
	quantity Quantity
}

// remainderKey names a remainder by the keys of its variant and its stock.
type remainderKey struct{ variant, stock int64 }

// writeRemainders brings the remainders of variants to the lists that were sent. What is reserved stays so: a remainder that is not in
// the list disappears, unless something of it is reserved; then nothing is left of it.
func (ws *productWrites) writeRemainders(ctx context.Context) error {
	var known []int64
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		if p.was != nil && p.remainders != nil {
			known = append(known, p.Key)
		}
	})
	present, err := lockRemainders(ctx, ws.q, ws.storeID, known)
	if err != nil {
		return err
	}
	put := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	changed := map[int64]bool{} // variants that are not new; of those that are, what is left is known
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		for _, m := range p.remainders {
			at := remainderKey{p.Key, m.stock}
			if was, found := present[at]; !found || was.Quantity != m.quantity {
				put.Add(p.Key, m.stock, int64(m.quantity))
				if p.was != nil {
					changed[p.Key] = true
				}
			}
			delete(present, at)
		}
	})
	gone := database.NewBatch(database.BigInt, database.BigInt)
	for at, was := range present {
		switch {
		case was.Reserved == 0:
			gone.Add(at.variant, at.stock)
		case was.Quantity != 0:
			put.Add(at.variant, at.stock, int64(0))
		default:
			continue
		}
		changed[at.variant] = true
	}
	if _, err := ws.q.ExecRows(ctx, deleteRemaindersByKeySQL, gone, ws.storeID); err != nil {
		return err
	}
	if _, err := ws.q.ExecRows(ctx, upsertRemaindersSQL, put, ws.storeID); err != nil {
		return err
	}
	return recomputeAvailable(ctx, ws.q, ws.storeID, slices.Sorted(maps.Keys(changed)))
}

// lockRemainders reads the remainders of variants and keeps them as they are until the transaction ends. Nobody adds one meanwhile:
// that takes the product, which is locked.
func lockRemainders(ctx context.Context, q database.Querier, storeID store.ID, variantKeys []int64) (map[remainderKey]Remainder, error) {
	present := map[remainderKey]Remainder{}
	err := q.QueryRows(ctx, lockRemaindersSQL+q.Dialect().ForUpdate, keyBatch(variantKeys), func(rows database.Rows) error {
		var at remainderKey
		var m Remainder
		err := rows.Scan(&at.variant, &at.stock, (*int64)(&m.Quantity), (*int64)(&m.Reserved))
		present[at] = m
		return err
	}, storeID)
	return present, err
}

// recomputeAvailable brings what is left of variants, in all stocks together, in line with their remainders: NULL without any. The caller
// holds the rows of their products.
func recomputeAvailable(ctx context.Context, q database.Querier, storeID store.ID, variantKeys []int64) error {
	_, err := q.ExecRows(ctx, recomputeAvailableSQL, keyBatch(variantKeys), storeID)
	return err
}

// sumOrNull is what is left of a variant of which nothing is reserved.
func sumOrNull(remainders []stockQuantity) any {
	if len(remainders) == 0 {
		return nil
	}
	sum := int64(0)
	for _, m := range remainders {
		sum += int64(m.quantity)
	}
	return sum
}

// upsertRemainders writes the quantities of remainders, new and known ones.
func upsertRemainders(ctx context.Context, q database.Querier, storeID store.ID, written quantities) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for at, quantity := range written {
		batch.Add(at.variant, at.stock, int64(quantity))
	}
	_, err := q.ExecRows(ctx, upsertRemaindersSQL, batch, storeID)
	return err
}
