package firstslug

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	lacksSlugsSQL = `
SELECT EXISTS (SELECT 1 FROM products WHERE store_id = $1 AND slug IS NULL)
	OR EXISTS (SELECT 1 FROM categories WHERE store_id = $1 AND slug IS NULL AND deleted_at IS NULL)`

	countSlugsSQL = `
SELECT (SELECT COUNT(*) FROM products WHERE store_id = $1 AND slug IS NULL)
	+ (SELECT COUNT(*) FROM categories WHERE store_id = $1 AND slug IS NULL AND deleted_at IS NULL),
	(SELECT COUNT(*) FROM products WHERE store_id = $1)
	+ (SELECT COUNT(*) FROM categories WHERE store_id = $1 AND deleted_at IS NULL)`
)

// Progress says how many products and categories of a store have a slug.
type Progress struct{ Made, Total int64 }

// Left reports whether the worker has something to do in the store.
func (p Progress) Left() bool { return p.Made < p.Total }

// Percent returns the share of the products and categories that have a slug.
func (p Progress) Percent() int64 { return 100 * p.Made / max(1, p.Total) }

// ReadProgress returns how far the worker is in a store. Once everything has a slug, it counts nothing and returns the
// zero Progress, at the cost of looking into two empty indexes.
func ReadProgress(ctx context.Context, tx store.Tx) (p Progress, err error) {
	defer fault.AddContext(&err, "read how many slugs there are")
	left := false
	if err := database.QueryRow(ctx, tx, lacksSlugsSQL, nil, &left); err != nil || !left {
		return p, err
	}

	missing := int64(0)
	if err := database.QueryRow(ctx, tx, countSlugsSQL, nil, &missing, &p.Total); err != nil {
		return p, err
	}

	p.Made = p.Total - missing
	return p, nil
}
