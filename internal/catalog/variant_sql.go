package catalog

import (
	"context"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

// storedVariantsSQL reads archived variants too: one that is named again comes back.
const storedVariantsSQL = `
SELECT key, id, external_id, name, sku, price, combination, twin, archived_at
FROM variants
WHERE store_id = $1
  AND product_key = $2
ORDER BY key`

const variantsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT w.key, w.product_key, w.id, w.external_id, w.name, w.sku, w.price
FROM r
CROSS JOIN variants w
WHERE w.store_id = $1
  AND w.product_key = r.key
  AND w.archived_at IS NULL
ORDER BY w.product_key, w.key`

const optionsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, a.id, a.name, a.field_type, v.id, v.name
FROM r
CROSS JOIN variants w
CROSS JOIN variant_values x
CROSS JOIN attributes a
CROSS JOIN attribute_values v
WHERE w.store_id = $1
  AND w.product_key = r.key
  AND w.archived_at IS NULL
  AND x.store_id = $1
  AND x.variant_key = w.key
  AND a.store_id = $1
  AND a.key = x.attribute_key
  AND v.store_id = $1
  AND v.key = x.value_key
ORDER BY x.variant_key, x.attribute_key, x.value_key`

const archiveVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET archived_at = $2, updated_at = $2
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const clearExternalIDsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET external_id = NULL
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const updateVariantsSQL = `
WITH r(key, external_id, name, sku, price) AS (ROWS)
UPDATE variants
SET external_id = r.external_id, name = r.name, sku = r.sku, price = r.price, archived_at = NULL, updated_at = $2
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key`

const clearTwinsSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET twin = 0
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const insertVariantsSQL = `
WITH r(id, external_id, name, sku, price, combination) AS (ROWS)
INSERT INTO variants (store_id, product_key, id, external_id, name, sku, price, combination, twin, created_at, updated_at)
SELECT $1, $2, id, external_id, name, sku, price, combination, 0, $3, $3
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

// storedVariants reads all variants of a product, whose row the caller has locked.
func storedVariants(ctx context.Context, q database.Querier, storeID store.ID, productKey int64) ([]storedVariant, error) {
	var stored []storedVariant
	err := database.Each(ctx, q, storedVariantsSQL, []any{storeID, productKey}, func(rows database.Rows) error {
		v := storedVariant{Variant: Variant{ProductKey: productKey}}
		var combination []byte
		var archived *int64
		if err := rows.Scan(&v.Key, &v.ID, &v.ExternalID, &v.Name, &v.SKU, (*int64)(&v.Price), &combination, &v.twin, &archived); err != nil {
			return err
		}
		v.combination, v.ArchivedAt = string(combination), optionalTime(archived)
		stored = append(stored, v)
		return nil
	})
	return stored, err
}

// write brings the variants of a product to what the plan says.
func (plan *variantPlan) write(ctx context.Context, q database.Querier, storeID store.ID, productKey, at int64) error {
	if err := plan.change(ctx, q, storeID, productKey, at); err != nil {
		return err
	}
	if err := plan.insert(ctx, q, storeID, productKey, at); err != nil {
		return err
	}
	return plan.writeOptions(ctx, q, storeID)
}

// change writes the variants that exist already. Two of them may swap their combinations or their external ids: so all of those
// let go of what they have before any takes what another had.
func (plan *variantPlan) change(ctx context.Context, q database.Querier, storeID store.ID, productKey, at int64) error {
	if _, err := q.ExecRows(ctx, archiveVariantsSQL, keyBatch(plan.archived), storeID, at); err != nil {
		return err
	}
	released, arrived := database.NewBatch(database.BigInt), database.NewBatch(database.BigInt)
	combined := database.NewBatch(database.BigInt, database.Bytes, database.BigInt)
	changed := database.NewBatch(database.BigInt, database.Text, database.Text, database.Text, database.BigInt)
	for _, p := range plan.sent {
		if p.was == nil {
			continue
		}
		if p.renamed() && p.was.ExternalID != nil {
			released.Add(p.Key)
		}
		if p.arrives() {
			// As its own twin a variant equals nobody, so the unique index holds while the pieces are written.
			combined.Add(p.Key, bytesOrNull(p.combination), p.Key)
			arrived.Add(p.Key)
		}
		if p.changed() {
			changed.Add(p.Key, p.ExternalID, p.Name, p.SKU, int64(p.Price))
		}
	}
	if _, err := q.ExecRows(ctx, clearExternalIDsSQL, released, storeID); err != nil {
		return err
	}
	if _, err := setCombinations(ctx, q, storeID, combined); err != nil {
		return err
	}
	if _, err := q.ExecRows(ctx, updateVariantsSQL, changed, storeID, at); err != nil {
		return err
	}
	// Now the index says whether each of them is different indeed.
	if _, err := q.ExecRows(ctx, clearTwinsSQL, arrived, storeID); err != nil {
		return err
	}
	if !plan.mayFreeTwins() {
		return nil
	}
	_, err := q.ExecRows(ctx, settleTwinsSQL, keyBatch([]int64{productKey}), storeID)
	return err
}

// mayFreeTwins reports whether a twin stays whose equals may have left: then it must stand for itself.
func (plan *variantPlan) mayFreeTwins() bool {
	left, twins := len(plan.archived) > 0, false
	for _, p := range plan.sent {
		left = left || p.recombined()
		twins = twins || (p.was != nil && p.was.twin != 0 && !p.arrives())
	}
	return left && twins
}

// insert writes the new variants and learns their keys, which are in the order of the request.
func (plan *variantPlan) insert(ctx context.Context, q database.Querier, storeID store.ID, productKey, at int64) error {
	added := map[VariantID]*plannedVariant{}
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.BigInt, database.Bytes)
	for _, p := range plan.sent {
		if p.was == nil {
			added[p.ID] = p
			batch.Add(p.ID, p.ExternalID, p.Name, p.SKU, int64(p.Price), bytesOrNull(p.combination))
		}
	}
	return q.QueryRows(ctx, insertVariantsSQL, batch, func(rows database.Rows) error {
		var key int64
		var i VariantID
		if err := rows.Scan(&key, &i); err != nil {
			return err
		}
		added[i].Key = key
		return nil
	}, storeID, productKey, at)
}

// writeOptions writes what new variants carry, and anew what those carry whose set of options changed.
func (plan *variantPlan) writeOptions(ctx context.Context, q database.Querier, storeID store.ID) error {
	emptied := database.NewBatch(database.BigInt)
	links := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for _, p := range plan.sent {
		if p.was != nil && !p.recombined() {
			continue
		}
		if p.was != nil {
			emptied.Add(p.Key)
		}
		for _, l := range p.options {
			links.Add(p.Key, l.attribute, l.value)
		}
	}
	if _, err := q.ExecRows(ctx, deleteOptionsSQL, emptied, storeID); err != nil {
		return err
	}
	_, err := q.ExecRows(ctx, insertOptionsSQL, links, storeID)
	return err
}

func bytesOrNull(s string) any {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// fillVariants reads the variants of products that are not archived, in the order of their making.
func fillVariants(ctx context.Context, q database.Querier, storeID store.ID, products []Product) error {
	at := make(map[int64]*Product, len(products))
	for i := range products {
		products[i].Variants = nil
		at[products[i].Key] = &products[i]
	}
	return q.QueryRows(ctx, variantsOfProductsSQL, productBatch(products), func(rows database.Rows) error {
		var v Variant
		if err := rows.Scan(&v.Key, &v.ProductKey, &v.ID, &v.ExternalID, &v.Name, &v.SKU, (*int64)(&v.Price)); err != nil {
			return err
		}
		p := at[v.ProductKey]
		p.Variants = append(p.Variants, v)
		return nil
	}, storeID)
}

// fillOptions reads what the variants of products carry, in the order of the options' making.
func fillOptions(ctx context.Context, q database.Querier, storeID store.ID, products []Product) error {
	at := map[int64]*Variant{}
	for i := range products {
		for j := range products[i].Variants {
			v := &products[i].Variants[j]
			at[v.Key] = v
		}
	}
	return q.QueryRows(ctx, optionsOfProductsSQL, productBatch(products), func(rows database.Rows) error {
		key, c, err := scanCarried(rows)
		if v := at[key]; v != nil {
			v.Options = append(v.Options, c)
		}
		return err
	}, storeID)
}
