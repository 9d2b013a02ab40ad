package search

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/store"
)

// searchStatement is a SQL statement under construction, and its arguments from $2 on. $1 is the store's id.
type searchStatement struct {
	strings.Builder
	args []any
}

func newSearchStatement(text string) *searchStatement {
	s := &searchStatement{}
	s.WriteString(text)
	return s
}

// arg appends an argument and returns its placeholder.
func (s *searchStatement) arg(v any) string {
	s.args = append(s.args, v)
	return "$" + strconv.Itoa(len(s.args)+1)
}

func (s *searchStatement) add(parts ...string) {
	for _, p := range parts {
		s.WriteString(p)
	}
}

// keyList appends the keys as arguments and returns their placeholders, such as ($2, $3).
func (s *searchStatement) keyList(keys []int64) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = s.arg(k)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func addBounds[T int64 | float64](s *searchStatement, column string, b bounds[T]) {
	if b.from != nil {
		s.add("\n  AND ", column, " >= ", s.arg(*b.from))
	}
	if b.to != nil {
		s.add("\n  AND ", column, " <= ", s.arg(*b.to))
	}
}

// exclusion names the selection that a count ignores. The zero value ignores none.
type exclusion struct {
	category, price bool
	attribute       int64
}

// subtreeSQL returns the beginning of a query of the links between products and a category with its subtree: a product
// has a link to each of its categories.
func (s *searchStatement) subtreeSQL(categoryKey int64, columns string) string {
	return `
	WITH RECURSIVE below(key) AS (
		SELECT CAST(` + s.arg(categoryKey) + ` AS BIGINT)
		UNION
		SELECT c.key
		FROM below
		CROSS JOIN LOOKUP (categories c WHERE c.store_id = $1 AND c.parent_key = below.key))
	SELECT ` + columns + `
	FROM below
	CROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.category_key = below.key)`
}

// from appends the FROM clause of products p. With a category these are the products of its subtree.
func (f *searchFilter) from(s *searchStatement, except exclusion) {
	if f.category == nil || except.category {
		s.add("\nFROM products p")
		return
	}
	s.add("\nFROM (", s.subtreeSQL(f.category.key, "DISTINCT x.product_key"), ") AS b",
		"\nCROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = b.product_key)")
}

// whereProduct appends the WHERE clause for products p, without the category and the conditions on variants.
//
// This file tests existence with COUNT(*) > 0. PostgreSQL would turn EXISTS into a semi-join. Before the first ANALYZE
// it has no statistics and would choose a nested loop that compares each product with each row.
func (f *searchFilter) whereProduct(s *searchStatement, archived catalog.Archived, except exclusion) {
	s.add("\nWHERE p.store_id = $1")

	switch archived {
	case catalog.Live:
		s.add("\n  AND p.archived_at IS NULL")
	case catalog.OnlyArchived:
		s.add("\n  AND p.archived_at IS NOT NULL")
	case catalog.OnlyDrafts:
		s.add("\n  AND p.archived_at IS NOT NULL\n  AND p.draft_at = p.archived_at")
	}

	switch f.origin {
	case Pushed:
		s.add("\n  AND p.pushed_at IS NOT NULL")
	case MadeHere:
		s.add("\n  AND p.pushed_at IS NULL")
	}

	if f.matchesNothing {
		s.add("\n  AND p.key IS NULL")
	}

	switch {
	case f.named == nil:
	case len(f.named) == 0:
		s.add("\n  AND p.key IS NULL")
	default:
		s.add("\n  AND p.key IN ", s.keyList(f.named))
	}

	for _, w := range f.words {
		column := "p.words"
		if strings.Contains(w, "е") {
			column = "REPLACE(p.words, 'ё', 'е')"
		}
		s.add("\n  AND ", column, " LIKE ", s.arg("% "+w+"%"))
	}

	for _, c := range f.features {
		if c.key == except.attribute {
			continue
		}

		if len(c.values) > 0 {
			s.add("\n  AND (SELECT COUNT(*) FROM product_values x WHERE x.store_id = $1",
				" AND x.product_key = p.key AND x.attribute_key = ",
				s.arg(c.key), " AND x.value_key IN ", s.keyList(c.keys()), ") > 0")
		}

		if c.bounds.isSet() {
			s.add("\n  AND (SELECT COUNT(*) FROM product_values x",
				" CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = x.value_key "+
					"AND v.deleted_at IS NULL)",
				" WHERE x.store_id = $1 AND x.product_key = p.key AND x.attribute_key = ", s.arg(c.key))
			addBounds(s, "v.number", c.bounds)
			s.add(") > 0")
		}
	}
}

func (f *searchFilter) whereVariant(s *searchStatement, except exclusion) {
	s.add("\n  AND w.store_id = $1 AND w.product_key = p.key AND w.archived_at IS NULL")
	if !except.price {
		addBounds(s, f.priceSQL(), f.price)
	}
	if f.inStock {
		s.add("\n  AND COALESCE(", catalog.AvailableSQL, ", 1) > 0")
	}
	for _, c := range f.options {
		if c.key == except.attribute {
			continue
		}
		s.add("\n  AND (SELECT COUNT(*) FROM variant_values y WHERE y.store_id = $1",
			" AND y.variant_key = w.key AND y.attribute_key = ",
			s.arg(c.key), " AND y.value_key IN ", s.keyList(c.keys()), ") > 0")
	}
}

func (f *searchFilter) where(s *searchStatement, archived catalog.Archived, except exclusion) {
	f.whereProduct(s, archived, except)
	if f.filtersVariants() {
		s.add("\n  AND (SELECT COUNT(*) FROM variants w WHERE w.store_id = $1")
		f.whereVariant(s, except)
		s.add(") > 0")
	}
}

func (c selection) keys() []int64 {
	keys := make([]int64, len(c.values))
	for i, v := range c.values {
		keys[i] = v.key
	}
	return keys
}

// priceSQL returns an expression for the price of the variant w that the reader gets.
func (f *searchFilter) priceSQL() string { return pricelist.PriceSQL(f.prices.Lists()) }

// lowestPriceSQL returns an expression for the lowest price of the product p.
func (f *searchFilter) lowestPriceSQL() string {
	return `(SELECT MIN(` + f.priceSQL() + `) FROM variants w WHERE w.store_id = $1 AND w.product_key = p.key ` +
		`AND w.archived_at IS NULL)`
}

func (sort Sort) orderBy(lowestPrice string) string {
	return [...]string{
		ByKey:         "p.key",
		ByName:        "p.sort_name, p.key",
		ByNameDesc:    "p.sort_name DESC, p.key",
		ByPrice:       lowestPrice + " NULLS LAST, p.key",
		ByPriceDesc:   lowestPrice + " DESC NULLS LAST, p.key",
		ByCreated:     "p.created_at, p.key",
		ByCreatedDesc: "p.created_at DESC, p.key DESC", ByRelevance: "p.created_at DESC, p.key DESC",
		ByPopularity: popularitySQL + " DESC, p.created_at DESC, p.key DESC",
	}[sort]
}

// wordsMatch reports whether a product matches the words, whatever the other filters. total is the number of products
// that match all filters.
func (f *searchFilter) wordsMatch(
	ctx context.Context, tx store.Tx, archived catalog.Archived, total int64,
) (bool, error) {
	if total > 0 || f.matchesNothing {
		return total > 0, nil
	}

	s := newSearchStatement("SELECT COUNT(*)\nFROM (SELECT p.key")
	words := f.onlyWords()
	words.from(s, exclusion{})
	words.where(s, archived, exclusion{})
	s.add("\nLIMIT 1) AS found")
	var n int64
	err := database.QueryRow(ctx, tx, s.String(), s.args, &n)
	return n > 0, err
}

func findBySQL(ctx context.Context, tx store.Tx, f *searchFilter, query Query) (Result, error) {
	found := Result{Text: limitedText(query)}
	count := newSearchStatement("SELECT COUNT(*)")
	f.from(count, exclusion{})
	f.where(count, query.Archived, exclusion{})

	if query.Archived == catalog.Live && f.isEmpty() {
		count = newSearchStatement(countLiveSQL)
	}

	if err := database.QueryRow(ctx, tx, count.String(), count.args, &found.Total); err != nil {
		return Result{}, err
	}

	if found.Text != nil {
		matches, err := f.wordsMatch(ctx, tx, query.Archived, found.Total)
		if err != nil {
			return Result{}, err
		}
		if matches {
			found.Text.Matched = MatchedPrefix
			found.Text.Dropped = []string{}
		}
	}

	// The order of named products is not known to the database. There are few of them, so all are read.
	byName := f.named != nil && query.Sort == ByKey
	if byName || query.Offset < found.Total {
		page := newSearchStatement("SELECT p.key")
		f.from(page, exclusion{})
		f.where(page, query.Archived, exclusion{})
		page.add("\nORDER BY ", query.Sort.orderBy(f.lowestPriceSQL()))

		if !byName {
			page.add("\nLIMIT ", page.arg(query.Limit), " OFFSET ", page.arg(query.Offset))
		}

		err := database.QueryEach(ctx, tx, page.String(), page.args, database.AppendColumn(&found.Keys))
		if err != nil {
			return Result{}, err
		}
	}

	if byName {
		found.Keys = f.orderByName(found.Keys, query.Limit, query.Offset)
	}

	var err error
	if query.WithNavigation {
		if found.Navigation, err = navigationBySQL(ctx, tx); err != nil {
			return Result{}, err
		}
	}
	if !query.WithFacets {
		return found, nil
	}

	found.Facets, err = facetsBySQL(ctx, tx, f, query.Archived)
	return found, err
}
