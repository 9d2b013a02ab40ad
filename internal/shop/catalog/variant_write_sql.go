package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

const archiveVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET archived_at = $2, updated_at = $2
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const deleteVariantsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variants
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const clearVariantExternalIDsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET external_id = NULL
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const updateVariantsSQL = `
WITH r(key, external_id, name, sku, price, archived_at) AS (ROWS)
UPDATE variants
SET external_id = r.external_id, name = r.name, sku = r.sku, price = r.price, archived_at = r.archived_at, updated_at = $2
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key`

// What no index has is written by itself: SQLite writes each index anew that has a column which is set, whatever it is set to.
const updateUnindexedVariantsSQL = `
WITH r(key, name, sku, price) AS (ROWS)
UPDATE variants
SET name = r.name, sku = r.sku, price = r.price, updated_at = $2
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key`

const clearDuplicatesSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET twin = 0
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const insertVariantsSQL = `
WITH r(product_key, id, external_id, name, sku, price, available, combination) AS (ROWS)
INSERT INTO variants (store_id, product_key, id, external_id, name, sku, price, available, combination, twin, created_at, updated_at)
SELECT $1, product_key, id, external_id, name, sku, price, available, combination, 0, $2, $2
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

// writeVariants brings the variants of all products to what their plans say.
func (ws *productWrites) writeVariants(ctx context.Context) error {
	for _, write := range []func(context.Context) error{ws.changeVariants, ws.insertVariants, ws.writeOptions, ws.writeRemainders} {
		if err := write(ctx); err != nil {
			return variantFault(err)
		}
	}
	return nil
}

// eachPlanned calls fn for the variants that were sent, product by product.
func (ws *productWrites) eachPlanned(fn func(w *productWrite, p *plannedVariant)) {
	for _, w := range ws.list {
		if w.plan == nil {
			continue
		}
		for _, p := range w.plan.sent {
			fn(w, p)
		}
	}
}

// changeVariants writes the variants that exist already. Two of them may swap their combinations or their external ids: so all of
// those let go of what they have before any takes what another had.
func (ws *productWrites) changeVariants(ctx context.Context) error {
	var archived, deleted, freed []int64
	for _, w := range ws.list {
		if w.plan == nil {
			continue
		}
		archived, deleted = append(archived, w.plan.archived...), append(deleted, w.plan.deleted...)
		if w.plan.mayResolveDuplicates() {
			freed = append(freed, w.p.Key)
		}
	}
	released, arrived := database.NewBatch(database.BigInt), database.NewBatch(database.BigInt)
	combined := database.NewBatch(database.BigInt, database.Bytes, database.BigInt)
	changed := database.NewBatch(database.BigInt, database.Text, database.Text, database.Text, database.BigInt, database.BigInt)
	plain := database.NewBatch(database.BigInt, database.Text, database.Text, database.BigInt)
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		if p.was == nil {
			return
		}
		if p.externalIDChanged() && p.was.ExternalID != nil {
			released.Add(p.Key)
		}
		if p.combinationChanged() || p.claimsCombination() {
			// As its own twin a variant equals nobody, so the unique index holds while the pieces are written.
			combined.Add(p.Key, bytesOrNull(p.combination), p.Key)
		}
		if p.claimsCombination() {
			arrived.Add(p.Key)
		}
		switch {
		case p.externalIDChanged() || p.restored():
			changed.Add(p.Key, p.ExternalID, p.Name, p.SKU, int64(p.Price), microsOrNull(p.ArchivedAt))
		case p.rowChanged():
			plain.Add(p.Key, p.Name, p.SKU, int64(p.Price))
		}
	})
	if _, err := ws.q.ExecRows(ctx, archiveVariantsSQL, keyBatch(archived), ws.storeID, ws.at.UnixMicro()); err != nil {
		return err
	}
	if _, err := ws.q.ExecRows(ctx, deleteVariantsSQL, keyBatch(deleted), ws.storeID); err != nil {
		return err
	}
	if _, err := ws.q.ExecRows(ctx, clearVariantExternalIDsSQL, released, ws.storeID); err != nil {
		return err
	}
	if _, err := setCombinations(ctx, ws.q, ws.storeID, combined); err != nil {
		return err
	}
	if _, err := ws.q.ExecRows(ctx, updateVariantsSQL, changed, ws.storeID, ws.at.UnixMicro()); err != nil {
		return err
	}
	if _, err := ws.q.ExecRows(ctx, updateUnindexedVariantsSQL, plain, ws.storeID, ws.at.UnixMicro()); err != nil {
		return err
	}
	// Now the index says whether each of them is different indeed.
	if _, err := ws.q.ExecRows(ctx, clearDuplicatesSQL, arrived, ws.storeID); err != nil {
		return err
	}
	_, err := ws.q.ExecRows(ctx, resolveDuplicatesSQL, keyBatch(freed), ws.storeID)
	return err
}

// mayResolveDuplicates reports whether a twin stays whose equals may have left: then it must stand for itself.
func (plan *variantPlan) mayResolveDuplicates() bool {
	left, twins := len(plan.archived)+len(plan.deleted) > 0, false
	for _, p := range plan.sent {
		left = left || p.combinationChanged()
		twins = twins || (p.was != nil && p.was.duplicateKey != 0 && !p.claimsCombination())
	}
	for _, v := range plan.kept {
		twins = twins || v.duplicateKey != 0
	}
	return left && twins
}

// insertVariants writes the new variants and learns their keys, which are in the order of the request. Nothing of them is reserved yet,
// so what is left is what the stocks have.
func (ws *productWrites) insertVariants(ctx context.Context) error {
	added := map[VariantID]*plannedVariant{}
	batch := database.NewBatch(database.BigInt, database.UUID, database.Text, database.Text, database.Text, database.BigInt, database.BigInt, database.Bytes)
	ws.eachPlanned(func(w *productWrite, p *plannedVariant) {
		if p.was == nil {
			added[p.ID] = p
			batch.Add(w.p.Key, p.ID, p.ExternalID, p.Name, p.SKU, int64(p.Price), sumOrNull(p.remainders), bytesOrNull(p.combination))
		}
	})
	return ws.q.QueryRows(ctx, insertVariantsSQL, batch, func(rows database.Rows) error {
		var key int64
		var i VariantID
		if err := rows.Scan(&key, &i); err != nil {
			return err
		}
		added[i].Key = key
		return nil
	}, ws.storeID, ws.at.UnixMicro())
}

// writeOptions writes what new variants carry, and anew what those carry whose set of options changed.
func (ws *productWrites) writeOptions(ctx context.Context) error {
	var emptied []int64
	var links []ownedValue
	ws.eachPlanned(func(_ *productWrite, p *plannedVariant) {
		if p.was != nil && !p.combinationChanged() {
			return
		}
		if p.was != nil {
			emptied = append(emptied, p.Key)
		}
		for _, l := range p.options {
			links = append(links, ownedValue{l, p.Key})
		}
	})
	if err := dropPending(ctx, ws.q, ws.storeID, pendingOption, emptied); err != nil {
		return err
	}
	if _, err := ws.q.ExecRows(ctx, deleteOptionsSQL, keyBatch(emptied), ws.storeID); err != nil {
		return err
	}
	_, err := ws.q.ExecRows(ctx, insertOptionsSQL, ownedValueBatch(links), ws.storeID)
	return err
}

// variantFault tells a client what a unique index means. The rules are checked before, under the product's lock, so this is what
// stays between a mistake of ours and an answer of 500.
func variantFault(err error) error {
	switch {
	case database.ViolatesIndex(err, "variants_combination", "variants.store_id, variants.product_key, variants.combination, variants.twin"):
		var wrong breaches
		wrong.duplicateCombination("variants", "Another variant of this product")
		return wrong.fault()
	case database.ViolatesIndex(err, "variants_external", "variants.store_id, variants.product_key, variants.external_id"):
		return externalIDTaken("variants", "variant of this product")
	}
	return err
}
