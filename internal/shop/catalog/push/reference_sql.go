package push

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// The + 0 excludes the index over all values of an attribute, which looks equally good to PostgreSQL without
// statistics; see docs/planner.md.
const pushedValuesSQL = `
WITH r(attribute_key, external_id) AS (ROWS)
SELECT v.key, v.id, v.attribute_key, v.external_id
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.attribute_key + 0 = r.attribute_key
	AND v.external_id = r.external_id AND v.external_id IS NOT NULL)`

// lockAttributes finds the named attributes and values, and locks the attributes against edits and deletion.
func (r *pushReferences) lockAttributes(
	ctx context.Context, tx store.Tx, pairs map[attributeName]map[string]bool,
) error {
	names := database.NewBatch(database.Text, database.Text)
	for a := range pairs {
		names.Add(string(a.kind), a.externalID)
	}

	err := tx.QueryRows(ctx, catalog.PushedAttributesSQL+tx.Dialect().ForKeyShare, names,
		func(rows database.Rows) error {
			var row pushedRow
			var i catalog.AttributeID
			var a attributeName
			err := rows.Scan(&row.key, &i, (*string)(&a.kind), &a.externalID)
			row.id = i
			r.attributes[a] = row
			r.References.Attributes[i] = catalog.KnownAttribute{Key: row.key, Kind: a.kind}
			return err
		})
	if err != nil {
		return err
	}

	values := database.NewBatch(database.BigInt, database.Text)
	for a, row := range r.attributes {
		for _, v := range slices.Sorted(maps.Keys(pairs[a])) {
			values.Add(row.key, v)
		}
	}

	err = tx.QueryRows(ctx, pushedValuesSQL, values, func(rows database.Rows) error {
		var row pushedRow
		var i catalog.ValueID
		var v valueName
		err := rows.Scan(&row.key, &i, &v.attributeKey, &v.externalID)
		row.id = i
		r.values[v] = row
		r.References.Values[i] = catalog.KnownValue{Key: row.key, AttributeKey: v.attributeKey}
		return err
	})
	if err != nil {
		return err
	}

	return r.findAliases(ctx, tx, pairs)
}

// findAliases finds the values that the names which no value has mean, if they are aliases.
func (r *pushReferences) findAliases(
	ctx context.Context, tx store.Tx, pairs map[attributeName]map[string]bool,
) error {
	aliases := database.NewBatch(database.BigInt, database.BigInt, database.Text)
	var names []valueName
	for a, row := range r.attributes {
		for _, v := range slices.Sorted(maps.Keys(pairs[a])) {
			if name := (valueName{row.key, v}); r.values[name].key == 0 {
				aliases.Add(len(names), row.key, v)
				names = append(names, name)
			}
		}
	}
	return catalog.AliasedValues(ctx, tx, aliases, func(n int, key int64, valueID catalog.ValueID) {
		r.values[names[n]] = pushedRow{key, valueID}
		r.References.Values[valueID] = catalog.KnownValue{Key: key, AttributeKey: names[n].attributeKey}
	})
}

// lockCategories finds the named categories, and locks them against deletion until the transaction ends.
func (r *pushReferences) lockCategories(ctx context.Context, tx store.Tx) error {
	names := write.TextBatch(slices.Sorted(maps.Keys(r.categories)))
	return tx.QueryRows(ctx, catalog.PushedCategoriesSQL+tx.Dialect().ForKeyShare, names,
		write.EachTriple(func(key int64, categoryID catalog.CategoryID, externalID string) {
			r.categories[externalID] = pushedRow{key, categoryID}
			r.References.Categories[categoryID] = key
		}))
}
