package change

import (
	"context"

	"vitrine/internal/kit/database"
)

const deletedProductsSQL = `
SELECT version, id
FROM deleted_products
WHERE store_id = $1
  AND version > $2
  AND version <= $3
  AND (version, id) > ($4, $5)
ORDER BY version, id
LIMIT $6`

const changedCategoriesPageSQL = `
SELECT version, id
FROM changed_categories
WHERE store_id = $1
  AND version > $2
  AND version <= $3
  AND (version, id) > ($4, $5)
ORDER BY version, id
LIMIT $6`

const liveCategoriesPageSQL = `
SELECT version, id
FROM changed_categories
WHERE store_id = $1
  AND version > $2
  AND version <= $3
  AND state <> 0
  AND (version, id) > ($4, $5)
ORDER BY version, id
LIMIT $6`

const countDeletedSQL = `
SELECT COUNT(*)
FROM deleted_products
WHERE store_id = $1
  AND version > $2
  AND version <= $3`

const countCategoriesSQL = `
SELECT COUNT(*)
FROM changed_categories
WHERE store_id = $1
  AND version > $2
  AND version <= $3`

const countLiveCategoriesSQL = `
SELECT COUNT(*)
FROM changed_categories
WHERE store_id = $1
  AND version > $2
  AND version <= $3
  AND state <> 0`

// Both counts read an index only.
const (
	countProductsSQL = `
SELECT COUNT(*)
FROM products
WHERE store_id = $1`

	countArchivedSQL = `
SELECT COUNT(*)
FROM products
WHERE store_id = $1
  AND archived_at IS NOT NULL`
)

const liveProductsSQL = `
SELECT key, id
FROM products
WHERE store_id = $1
  AND key > $2
  AND archived_at IS NULL
ORDER BY key
LIMIT $3`

const allProductsSQL = `
SELECT key, id
FROM products
WHERE store_id = $1
  AND key > $2
ORDER BY key
LIMIT $3`

// count counts the changes, all pages together.
func (r *reader) count(ctx context.Context) error {
	counts := func(into *int64, sql string, args ...any) error {
		var n int64
		err := database.QueryRow(ctx, r.tx, sql, args, &n)
		*into += n
		return err
	}

	var archived int64
	switch {
	case r.whole && r.fresh():
		if err := counts(&archived, countArchivedSQL); err != nil {
			return err
		}
		r.products = -archived
		if err := counts(&r.products, countProductsSQL); err != nil {
			return err
		}
		return counts(&r.places, countLiveCategoriesSQL, r.Since, r.UpTo)
	case r.whole:
		if err := counts(&r.products, countProductsSQL); err != nil {
			return err
		}
	default:
		err := eachChangedKey(ctx, r.tx, r.Since, r.UpTo, 0, func(int64) bool { r.products++; return true })
		if err != nil {
			return err
		}
	}

	if err := counts(&r.products, countDeletedSQL, r.Since, r.UpTo); err != nil {
		return err
	}
	return counts(&r.places, countCategoriesSQL, r.Since, r.UpTo)
}

// productsByKey returns the next ids of products that exist, and moves the cursor behind them.
func (r *reader) productsByKey(ctx context.Context) (ids []thingID, err error) {
	var keys []int64
	if r.whole {
		keys, ids, err = r.anyProducts(ctx)
	} else {
		err = eachChangedKey(ctx, r.tx, r.Since, r.UpTo, r.afterKey, func(key int64) bool {
			keys = append(keys, key)
			return len(keys) <= PageSize
		})
	}
	if err != nil {
		return nil, err
	}

	if len(keys) <= PageSize {
		r.stage = deletions
	} else {
		keys = keys[:PageSize]
		r.afterKey = keys[PageSize-1]
	}
	if r.whole {
		return ids[:len(keys)], nil
	}
	return idsOfKeys(ctx, r.tx, keys)
}

// anyProducts returns the keys and ids of the next products, and of one more.
func (r *reader) anyProducts(ctx context.Context) (keys []int64, ids []thingID, err error) {
	sql := allProductsSQL
	if r.fresh() {
		sql = liveProductsSQL
	}
	err = database.QueryEach(ctx, r.tx, sql, []any{r.afterKey, PageSize + 1}, func(rows database.Rows) error {
		var key int64
		var productID thingID
		err := rows.Scan(&key, &productID)
		keys = append(keys, key)
		ids = append(ids, productID)
		return err
	})
	return keys, ids, err
}

// deletedProducts returns the next ids of deleted products, and moves the cursor behind them.
func (r *reader) deletedProducts(ctx context.Context, limit int) (ids []thingID, more bool, err error) {
	return r.numbered(ctx, deletedProductsSQL, &r.afterDeleted, limit)
}

// changedCategories returns the next ids of categories, and moves the cursor behind them.
func (r *reader) changedCategories(ctx context.Context) (ids []thingID, more bool, err error) {
	if r.fresh() {
		return r.numbered(ctx, liveCategoriesPageSQL, &r.afterCategory, PageSize)
	}
	return r.numbered(ctx, changedCategoriesPageSQL, &r.afterCategory, PageSize)
}

// numbered returns the next ids of a statement that sorts them by version and id, and moves the position behind them.
func (r *reader) numbered(
	ctx context.Context, sql string, after *numbered, limit int,
) (ids []thingID, more bool, err error) {
	var list []numbered
	args := []any{r.Since, r.UpTo, after.Version, after.ID, limit + 1}
	err = database.QueryEach(ctx, r.tx, sql, args, func(rows database.Rows) error {
		var one numbered
		err := rows.Scan(&one.Version, &one.ID)
		list = append(list, one)
		return err
	})

	if more = len(list) > limit; more {
		list = list[:limit]
	}

	for _, one := range list {
		*after = one
		ids = append(ids, one.ID)
	}
	return ids, more, err
}
