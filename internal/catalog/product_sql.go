package catalog

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/fault"
	"vitrine/internal/store"
)

const productColumns = `key, id, external_id, name, description, version, archived_at, created_at, updated_at`

const selectProductSQL = `
SELECT ` + productColumns + `
FROM products
WHERE store_id = $1
  AND id = $2`

const listProductsSQL = `
SELECT ` + productColumns + `
FROM products
WHERE store_id = $1
  AND archived_at IS NULL`

const countProductsSQL = `
SELECT COUNT(*)
FROM products
WHERE store_id = $1
  AND archived_at IS NULL`

const insertProductSQL = `
INSERT INTO products (store_id, id, external_id, name, words, description, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING key`

const updateProductSQL = `
UPDATE products
SET external_id = $3, name = $4, words = $5, description = $6, version = $7, updated_at = $8
WHERE store_id = $1
  AND key = $2`

const deleteProductSQL = `
DELETE FROM products
WHERE store_id = $1
  AND key = $2`

const productOfExternalIDSQL = `
SELECT id
FROM products
WHERE store_id = $1
  AND external_id = $2`

const pricesOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT w.product_key, COUNT(*), MIN(w.price), MAX(w.price)
FROM r
CROSS JOIN variants w
WHERE w.store_id = $1
  AND w.product_key = r.key
  AND w.archived_at IS NULL
GROUP BY w.product_key`

const featuresOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, a.id, a.name, a.field_type, v.id, v.name
FROM r
CROSS JOIN product_values x
CROSS JOIN attributes a
CROSS JOIN attribute_values v
WHERE x.store_id = $1
  AND x.product_key = r.key
  AND a.store_id = $1
  AND a.key = x.attribute_key
  AND v.store_id = $1
  AND v.key = x.value_key
ORDER BY x.product_key, x.attribute_key, x.value_key`

const deleteFeaturesSQL = `
DELETE FROM product_values
WHERE store_id = $1
  AND product_key = $2`

const insertFeaturesSQL = `
WITH r(attribute_key, value_key) AS (ROWS)
INSERT INTO product_values (store_id, product_key, attribute_key, value_key)
SELECT $1, $2, attribute_key, value_key
FROM r`

func scanProduct(rows database.Rows) (Product, error) {
	var p Product
	var archived *int64
	var created, updated int64
	err := rows.Scan(&p.Key, &p.ID, &p.ExternalID, &p.Name, &p.Description, &p.Version, &archived, &created, &updated)
	p.ArchivedAt, p.CreatedAt, p.UpdatedAt = optionalTime(archived), time.UnixMicro(created), time.UnixMicro(updated)
	return p, err
}

func optionalTime(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(time.UnixMicro(*micros))
}

// oneProduct reads a product, archived or not; lock is a clause of the dialect.
func oneProduct(ctx context.Context, q database.Querier, storeID store.ID, productID ProductID, lock string) (Product, error) {
	var p Product
	found := false
	err := database.Each(ctx, q, selectProductSQL+lock, []any{storeID, productID}, func(rows database.Rows) (err error) {
		found = true
		p, err = scanProduct(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing("product")
	}
	return p, err
}

func pageOfProducts(ctx context.Context, q database.Querier, storeID store.ID, search string, limit, offset int64) (list []Product, total int64, err error) {
	args := []any{storeID}
	where := matching(&args, search)
	if err := database.QueryRow(ctx, q, countProductsSQL+where, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	page := limitOffset(&args, limit, offset)
	err = database.Each(ctx, q, listProductsSQL+where+"\nORDER BY key"+page, args, func(rows database.Rows) error {
		p, err := scanProduct(rows)
		list = append(list, p)
		return err
	})
	return list, total, err
}

func insertProduct(ctx context.Context, q database.Querier, storeID store.ID, p *Product, words string) error {
	at := p.CreatedAt.UnixMicro()
	err := database.QueryRow(ctx, q, insertProductSQL, []any{
		storeID, p.ID, p.ExternalID, p.Name, words, p.Description, p.Version, at, at,
	}, &p.Key)
	return productFault(err)
}

func updateProduct(ctx context.Context, q database.Querier, storeID store.ID, p *Product, words string) error {
	_, err := q.Exec(ctx, updateProductSQL, storeID, p.Key, p.ExternalID, p.Name, words, p.Description, p.Version, p.UpdatedAt.UnixMicro())
	return productFault(err)
}

// productFault tells a client what it means that another write took the external id between our look and our write.
func productFault(err error) error {
	if err != nil && database.ViolatesIndex(err, "products_external", "products.store_id, products.external_id") {
		return externalIDTaken("external_id", "product of this store")
	}
	return err
}

// checkExternalID returns fault.Conflict if another product of the store has the external id.
func checkExternalID(ctx context.Context, q database.Querier, storeID store.ID, p *Product) error {
	if p.ExternalID == nil {
		return nil
	}
	var holder ProductID
	err := database.QueryRow(ctx, q, productOfExternalIDSQL, []any{storeID, *p.ExternalID}, &holder)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err == nil && holder != p.ID {
		return externalIDTaken("external_id", "product of this store")
	}
	return err
}

// replaceFeatures writes the values that a product carries.
func replaceFeatures(ctx context.Context, q database.Querier, storeID store.ID, productKey int64, links []link) error {
	if _, err := q.Exec(ctx, deleteFeaturesSQL, storeID, productKey); err != nil {
		return err
	}
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, l := range links {
		batch.Add(l.attribute, l.value)
	}
	_, err := q.ExecRows(ctx, insertFeaturesSQL, batch, storeID, productKey)
	return err
}

func productBatch(products []Product) *database.Batch {
	batch := database.NewBatch(database.BigInt)
	for i := range products {
		batch.Add(products[i].Key)
	}
	return batch
}

// fillPrices reads the span of prices and the number of variants of products.
func fillPrices(ctx context.Context, q database.Querier, storeID store.ID, products []Product) error {
	at := make(map[int64]*Product, len(products))
	for i := range products {
		at[products[i].Key] = &products[i]
	}
	return q.QueryRows(ctx, pricesOfProductsSQL, productBatch(products), func(rows database.Rows) error {
		var key, count int64
		var from, to Money
		if err := rows.Scan(&key, &count, (*int64)(&from), (*int64)(&to)); err != nil {
			return err
		}
		p := at[key]
		p.VariantCount, p.PriceFrom, p.PriceTo = count, &from, &to
		return nil
	}, storeID)
}

// fillFeatures reads what products carry, in the order of the features' making, then of their values'.
func fillFeatures(ctx context.Context, q database.Querier, storeID store.ID, products []Product) error {
	at := make(map[int64]*Product, len(products))
	for i := range products {
		products[i].Features = nil
		at[products[i].Key] = &products[i]
	}
	return q.QueryRows(ctx, featuresOfProductsSQL, productBatch(products), func(rows database.Rows) error {
		key, c, err := scanCarried(rows)
		if err != nil {
			return err
		}
		p := at[key]
		p.Features = append(p.Features, c)
		return nil
	}, storeID)
}

func scanCarried(rows database.Rows) (owner int64, c Carried, err error) {
	err = rows.Scan(&owner, &c.AttributeID, &c.Name, (*string)(&c.FieldType), &c.Value.ID, &c.Value.Name)
	return owner, c, err
}
