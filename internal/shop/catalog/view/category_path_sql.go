package view

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// categoryPathsSQL walks from the given categories up to the roots, with one lookup by key for each step.
const categoryPathsSQL = `
WITH RECURSIVE r(id) AS (ROWS), up(key) AS (
	SELECT (SELECT c.key FROM categories c WHERE c.store_id = $1 AND c.id = r.id AND c.deleted_at IS NULL)
	FROM r
	UNION
	SELECT (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
	FROM up
	WHERE up.key IS NOT NULL)
SELECT c.key, c.id, c.external_id, c.name, c.slug, c.version, c.parent_key
FROM up
CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.key = up.key AND c.deleted_at IS NULL)`

// maxPathNames is the number of names in the path of a category. The names at the root of deeper trees are left out.
const maxPathNames = 20

// CategoryPath is a category with the names from the root to itself, joined for people.
type CategoryPath struct {
	ID         catalog.CategoryID
	Name, Path string
}

// CategoryPaths returns the paths of those categories that the store has, in the order of the ids. It reads these and
// the categories above them, not the whole tree.
func CategoryPaths(ctx context.Context, tx store.Tx, ids []catalog.CategoryID) (list []CategoryPath, err error) {
	defer fault.AddContext(&err, "read the paths of %d categories", len(ids))

	if len(ids) == 0 {
		return nil, nil
	}

	byKey := map[int64]*catalog.CategoryNode{}
	byID := map[catalog.CategoryID]*catalog.CategoryNode{}
	err = tx.QueryRows(ctx, categoryPathsSQL, database.BatchOf(database.UUID, ids), func(rows database.Rows) error {
		n := &catalog.CategoryNode{}
		err := catalog.ScanCategoryNode(rows, n)
		byKey[n.Key], byID[n.ID] = n, n
		return err
	})
	if err != nil {
		return nil, err
	}

	for _, categoryID := range ids {
		n, ok := byID[categoryID]
		if !ok {
			continue
		}

		var names []string
		for up := n; up != nil && len(names) < maxPathNames; {
			names = append(names, up.Name)
			if up.ParentKey == nil {
				break
			}
			up = byKey[*up.ParentKey]
		}

		slices.Reverse(names)
		list = append(list, CategoryPath{n.ID, n.Name, strings.Join(names, catalog.PathSeparator)})
	}

	return list, nil
}
