package store

import (
	"context"

	"vitrine/internal/kit/database"
)

// The kinds of former paths.
const (
	productPaths  = "product"
	categoryPaths = "category"
)

const formerPathsSQL = `
SELECT kind, pattern
FROM former_paths
WHERE store_id = $1
ORDER BY ended_at DESC, pattern`

const insertFormerPathSQL = `
INSERT INTO former_paths (store_id, kind, pattern, ended_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (store_id, kind, pattern) DO UPDATE
SET ended_at = EXCLUDED.ended_at`

const deleteFormerPathSQL = `
DELETE FROM former_paths
WHERE store_id = $1
  AND kind = $2
  AND pattern = $3`

const pruneFormerPathsSQL = `
DELETE FROM former_paths
WHERE store_id = $1
  AND kind = $2
  AND pattern NOT IN (
	SELECT f.pattern
	FROM former_paths AS f
	WHERE f.store_id = $1
	  AND f.kind = $2
	ORDER BY f.ended_at DESC, f.pattern
	LIMIT $3)`

// touchPathsSQL records that the addresses of all products and categories change. Package change tells clients of it. A
// row that exists is locked, so that package change does not take it before the transaction commits.
const touchPathsSQL = `
INSERT INTO touched_products (store_id, kind, key, attribute_key)
VALUES ($1, 'paths', 0, 0)
ON CONFLICT (store_id, kind, key) DO UPDATE
SET attribute_key = excluded.attribute_key`

// FormerPaths are the earlier forms of paths of a site, the latest first.
type FormerPaths struct{ Product, Category []PathPattern }

// FindFormerPaths returns the earlier forms of the paths of the store.
func FindFormerPaths(ctx context.Context, tx Tx) (former FormerPaths, err error) {
	err = database.QueryEach(ctx, tx, formerPathsSQL, nil, func(rows database.Rows) error {
		var kind, pattern string
		if err := rows.Scan(&kind, &pattern); err != nil {
			return err
		}
		if kind == productPaths {
			former.Product = append(former.Product, PathPattern(pattern))
		} else {
			former.Category = append(former.Category, PathPattern(pattern))
		}
		return nil
	})
	return former, err
}

// touchPaths records that the addresses of all products and categories change. The caller has no locks to take any
// more.
func touchPaths(ctx context.Context, tx Tx) error {
	if err := database.Exec(ctx, tx, touchPathsSQL); err != nil {
		return err
	}
	return RaiseCategoriesVersion(ctx, tx)
}

// keepFormerPaths keeps the paths that a change of the store ends, of each kind the latest ones.
func keepFormerPaths(ctx context.Context, tx Tx, old, changed Store) error {
	keep := func(kind string, ended, begun PathPattern) error {
		if ended == begun {
			return nil
		}
		if err := database.Exec(ctx, tx, deleteFormerPathSQL, kind, string(begun)); err != nil {
			return err
		}
		endedAt := changed.UpdatedAt.UnixMicro()
		if err := database.Exec(ctx, tx, insertFormerPathSQL, kind, string(ended), endedAt); err != nil {
			return err
		}
		return database.Exec(ctx, tx, pruneFormerPathsSQL, kind, maxFormerPaths)
	}

	if err := keep(productPaths, old.Paths.Product, changed.Paths.Product); err != nil {
		return err
	}
	return keep(categoryPaths, old.Paths.Category, changed.Paths.Category)
}
