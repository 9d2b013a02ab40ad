package address

import (
	"context"
	"errors"
	"math"
	"sort"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const countPagesSQL = `
SELECT
	(SELECT COUNT(*) FROM products p WHERE p.store_id = $1) -
	(SELECT COUNT(*) FROM products p WHERE p.store_id = $1 AND p.archived_at IS NOT NULL),
	(SELECT COUNT(*) FROM categories c WHERE c.store_id = $1 AND c.deleted_at IS NULL)`

const productPagesSQL = `
SELECT slug, seo, CASE WHEN touched_at > updated_at THEN touched_at ELSE updated_at END
FROM products
WHERE store_id = $1
  AND archived_at IS NULL
  AND key >= $2
ORDER BY key
LIMIT $3`

// These two read only indexes: the rows of products are wide.
const (
	productKeyAtSQL = `
SELECT key
FROM products
WHERE store_id = $1
ORDER BY key
LIMIT 1 OFFSET $2`

	archivedUpToSQL = `
SELECT COUNT(*)
FROM products
WHERE store_id = $1
  AND archived_at IS NOT NULL
  AND key <= $2`
)

const categoryPagesSQL = `
SELECT key, slug, seo, updated_at
FROM categories
WHERE store_id = $1
  AND deleted_at IS NULL
ORDER BY key`

// countPages returns the numbers of categories and of live products.
func countPages(ctx context.Context, tx store.Tx) (categories, products int64, err error) {
	err = database.QueryRow(ctx, tx, countPagesSQL, nil, &products, &categories)
	return categories, products, err
}

// selectKeyAt returns the row key of the live product at a position, counted from 0. It returns database.ErrNoRows if
// there are not so many live products.
func selectKeyAt(ctx context.Context, tx store.Tx, position int64) (key int64, err error) {
	archived, err := countArchived(ctx, tx, math.MaxInt64)
	if err != nil {
		return 0, err
	}

	before, err := archivedBefore(position, archived, func(at int64) (int64, error) {
		key, err := selectKeyAmongAll(ctx, tx, at)
		if err != nil {
			return 0, err
		}
		return countArchived(ctx, tx, key)
	})
	if err != nil {
		return 0, err
	}
	return selectKeyAmongAll(ctx, tx, position+before)
}

// archivedBefore returns how many archived products come before the live one at a position. It calls upTo with
// positions among all products, which returns the number of archived ones up to there, or database.ErrNoRows behind the
// last product. It searches by halves, so that it calls upTo about twenty times for a million archived products,
// wherever they lie.
func archivedBefore(position, archived int64, upTo func(at int64) (int64, error)) (before int64, err error) {
	found := sort.Search(int(archived), func(before int) bool {
		if err != nil {
			return true
		}
		n, failure := upTo(position + int64(before))
		if errors.Is(failure, database.ErrNoRows) {
			return true
		}
		err = failure
		return n <= int64(before)
	})
	return int64(found), err
}

// selectKeyAmongAll returns the row key of the product at a position among live and archived ones.
func selectKeyAmongAll(ctx context.Context, tx store.Tx, position int64) (key int64, err error) {
	err = database.QueryRow(ctx, tx, productKeyAtSQL, []any{position}, &key)
	return key, err
}

// countArchived counts the archived products up to a row key.
func countArchived(ctx context.Context, tx store.Tx, key int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, archivedUpToSQL, []any{key}, &n)
	return n, err
}

// eachProductPage calls fn with the products of a file of the sitemap, from the live one at a position on.
func eachProductPage(ctx context.Context, tx store.Tx, position int64, fn func(sitemapPage) error) error {
	first, err := selectKeyAt(ctx, tx, position)
	if err != nil {
		return err
	}
	return database.QueryEach(ctx, tx, productPagesSQL, []any{first, SitemapSize}, func(rows database.Rows) error {
		var p sitemapPage
		if err := rows.Scan(&p.slug, &p.seo, database.Time(&p.changedAt)); err != nil {
			return err
		}
		return fn(p)
	})
}

// selectCategoryPages returns the categories of the store by row key.
func selectCategoryPages(ctx context.Context, tx store.Tx) (map[int64]sitemapPage, error) {
	pages := map[int64]sitemapPage{}
	err := database.QueryEach(ctx, tx, categoryPagesSQL, nil, func(rows database.Rows) error {
		var key int64
		var p sitemapPage
		err := rows.Scan(&key, &p.slug, &p.seo, database.Time(&p.changedAt))
		pages[key] = p
		return err
	})
	return pages, err
}
