package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// All rows exist, so this upsert only updates them. Unlike an UPDATE of many rows, it needs no join on PostgreSQL and
// no temporary table on SQLite.
const setRemaindersSQL = `
WITH r(variant_key, stock_key, quantity, reserved) AS (ROWS)
INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved)
SELECT $1, variant_key, stock_key, quantity, reserved
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, stock_key) DO UPDATE
SET quantity = excluded.quantity, reserved = excluded.reserved`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const setAvailableSQL = `
WITH r(key, available) AS (ROWS)
UPDATE variants
SET available = r.available
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key`

// OffersOf may append a lock clause. Rows are locked in key order, so that transactions cannot deadlock.
const offersSQL = `
WITH r(id) AS (ROWS)
SELECT w.key, w.product_key, w.id, w.name, w.sku, w.barcodes, w.price, ` + AvailableSQL +
	`, w.archived_at, p.id, p.name, p.unit, p.vat_rate, p.archived_at, p.modifiers <> '[]'
FROM r
CROSS JOIN variants w
CROSS JOIN products p
WHERE w.key = (SELECT x.key FROM variants x WHERE x.store_id = $1 AND x.id = r.id)
  AND p.key = w.product_key
ORDER BY p.key, w.key`

// OffersOf reads variants with the data of their products and their options. With ForUpdate as lock it also locks the
// variants and their products until the transaction ends. Lock order: each product before its variants, as in all
// writers. The rows are read after the locks are acquired, so they are current.
func OffersOf(ctx context.Context, tx store.Tx, ids []VariantID, lock string) (map[VariantID]*Offer, error) {
	if lock != "" {
		lock += " OF p, w"
	}

	offers := make(map[VariantID]*Offer, len(ids))

	err := tx.QueryRows(ctx, offersSQL+lock, database.BatchOf(database.UUID, ids), func(rows database.Rows) error {
		var o Offer
		var available, archived, productArchived *int64
		var barcodes string
		err := rows.Scan(&o.Key, &o.ProductKey, &o.ID, &o.VariantName, &o.SKU, &barcodes, &o.Price, &available,
			&archived, &o.ProductID, &o.ProductName, &o.Unit, &o.VATRate, &productArchived,
			&o.HasModifiers)
		o.Barcode = Barcodes(barcodes).First()
		o.Available = (*money.Quantity)(available)
		o.Live = archived == nil && productArchived == nil
		offers[o.ID] = &o
		return err
	})
	if err != nil {
		return nil, err
	}

	return offers, fillLists(ctx, tx, optionsOfVariantsSQL, slices.Collect(maps.Values(offers)),
		func(o *Offer) *[]AttributeValue { return &o.Options }, scanAttributeValue)
}

// versionRaise increases the versions of products. It is touchProducts or raiseProductVersions.
type versionRaise func(ctx context.Context, tx store.Tx, productKeys []int64) error

// saveReserved writes the changed remainders and the availability of their variants, computed from present, and
// increases the versions of the products. The caller has locked all of them.
func saveReserved(
	ctx context.Context, tx store.Tx, present map[RemainderKey]Remainder, changed map[RemainderKey]bool,
	products []int64, touch versionRaise,
) error {
	remainders := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	left := map[int64]money.Quantity{}
	for at := range changed {
		m := present[at]
		remainders.Add(at.Variant, at.Stock, int64(m.Quantity), int64(m.Reserved))
		left[at.Variant] = 0
	}

	for at, m := range present {
		if _, touched := left[at.Variant]; touched {
			left[at.Variant] += m.available()
		}
	}

	variants := database.NewBatch(database.BigInt, database.BigInt)
	for key, available := range left {
		variants.Add(key, int64(available))
	}

	err := write.ExecAll(ctx, tx, write.Statement{SQL: setRemaindersSQL, Batch: remainders},
		write.Statement{SQL: setAvailableSQL, Batch: variants})
	if err != nil {
		return err
	}

	return touch(ctx, tx, products)
}
