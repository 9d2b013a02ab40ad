package firstslug

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// The conditions are those of partial indexes; see docs/planner.md.
const (
	nextStoreOfProductsSQL = `
SELECT store_id
FROM products
WHERE slug IS NULL
  AND store_id > $1
ORDER BY store_id
LIMIT 1`

	nextStoreOfCategoriesSQL = `
SELECT store_id
FROM categories
WHERE slug IS NULL
  AND deleted_at IS NULL
  AND store_id > $1
ORDER BY store_id
LIMIT 1`
)

// The caller appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock.
const (
	productsWithoutSlugSQL = `
SELECT key, id, name
FROM products
WHERE store_id = $1
  AND slug IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

	categoriesWithoutSlugSQL = `
SELECT key, id, name
FROM categories
WHERE store_id = $1
  AND slug IS NULL
  AND deleted_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`
)

// The digests of pushes stay: accounting has not sent slugs. IS TRUE keeps PostgreSQL from reading all rows of the
// store; see docs/planner.md.
const (
	setProductSlugsSQL = `
WITH r(key, slug) AS (ROWS)
UPDATE products
SET slug = r.slug, version = products.version + 1
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

	setCategorySlugsSQL = `
WITH r(key, slug) AS (ROWS)
UPDATE categories
SET slug = r.slug, version = categories.version + 1
FROM r
WHERE (categories.store_id = $1) IS TRUE
  AND categories.key = r.key`
)

// nextStore returns the first store after the given one that has things without a slug, or false if there is none.
func (w *Worker) nextStore(ctx context.Context, kind slug.Kind, after store.ID) (next store.ID, found bool, err error) {
	sql := nextStoreOfProductsSQL
	if kind == slug.Category {
		sql = nextStoreOfCategoriesSQL
	}
	err = w.db.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, sql, []any{after}, &next)
	})
	if errors.Is(err, database.ErrNoRows) {
		return next, false, nil
	}
	return next, err == nil, err
}

// lockThings locks the next things without a slug after a key, and returns a claim for each.
func lockThings(ctx context.Context, tx store.Tx, kind slug.Kind, after int64) (claims []*slug.Claim, err error) {
	sql := productsWithoutSlugSQL
	if kind == slug.Category {
		sql = categoriesWithoutSlugSQL
	}
	err = database.QueryEach(ctx, tx, sql+tx.Dialect().ForUpdate, []any{after, chunkSize},
		func(rows database.Rows) error {
			c := &slug.Claim{}
			var thing id.Of[slug.Owner]
			err := rows.Scan(&c.Key, &thing, &c.Name)
			c.ID = thing.Bytes()
			claims = append(claims, c)
			return err
		})
	return claims, err
}

// setFirst writes the chosen slugs into the columns of the things, and raises their versions.
func setFirst(ctx context.Context, tx store.Tx, kind slug.Kind, claims []*slug.Claim) error {
	sql := setProductSlugsSQL
	if kind == slug.Category {
		sql = setCategorySlugsSQL
	}
	batch := database.NewBatch(database.BigInt, database.Text)
	for _, c := range claims {
		batch.Add(c.Key, string(c.Slug))
	}
	return database.ExecRows(ctx, tx, sql, batch)
}
