package search

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const (
	// maxCheapProducts is the largest number of products of a category that SQL examines one by one while the columns
	// are being made. maxCheapOffset is the largest offset of a page in a list without filters.
	maxCheapProducts = 20_000
	maxCheapOffset   = 10_000
)

// maxSQLFacets is the largest number of products whose facets SQL counts. It reads all values and variants of all
// products: of 100,000 products in seconds, of a million not within the deadline of a request.
const maxSQLFacets = 100_000

// facetsUnavailable is the code of the fault of a query for facets of too many products for SQL.
const facetsUnavailable = "facets_unavailable"

// FacetsUnavailable reports whether a query failed only because its facets are too expensive. Without them it succeeds.
func FacetsUnavailable(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Code == facetsUnavailable
}

const countArchivedUpToSQL = `
SELECT COUNT(*)
FROM (SELECT key FROM products WHERE store_id = $1 AND archived_at IS NOT NULL LIMIT $2) AS p`

// checkFacets returns a fault if the facets of the query are too expensive for SQL. The filters of the query do not
// matter, since the facet of each filter counts the products that the filter excludes.
func (s *Service) checkFacets(ctx context.Context, tx store.Tx, f *searchFilter, query Query) error {
	if !query.WithFacets && !query.WithNavigation || f.matchesNothing || f.named != nil {
		return nil
	}

	sql := countUpToSQL
	if query.Archived == catalog.OnlyArchived || query.Archived == catalog.OnlyDrafts {
		sql = countArchivedUpToSQL
	}

	var n int64
	if err := database.QueryRow(ctx, tx, sql, []any{s.maxSQLFacets + 1}, &n); err != nil || n <= s.maxSQLFacets {
		return err
	}

	return fault.New(fault.Unavailable, facetsUnavailable,
		"The facets of this list are not counted: it is about more than 100,000 products, "+
			"and they are not in the search "+
			"memory of the server. Leave the facets out. To have them, the operator of the server must raise "+
			"--search-memory; archived products have none.").After(tooLargePause)
}

// countLiveSQL counts the products that are not archived. Both counts read only an index.
const countLiveSQL = `
SELECT
	(SELECT COUNT(*) FROM products p WHERE p.store_id = $1) -
	(SELECT COUNT(*) FROM products p WHERE p.store_id = $1 AND p.archived_at IS NOT NULL)`

// isCheapInSQL reports whether the database can answer a query with bounded work, whatever the size of the store: a
// list of named products, of a category with few products, or of the first products in the order of their keys. Facet
// counts are cheap only for named products, since the counts of a category include the products of all other
// categories.
func isCheapInSQL(ctx context.Context, tx store.Tx, f *searchFilter, query Query) (bool, error) {
	switch {
	case f.matchesNothing || f.named != nil:
		return true, nil
	case query.WithFacets || query.WithNavigation:
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
