package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
)

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const archiveVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET archived_at = $2, updated_at = $2
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const deleteVariantsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variants
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const clearVariantExternalIDsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET external_id = NULL
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

var updateVariantsSQL = `
WITH r(key, external_id, ` + VariantScalars.Columns("") + `, archived_at) AS (ROWS)
UPDATE variants
SET external_id = r.external_id, ` + VariantScalars.assignments() + `, archived_at = r.archived_at,
	updated_at = $2
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key`

// If only columns change that no index contains, this statement is used: SQLite rewrites every index that contains a
// column named in SET. See docs/planner.md.
var updateUnindexedVariantsSQL = `
WITH r(key, ` + VariantScalars.Columns("") + `) AS (ROWS)
UPDATE variants
SET ` + VariantScalars.assignments() + `, updated_at = $2
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key`

const clearDuplicatesSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET twin = 0
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

var insertVariantsSQL = `
WITH r(product_key, id, external_id, ` + VariantScalars.Columns("") + `, available, combination) AS (ROWS)
INSERT INTO variants (store_id, product_key, id, external_id, ` + VariantScalars.Columns("") + `, available,
	combination, twin, created_at, updated_at)
SELECT $1, product_key, id, external_id, ` + VariantScalars.Columns("") + `, available, combination, 0, $2, $2
FROM r
RETURNING key, id`

const deleteOptionsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_values
WHERE store_id = $1
  AND variant_key IN (SELECT key FROM r)`

const insertOptionsSQL = `
WITH r(variant_key, attribute_key, value_key) AS (ROWS)
INSERT INTO variant_values (store_id, variant_key, attribute_key, value_key)
SELECT $1, variant_key, attribute_key, value_key
FROM r`

// The rows of a variant are looked up by the beginning of the primary key; see docs/planner.md.
const deleteBarcodesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_barcodes
WHERE store_id = $1
  AND variant_key IN (SELECT key FROM r)`

const insertBarcodesSQL = `
WITH r(variant_key, barcode) AS (ROWS)
INSERT INTO variant_barcodes (store_id, variant_key, barcode)
SELECT $1, variant_key, barcode
FROM r`

// changeVariants writes the existing variants. Two variants may swap their combinations or external ids, so all old
// ones are cleared before any new one is set.
func (ws *ProductWrites) changeVariants(ctx context.Context) error {
	c := ws.variantChanges()
	at := []any{ws.Time.UnixMicro()}
	if err := deleteImagesOfVariants(ctx, ws.Tx, c.deleted, ws.Time); err != nil {
		return err
	}
	err := write.ExecAll(ctx, ws.Tx, write.Statement{SQL: archiveVariantsSQL, Batch: write.KeyBatch(c.archived),
		Args: at},
		write.Statement{SQL: deleteVariantsSQL, Batch: write.KeyBatch(c.deleted)},
		write.Statement{SQL: clearVariantExternalIDsSQL, Batch: write.KeyBatch(c.released)})
	if err != nil {
		return err
	}

	combined := database.NewBatch(database.BigInt, database.Bytes, database.BigInt)
	for _, p := range c.combined {
		// For now duplicateMark is the variant's own key, so that no intermediate state violates the unique index.
		// resolveDuplicates then sets it to 0 for the first variant with each combination.
		combined.Add(p.Key, write.BytesOrNull(p.Combination), p.Key)
	}

	if _, err := setCombinations(ctx, ws.Tx, combined); err != nil {
		return err
	}

	var row []any
	indexed := VariantScalars.batch([]database.ColumnType{database.BigInt, database.Text},
		[]database.ColumnType{database.BigInt})
	for _, p := range c.indexed {
		row = VariantScalars.appendStored(append(row[:0], p.Key, p.ExternalID), &p.Variant)
		indexed.Add(append(row, database.MicrosOrNull(p.ArchivedAt))...)
	}

	unindexed := VariantScalars.batch([]database.ColumnType{database.BigInt}, nil)
	for _, p := range c.unindexed {
		row = VariantScalars.appendStored(append(row[:0], p.Key), &p.Variant)
		unindexed.Add(row...)
	}

	// After clearDuplicatesSQL, the unique index ensures that no two of these variants have the same combination.
	return write.ExecAll(ctx, ws.Tx, write.Statement{SQL: updateVariantsSQL, Batch: indexed, Args: at},
		write.Statement{SQL: updateUnindexedVariantsSQL, Batch: unindexed, Args: at},
		write.Statement{SQL: clearDuplicatesSQL, Batch: write.KeyBatch(c.claiming)},
		write.Statement{SQL: resolveDuplicatesSQL, Batch: write.KeyBatch(c.resolved)})
}

// insertVariants inserts the new variants, in the order of the request, and fills in their keys. Nothing is reserved
// yet, so the availability is the sum of the remainders.
func (ws *ProductWrites) insertVariants(ctx context.Context) error {
	added := map[VariantID]*PlannedVariant{}
	batch := VariantScalars.batch([]database.ColumnType{database.BigInt, database.UUID, database.Text},
		[]database.ColumnType{database.BigInt, database.Bytes})
	var row []any

	ws.eachPlanned(func(w *ProductWrite, p *PlannedVariant) {
		if p.Before == nil {
			added[p.ID] = p
			row = VariantScalars.appendStored(append(row[:0], w.Product.Key, p.ID, p.ExternalID), &p.Variant)
			batch.Add(append(row, sumOrNull(p.Quantities), write.BytesOrNull(p.Combination))...)
		}
	})
	return ws.Tx.QueryRows(ctx, insertVariantsSQL, batch, write.EachPair(func(key int64, variantID VariantID) {
		added[variantID].Key = key
	}), ws.Time.UnixMicro())
}

// writeBarcodes writes the index of barcodes for the variants whose barcodes change. Most pushes change none, and send
// no statement.
func (ws *ProductWrites) writeBarcodes(ctx context.Context) error {
	var emptied []int64
	inserted := database.NewBatch(database.BigInt, database.Text)

	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		if p.Before != nil && p.Before.Barcodes == p.Barcodes {
			return
		}
		if p.Before != nil && p.Before.Barcodes != "" {
			emptied = append(emptied, p.Key)
		}
		for _, barcode := range p.Barcodes.List() {
			inserted.Add(p.Key, barcode)
		}
	})

	return write.ExecAll(ctx, ws.Tx,
		write.Statement{SQL: deleteBarcodesSQL, Batch: write.KeyBatch(emptied)},
		write.Statement{SQL: insertBarcodesSQL, Batch: inserted})
}

// writeOptions inserts the options of new variants, and replaces those of variants whose set of options changes.
func (ws *ProductWrites) writeOptions(ctx context.Context) error {
	var emptied []int64
	var links []ownedValue

	ws.eachPlanned(func(_ *ProductWrite, p *PlannedVariant) {
		if p.Before != nil && !p.CombinationChanged() {
			return
		}

		if p.Before != nil {
			emptied = append(emptied, p.Key)
		}

		for _, l := range p.OptionKeys {
			links = append(links, ownedValue{l, p.Key})
		}
	})
	if err := DropPending(ctx, ws.Tx, PendingOption, emptied); err != nil {
		return err
	}

	return write.ExecAll(ctx, ws.Tx, write.Statement{SQL: deleteOptionsSQL, Batch: write.KeyBatch(emptied)},
		write.Statement{SQL: insertOptionsSQL, Batch: ownedValueBatch(links)})
}
