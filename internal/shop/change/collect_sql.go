package change

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const lockHeadSQL = `
INSERT INTO change_heads (store_id, version, catalog, price_versions, categories, attributes, whole, content, floor,
	announced, announced_at)
SELECT s.id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
FROM stores s
WHERE s.id = $1
ON CONFLICT (store_id) DO UPDATE
SET version = change_heads.version
RETURNING version`

const stateSQL = `
SELECT COALESCE(h.version, 0), COALESCE(h.catalog, 0), COALESCE(h.price_versions, 0), COALESCE(h.categories, 0),
	COALESCE(h.attributes, 0), COALESCE(h.whole, 0), COALESCE(h.content, 0), COALESCE(h.floor, 0),
	COALESCE(h.announced, 0), COALESCE(h.announced_at, 0), COALESCE(c.version, 0), COALESCE(c.price_versions, 0),
	COALESCE(c.categories, 0), COALESCE(a.version, 0), COALESCE(c.floor, 0)
FROM stores s
LEFT JOIN change_heads h ON h.store_id = s.id
LEFT JOIN catalog_versions c ON c.store_id = s.id
LEFT JOIN attribute_versions a ON a.store_id = s.id
WHERE s.id = $1`

const saveHeadSQL = `
UPDATE change_heads
SET version = $2, catalog = $3, price_versions = $4, categories = $5, attributes = $6, whole = $7, content = $8
WHERE store_id = $1`

const saveDaySQL = `
INSERT INTO change_days (store_id, day, version)
VALUES ($1, $2, $3)
ON CONFLICT (store_id, day) DO NOTHING`

const logSQL = `
SELECT version, product_key
FROM product_changes
WHERE store_id = $1
  AND version > $2
  AND version <= $3
ORDER BY version, product_key
LIMIT $4`

// takeTouched inserts a locking clause between the parts: rows that other transactions have locked are left to them.
const (
	takeTouchedSQL = `
DELETE FROM touched_products
WHERE store_id = $1
  AND (kind, key) IN (
	SELECT t.kind, t.key
	FROM touched_products t
	WHERE t.store_id = $1`

	takenTouchedSQL = `)
RETURNING kind, key, attribute_key`

	isTouchedSQL = `
SELECT COUNT(*)
FROM (SELECT 1 FROM touched_products WHERE store_id = $1 LIMIT 1) AS t`
)

const productsOfValuesSQL = `
WITH r(key, attribute_key) AS (ROWS)
SELECT x.product_key
FROM r
CROSS JOIN LOOKUP (product_values x WHERE x.store_id = $1 AND x.attribute_key = r.attribute_key
	AND x.value_key = r.key)
LIMIT $2`

const productsOfOptionValuesSQL = `
WITH r(key, attribute_key) AS (ROWS)
SELECT v.product_key
FROM r
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.attribute_key = r.attribute_key
	AND x.value_key = r.key)
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.key = x.variant_key)
LIMIT $2`

const productsOfFeaturesSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key
FROM r
CROSS JOIN LOOKUP (product_values x WHERE x.store_id = $1 AND x.attribute_key = r.key)
LIMIT $2`

const productsOfOptionsSQL = `
WITH r(key) AS (ROWS)
SELECT v.product_key
FROM r
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.attribute_key = r.key)
CROSS JOIN LOOKUP (variants v WHERE v.store_id = $1 AND v.key = x.variant_key)
LIMIT $2`

// changedCategoriesSQL takes over the categories that are new, or differ from what is stored of them.
const changedCategoriesSQL = `
INSERT INTO changed_categories (store_id, id, state, position, version, changed_at)
SELECT c.store_id, c.id, c.version, c.position, $2, $3
FROM categories c
WHERE c.store_id = $1
  AND c.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM changed_categories x WHERE x.store_id = $1 AND x.id = c.id AND x.state = c.version
	AND x.position = c.position)
ON CONFLICT (store_id, id) DO UPDATE
SET state = excluded.state, position = excluded.position, version = excluded.version,
	changed_at = excluded.changed_at`

const goneCategoriesSQL = `
UPDATE changed_categories
SET state = 0, version = $2, changed_at = $3
WHERE store_id = $1
  AND state <> 0
  AND NOT EXISTS (SELECT 1 FROM categories c WHERE c.store_id = $1 AND c.id = changed_categories.id
	AND c.deleted_at IS NULL)`

const touchCategoriesSQL = `
UPDATE changed_categories
SET version = $2, changed_at = $3
WHERE store_id = $1
  AND state <> 0
  AND version <> $2`

const numberDeletedSQL = `
UPDATE deleted_products
SET version = $2
WHERE store_id = $1
  AND version IS NULL
RETURNING product_key`

const isAnyDeletedSQL = `
SELECT COUNT(*)
FROM (SELECT 1 FROM deleted_products WHERE store_id = $1 LIMIT 1) AS t`

// lockHead locks the head of a store, which it creates if there is none. It returns false if there is no such store.
func lockHead(ctx context.Context, tx store.Tx) (exists bool, err error) {
	var version int64
	err = database.QueryRow(ctx, tx, lockHeadSQL, nil, &version)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	return true, err
}

// readState returns the state of a store, or fault.NotFound.
func readState(ctx context.Context, tx store.Tx) (s state, err error) {
	err = database.QueryRow(ctx, tx, stateSQL, nil, &s.version, &s.catalog, &s.priceVersions, &s.categories,
		&s.attributes, &s.whole, &s.content, &s.floor, &s.announced, &s.announcedAt, &s.current.catalog,
		&s.current.priceVersions, &s.current.categories, &s.current.attributes, &s.current.floor)
	if errors.Is(err, database.ErrNoRows) {
		err = fault.Missing("store")
	}
	return s, err
}

func saveHead(ctx context.Context, tx store.Tx, h head) error {
	return database.Exec(ctx, tx, saveHeadSQL, h.version, h.catalog, h.priceVersions, h.categories, h.attributes,
		h.whole, h.content)
}

// saveDay records the version that the store had at the beginning of a day, before the first change of the day.
func saveDay(ctx context.Context, tx store.Tx, day, version int64) error {
	return database.Exec(ctx, tx, saveDaySQL, day, version)
}

// logged is a row of the log of products.
type logged struct{ version, key int64 }

// readLog returns the first rows of the log of products after a version.
func readLog(ctx context.Context, tx store.Tx, after, upTo int64, limit int) (list []logged, err error) {
	err = database.QueryEach(ctx, tx, logSQL, []any{after, upTo, limit}, func(rows database.Rows) error {
		var l logged
		err := rows.Scan(&l.version, &l.key)
		list = append(list, l)
		return err
	})
	return list, err
}

// touchedThings are what transactions have recorded as touched.
type touchedThings struct {
	keys                      []int64 // of products
	anyProduct, allCategories bool
}

// takeTouched deletes what is recorded of touched products and categories, and returns it. What a transaction that has
// not ended records again is left.
func takeTouched(ctx context.Context, tx store.Tx) (t touchedThings, err error) {
	values := database.NewBatch(database.BigInt, database.BigInt)
	attributes := database.NewBatch(database.BigInt)
	take := takeTouchedSQL + tx.Dialect().ForUpdate + tx.Dialect().SkipLocked + takenTouchedSQL
	err = database.QueryEach(ctx, tx, take, nil, func(rows database.Rows) error {
		var kind string
		var key, attributeKey int64
		err := rows.Scan(&kind, &key, &attributeKey)
		switch kind {
		case "product":
			t.keys = append(t.keys, key)
		case "value":
			values.Add(key, attributeKey)
		case "attribute":
			attributes.Add(key)
		case "paths":
			t.anyProduct = true
			t.allCategories = true
		default:
			t.anyProduct = true
		}
		return err
	})
	if t.anyProduct {
		t.keys = nil
	}
	if err != nil || t.anyProduct {
		return t, err
	}

	queries := []database.BatchQuery{{SQL: productsOfValuesSQL, Batch: values},
		{SQL: productsOfOptionValuesSQL, Batch: values}, {SQL: productsOfFeaturesSQL, Batch: attributes},
		{SQL: productsOfOptionsSQL, Batch: attributes}}
	for _, query := range queries {
		err := tx.QueryRows(ctx, query.SQL, query.Batch, database.AppendColumn(&t.keys), maxTouched+1)
		if err != nil {
			return t, err
		}
		if len(t.keys) > maxTouched {
			return touchedThings{anyProduct: true}, nil
		}
	}
	return t, nil
}

// touchCategories gives a version to all categories, and returns the number of those that do not have it yet.
func touchCategories(ctx context.Context, tx store.Tx, version, now int64) (int64, error) {
	return tx.Exec(ctx, touchCategoriesSQL, version, now)
}

// isTouched reports whether products are recorded as touched that takeTouched has left.
func isTouched(ctx context.Context, tx store.Tx) (bool, error) {
	var rows int64
	err := database.QueryRow(ctx, tx, isTouchedSQL, nil, &rows)
	return rows > 0, err
}

// saveCategories gives a version to the categories that changed since they were last looked at, and returns their
// number.
func saveCategories(ctx context.Context, tx store.Tx, version, now int64) (changed int64, err error) {
	changed, err = tx.Exec(ctx, changedCategoriesSQL, version, now)
	if err != nil {
		return 0, err
	}
	gone, err := tx.Exec(ctx, goneCategoriesSQL, version, now)
	return changed + gone, err
}

// numberDeleted gives a version to the deleted products that have none, and returns the keys that they had.
func numberDeleted(ctx context.Context, tx store.Tx, version int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, numberDeletedSQL, []any{version}, database.AppendColumn(&keys))
	return keys, err
}

// isAnyDeleted reports whether products were deleted lately: the table keeps them for a week at least.
func isAnyDeleted(ctx context.Context, tx store.Tx) (bool, error) {
	var rows int64
	err := database.QueryRow(ctx, tx, isAnyDeletedSQL, nil, &rows)
	return rows > 0, err
}
