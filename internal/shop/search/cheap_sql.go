package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// maxCheapProducts is the largest number of products of a category that SQL examines one by one while the columns
	// are being made. maxCheapOffset is the largest offset of a page in a list without filters.
	maxCheapProducts = 20_000
	maxCheapOffset   = 10_000
)

// countLiveSQL counts the products that are not archived. Both counts read only an index.
const countLiveSQL = `
SELECT
	(SELECT COUNT(*) FROM products p WHERE p.store_id = $1) -
	(SELECT COUNT(*) FROM products p WHERE p.store_id = $1 AND p.archived_at IS NOT NULL)`

// isCheapInSQL reports whether the database can answer a query with bounded work, whatever the size of the store: a
// list of named products, of a category with few products, or of the first products in the order of their keys. Facet
// counts are cheap only for named products, since those of a category count the products of all others, too.
func isCheapInSQL(ctx context.Context, tx store.Tx, f *searchFilter, query Query) (bool, error) {
	switch {
	case f.matchesNothing || f.named != nil:
		return true, nil
	case query.WithFacets:
		return false, nil
	case f.category != nil:
		n, err := countSubtreeUpTo(ctx, tx, f.category.key, maxCheapProducts+1)
		return n <= maxCheapProducts, err
	}
	return f.isEmpty() && query.Sort == ByKey && query.Offset <= maxCheapOffset, nil
}

// countSubtreeUpTo counts the products of a category and its subtree, archived ones included, but not more than limit.
// A product counts once for each of its categories.
func countSubtreeUpTo(ctx context.Context, tx store.Tx, categoryKey, limit int64) (n int64, err error) {
	s := newSearchStatement("SELECT COUNT(*)\nFROM (")
	s.add(s.subtreeSQL(categoryKey, "x.product_key"), "\n\tLIMIT ", s.arg(limit), ") AS p")
	err = database.QueryRow(ctx, tx, s.String(), s.args, &n)
	return n, err
}
