package write

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Some changes of what products show are no change of the products themselves, such as the new name of a value. Package
// change tells clients of them. It finds them in the table touched_products: what is recorded there is part of the next
// version that clients see, so the same transaction raises a version of the store.

// A row that exists is locked, although it stays as it is: otherwise package change could take it before the
// transaction commits, and tell of the product as it was.
const touchSQL = `
WITH r(key) AS (ROWS)
INSERT INTO touched_products (store_id, kind, key, attribute_key)
SELECT $1, $2, r.key, $3
FROM r
WHERE TRUE
ON CONFLICT (store_id, kind, key) DO UPDATE
SET attribute_key = excluded.attribute_key`

// touchRenamedSQL finds the values by their keys, before they are renamed.
const touchRenamedSQL = `
WITH r(key, name) AS (ROWS)
INSERT INTO touched_products (store_id, kind, key, attribute_key)
SELECT $1, 'value', v.key, v.attribute_key
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = r.key)
WHERE v.name <> r.name
ON CONFLICT (store_id, kind, key) DO UPDATE
SET attribute_key = excluded.attribute_key`

// recordDeletedSQL keeps the ids of products that are about to be deleted.
const recordDeletedSQL = `
WITH r(key) AS (ROWS)
INSERT INTO deleted_products (store_id, id, product_key, version, deleted_at)
SELECT $1, p.id, p.key, NULL, $2
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.key)
WHERE TRUE
ON CONFLICT (store_id, id) DO NOTHING`

// TouchShownProducts records that what products show changes.
func TouchShownProducts(ctx context.Context, tx store.Tx, productKeys []int64) error {
	return touch(ctx, tx, "product", 0, productKeys)
}

// TouchAttributes records that what the products of attributes show changes.
func TouchAttributes(ctx context.Context, tx store.Tx, keys []int64) error {
	return touch(ctx, tx, "attribute", 0, keys)
}

// TouchAnyProduct records that what any product shows may change.
func TouchAnyProduct(ctx context.Context, tx store.Tx) error {
	return touch(ctx, tx, "any", 0, []int64{0})
}

func touch(ctx context.Context, tx store.Tx, kind string, attributeKey int64, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	return database.ExecRows(ctx, tx, touchSQL, KeyBatch(keys), kind, attributeKey)
}

// MaxTouchedValues is the number of renamed values of one change that are recorded one by one. The caller records more
// with TouchAnyProduct.
const MaxTouchedValues = 1000

// TouchRenamed records the values that get another name, before they get it. The batch has keys and names.
func TouchRenamed(ctx context.Context, tx store.Tx, names *database.Batch) (renamed int64, err error) {
	if names.Len() == 0 {
		return 0, nil
	}
	return tx.ExecRows(ctx, touchRenamedSQL, names)
}

// RecordDeleted keeps the ids of products that are about to be deleted, for clients that know them.
func RecordDeleted(ctx context.Context, tx store.Tx, productKeys []int64, now time.Time) error {
	return ExecByKey(ctx, tx, recordDeletedSQL, productKeys, now.UnixMicro())
}
