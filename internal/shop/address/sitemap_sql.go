package address

import (
	"context"

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
ORDER BY key
LIMIT $2 OFFSET $3`

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

// eachProductPage calls fn with the products of a file of the sitemap.
func eachProductPage(ctx context.Context, tx store.Tx, offset int64, fn func(sitemapPage) error) error {
	return database.QueryEach(ctx, tx, productPagesSQL, []any{SitemapSize, offset}, func(rows database.Rows) error {
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
