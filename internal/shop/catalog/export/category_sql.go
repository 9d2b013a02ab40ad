package export

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// If the parent that was pushed last does not exist yet, the category is exported with that parent, not with its
// present one.
const exportCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT c.key, c.name, c.slug, c.seo, c.description, c.parent_key, c.updated_at,
	(SELECT MIN(p.external_id) FROM pending_references p WHERE p.store_id = $1 AND p.category_key = c.key
		AND p.category_key IS NOT NULL)
FROM r
CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.key = r.key)`

const exportStocksSQL = `
SELECT key, id, external_id, name
FROM stocks
WHERE store_id = $1
  AND deleted_at IS NULL
  AND key > $2
  AND updated_at >= $3
ORDER BY key
LIMIT $4`

// ExportedCategory is a category of an export.
type ExportedCategory struct {
	catalog.CategoryPush
	LeftOut bool // it has no external id, or lies below a category that has none
}

// Categories calls fn for each category that was changed since a time in microseconds: siblings in their order, each
// after its parent.
func (s *Exports) Categories(
	ctx context.Context, tx store.Tx, changedSince int64, fn func(*ExportedCategory) error,
) (err error) {
	defer fault.AddContext(&err, "export categories")
	var names exportNames
	tree, err := names.readTree(ctx, tx)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(tree, write.ChunkSize) {
		if err := names.eachCategory(ctx, tx, chunk, changedSince, fn); err != nil {
			return err
		}
	}
	return nil
}

// eachCategory calls fn for those categories of a chunk that were changed since a time.
func (n *exportNames) eachCategory(
	ctx context.Context, tx store.Tx, chunk []int64, changedSince int64, fn func(*ExportedCategory) error,
) error {
	found := make(map[int64]*ExportedCategory, len(chunk))

	err := write.QueryByKey(ctx, tx, exportCategoriesSQL, chunk, func(rows database.Rows) error {
		var key, updatedAt int64
		var name, description string
		var address slug.Slug
		var meta seo.Meta
		var parent *int64

		var pending *string
		err := rows.Scan(&key, &name, &address, &meta, &description, &parent, &updatedAt, &pending)
		if err != nil || updatedAt < changedSince {
			return err
		}

		c := &ExportedCategory{CategoryPush: catalog.CategoryPush{Name: &name, Parent: pending, Slug: &address,
			SEO: &meta, Description: &description}}
		if pending == nil && parent != nil {
			c.Parent = new(n.categories[*parent].text)
		}

		c.Root = c.Parent == nil
		found[key] = c
		return nil
	})
	if err != nil {
		return err
	}

	for _, key := range chunk {
		if c := found[key]; c != nil {
			c.ID = n.categories[key].id(&c.LeftOut)
			if err := fn(c); err != nil {
				return err
			}
		}
	}

	return nil
}

// ExportedStock is a stock of an export.
type ExportedStock struct {
	catalog.StockPush
	LeftOut bool // it has no external id
}

// Stocks calls fn for each stock that was changed since a time in microseconds, in the order of their creation.
func (s *Exports) Stocks(
	ctx context.Context, tx store.Tx, changedSince int64, fn func(*ExportedStock) error,
) (err error) {
	defer fault.AddContext(&err, "export stocks")

	names := &exportNames{}
	for last, n := int64(0), write.ChunkSize; n == write.ChunkSize; {
		n = 0

		err := database.QueryEach(ctx, tx, exportStocksSQL, []any{last, changedSince, write.ChunkSize},
			func(rows database.Rows) error {
				var t ExportedStock
				var i catalog.StockID
				var externalID *string

				var name string
				if err := rows.Scan(&last, &i, &externalID, &name); err != nil {
					return err
				}

				n++
				t.ID = names.own(externalID, i.String, &t.LeftOut)
				t.Name = &name

				return fn(&t)
			})
		if err != nil {
			return err
		}
	}

	return nil
}
