package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// sqlFacets counts facets with SQL: one statement for all attributes without a selection, and one per selection.
type sqlFacets struct {
	tx       store.Tx
	f        *searchFilter
	archived catalog.Archived
	*facetBuilder
}

func facetsBySQL(ctx context.Context, tx store.Tx, f *searchFilter, archived catalog.Archived) (*Facets, error) {
	s := sqlFacets{tx, f, archived, newFacetBuilder(f)}
	for _, count := range []func(context.Context) error{s.features, s.options, s.categories, s.price} {
		if err := count(ctx); err != nil {
			return nil, err
		}
	}
	return s.build(), nil
}

// restrictAttributes restricts a count to the excluded attribute or, if none is excluded, to those without a selection.
func restrictAttributes(s *searchStatement, column string, selected []selection, except exclusion) {
	switch {
	case except.attribute != 0:
		s.add("\n  AND ", column, " = ", s.arg(except.attribute))
	case len(selected) > 0:
		keys := make([]int64, len(selected))
		for i, c := range selected {
			keys[i] = c.key
		}
		s.add("\n  AND ", column, " NOT IN ", s.keyList(keys))
	}
}

const variantsOfProductSQL = "\nCROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = p.key)"

func (s sqlFacets) features(ctx context.Context) error {
	return s.attributes(ctx, s.f.features, "COUNT(*)", "\n  AND a.filterable",
		func(st *searchStatement, except exclusion) {
			st.add("\nCROSS JOIN LOOKUP (product_values x WHERE x.store_id = $1 AND x.product_key = p.key)")
			s.f.where(st, s.archived, except)
		})
}

func (s sqlFacets) options(ctx context.Context) error {
	return s.attributes(ctx, s.f.options, "COUNT(DISTINCT p.key)", "", func(st *searchStatement, except exclusion) {
		st.add(variantsOfProductSQL,
			"\nCROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.variant_key = w.key)")
		s.f.whereProduct(st, s.archived, except)
		s.f.whereVariant(st, except)
	})
}

// attributes counts products by the values of features or of options. It runs a statement without an exclusion, then
// once for each selection with that selection excluded. The function where appends the tables that are joined to
// products, of which x has the value keys, and the conditions.
//
// The statement groups first and joins the names afterwards: the join then runs once per value, not once per product.
func (s sqlFacets) attributes(
	ctx context.Context, selected []selection, count, onlyAttributes string,
	where func(st *searchStatement, except exclusion),
) error {
	exclusions := []exclusion{{}}
	for _, c := range selected {
		exclusions = append(exclusions, exclusion{attribute: c.key})
	}

	for _, except := range exclusions {
		st := newSearchStatement(`
SELECT ` + attributeColumns + `, v.key, v.id, v.name, v.position, n.count, v.number
FROM (
SELECT x.attribute_key, x.value_key, ` + count + ` AS count`)
		s.f.from(st, except)
		where(st, except)
		restrictAttributes(st, "x.attribute_key", selected, except)
		st.add(`
GROUP BY x.attribute_key, x.value_key) AS n
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.key = n.attribute_key AND a.kind IN ('option', 'feature'))
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = n.value_key AND v.deleted_at IS NULL)
WHERE TRUE`, onlyAttributes)

		if err := s.readCounts(ctx, st); err != nil {
			return err
		}
	}

	return nil
}

func (s sqlFacets) readCounts(ctx context.Context, st *searchStatement) error {
	return database.QueryEach(ctx, s.tx, st.String(), st.args, func(rows database.Rows) error {
		var a attribute
		var v ValueCount
		var number *float64
		err := rows.Scan(&a.key, &a.id, (*string)(&a.kind), &a.name, &a.filterable, (*string)(&a.fieldType), &a.version,
			&v.key, &v.ID, &v.Name, &v.position, &v.Count, &number)
		if err != nil {
			return err
		}

		if a.fieldType == catalog.Range {
			if number != nil {
				s.addNumber(a, *number)
			}
			return nil
		}

		s.addValue(a, v)
		return nil
	})
}

// categories counts products per subtree. It adds up ancestors in memory: recursive SQL would run for each product.
func (s sqlFacets) categories(ctx context.Context) error {
	var tree categoryTree
	if err := tree.load(ctx, s.tx); err != nil {
		return err
	}

	st := newSearchStatement("SELECT p.key, x.category_key")
	except := exclusion{category: true}
	s.f.from(st, except)
	st.add("\nCROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.product_key = p.key)")
	s.f.where(st, s.archived, except)
	st.add("\nORDER BY p.key")
	counts := tree.newCounts()
	err := database.QueryEach(ctx, s.tx, st.String(), st.args, func(rows database.Rows) error {
		var product, category int64
		err := rows.Scan(&product, &category)
		if id, ok := tree.ids[category]; ok {
			counts.add(id, product, 1)
		}
		return err
	})
	if err != nil {
		return err
	}

	counts.addTo(s.facetBuilder)
	return nil
}

func (s sqlFacets) price(ctx context.Context) error {
	st := newSearchStatement("SELECT MIN(" + s.f.priceSQL() + "), MAX(" + s.f.priceSQL() + ")")
	except := exclusion{price: true}
	s.f.from(st, except)
	st.add(variantsOfProductSQL)
	s.f.whereProduct(st, s.archived, except)
	s.f.whereVariant(st, except)
	var least, most *int64
	if err := database.QueryRow(ctx, s.tx, st.String(), st.args, &least, &most); err != nil {
		return err
	}
	if least != nil {
		s.addPrices(money.Money(*least), money.Money(*most))
	}
	return nil
}
