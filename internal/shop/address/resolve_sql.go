package address

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

const redirectIDSQL = `
SELECT id
FROM redirects
WHERE store_id = $1
  AND from_path = $2`

const isLiveProductSQL = `
SELECT archived_at IS NULL
FROM products
WHERE store_id = $1
  AND key = $2`

// The crumbs statements read categories with all their ancestors, each once.
const productCrumbsSQL = `
WITH RECURSIVE direct(key, canonical) AS (
	SELECT x.category_key, x.canonical
	FROM product_categories x
	WHERE x.store_id = $1
	  AND x.product_key = $2), up(key) AS (
	SELECT d.key
	FROM direct d
	UNION
	SELECT (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
	FROM up
	WHERE up.key IS NOT NULL)
SELECT c.key, c.parent_key, c.id, c.name, c.slug, c.key IN (SELECT d.key FROM direct d),
	c.key IN (SELECT d.key FROM direct d WHERE d.canonical)
FROM up
CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.key = up.key)
WHERE c.deleted_at IS NULL
ORDER BY c.key`

const categoryCrumbsSQL = `
WITH RECURSIVE up(key) AS (
	SELECT CAST($2 AS BIGINT)
	UNION
	SELECT (SELECT c.parent_key FROM categories c WHERE c.store_id = $1 AND c.key = up.key)
	FROM up
	WHERE up.key IS NOT NULL)
SELECT c.key, c.parent_key, c.id, c.name, c.slug, FALSE, FALSE
FROM up
CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.key = up.key)
WHERE c.deleted_at IS NULL
ORDER BY c.key`

// crumbRow is a category of a crumbs statement.
type crumbRow struct {
	Crumb
	key    int64
	parent *int64
	// isDirect says that the product lies in the category itself, and isCanonical that this was chosen as its canonical
	// one.
	isDirect, isCanonical bool
}

func scanCrumbRow(rows database.Rows) (c crumbRow, err error) {
	err = rows.Scan(&c.key, &c.parent, &c.ID, &c.Name, &c.Slug, &c.isDirect, &c.isCanonical)
	return c, err
}

// redirectAt returns the id of the redirect that begins at a path.
func redirectAt(ctx context.Context, tx store.Tx, path string) (redirectID id.Of[Resolution], err error) {
	err = database.QueryRow(ctx, tx, redirectIDSQL, []any{path}, &redirectID)
	return redirectID, err
}

// productCrumbs returns the path to the canonical category of a product, the root first, and whether the product is
// neither archived nor gone.
func productCrumbs(ctx context.Context, tx store.Tx, productKey int64) (isLive bool, crumbs []Crumb, err error) {
	err = database.QueryRow(ctx, tx, isLiveProductSQL, []any{productKey}, &isLive)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil, nil
	}
	if err != nil || !isLive {
		return false, nil, err
	}

	var rows []crumbRow
	err = database.QueryEach(ctx, tx, productCrumbsSQL, []any{productKey}, database.AppendScanned(&rows, scanCrumbRow))
	if err != nil {
		return false, nil, err
	}

	return true, canonicalCrumbs(rows), nil
}

// ProductCrumbs returns the path to the canonical category of a product that is not archived, the root first.
func ProductCrumbs(ctx context.Context, tx store.Tx, productKey int64) ([]Crumb, error) {
	_, crumbs, err := productCrumbs(ctx, tx, productKey)
	return crumbs, err
}

// categoryCrumbs returns the path to a category, the root first. It is empty if there is no such category.
func categoryCrumbs(ctx context.Context, tx store.Tx, categoryKey int64) ([]Crumb, error) {
	var rows []crumbRow
	err := database.QueryEach(ctx, tx, categoryCrumbsSQL, []any{categoryKey},
		database.AppendScanned(&rows, scanCrumbRow))
	return crumbsOf(rows, categoryKey), err
}

// canonicalCrumbs returns the path to the canonical category of a product among its categories and their ancestors: the
// chosen one, else the deepest, and of several the first one.
func canonicalCrumbs(rows []crumbRow) []Crumb {
	var best Canonical
	for _, c := range rows {
		if c.isDirect {
			best.Add(c.key, len(crumbsOf(rows, c.key)), c.isCanonical)
		}
	}
	return crumbsOf(rows, best.Key)
}

// Canonical is the canonical category of a product among those that were added, in the order in which the product shows
// them: the chosen one, else the deepest, and of several the first one. The zero value has none.
type Canonical struct {
	Key      int64
	depth    int
	isChosen bool
}

// Add adds a category of the product. Its depth is the number of categories from the root to itself.
func (c *Canonical) Add(key int64, depth int, isChosen bool) {
	if isChosen || !c.isChosen && depth > c.depth {
		*c = Canonical{key, depth, isChosen}
	}
}

// crumbsOf returns the path to a category, the root first. It is empty if the category is not among the rows.
func crumbsOf(rows []crumbRow, key int64) (crumbs []Crumb) {
	for at := &key; at != nil && len(crumbs) < len(rows); {
		i, found := slices.BinarySearchFunc(rows, *at,
			func(c crumbRow, key int64) int { return cmp.Compare(c.key, key) })
		if !found {
			break
		}
		crumbs = append(crumbs, rows[i].Crumb)
		at = rows[i].parent
	}
	slices.Reverse(crumbs)
	return crumbs
}
