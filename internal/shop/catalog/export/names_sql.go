package export

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const exportAttributeIDsSQL = `
SELECT key, id, external_id
FROM attributes
WHERE store_id = $1
  AND kind IN ('option', 'feature')`

const exportStockIDsSQL = `
SELECT id, external_id
FROM stocks
WHERE store_id = $1
  AND deleted_at IS NULL`

// A list that is awaited has its id, as something else that products refer to and that has not come yet.
const exportPriceListIDsSQL = `
SELECT key, id, external_id
FROM price_lists
WHERE store_id = $1
  AND deleted_at IS NULL`

const exportValueIDsSQL = `
WITH r(key) AS (ROWS)
SELECT v.key, v.id, v.external_id
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = r.key AND v.deleted_at IS NULL)`

// readExportNames reads the external ids of all attributes, categories, stocks and price lists. Their number is
// thousands in a large store. Those of values are read as they are needed.
func readExportNames(ctx context.Context, tx store.Tx, ownIDs bool) (*exportNames, error) {
	n := &exportNames{ownIDs: ownIDs, attributes: map[int64]exportName{}, stocks: map[catalog.StockID]exportName{},
		lists: map[int64]exportName{}, values: map[int64]exportName{}}
	err := database.QueryEach(ctx, tx, exportAttributeIDsSQL, nil,
		write.EachTriple(func(key int64, i catalog.AttributeID, externalID *string) {
			n.attributes[key] = n.name(externalID, i.String)
		}))
	if err != nil {
		return nil, err
	}

	err = database.QueryEach(ctx, tx, exportStockIDsSQL, nil,
		write.EachPair(func(i catalog.StockID, externalID *string) { n.stocks[i] = n.name(externalID, i.String) }))
	if err != nil {
		return nil, err
	}

	err = database.QueryEach(ctx, tx, exportPriceListIDsSQL, nil,
		write.EachTriple(func(key int64, i catalog.PriceListID, externalID *string) {
			n.lists[key] = n.name(externalID, i.String)
		}))
	if err != nil {
		return nil, err
	}

	_, err = n.readTree(ctx, tx)
	return n, err
}

// readTree reads the external ids of all categories and returns their row keys: siblings in their order, each after its
// parent, with all below it behind it. The name of a category that is left out is empty: it has no external id, or lies
// below one that has none.
func (n *exportNames) readTree(ctx context.Context, tx store.Tx) (keys []int64, err error) {
	tree, err := catalog.ReadCategoryTree(ctx, tx)
	if err != nil {
		return nil, err
	}

	n.categories = make(map[int64]exportName, tree.Total)
	tree.Walk(func(c *catalog.CategoryNode) {
		name := n.name(c.ExternalID, c.ID.String)
		if c.Parent != nil && n.categories[c.Parent.Key].text == "" {
			name = exportName{}
		}

		n.categories[c.Key] = name
		keys = append(keys, c.Key)
	})

	return keys, nil
}

// findValues reads the external ids of the values that products refer to and that are not known yet.
func (r *exportReader) findValues(ctx context.Context, page []exportRow) error {
	values := r.names.values
	if len(values) > maxExportValues {
		clear(values)
	}

	wanted := map[int64]bool{}
	add := func(list []catalog.ValueKeys) {
		for _, k := range list {
			if _, known := values[k.Value]; !known {
				wanted[k.Value] = true
			}
		}
	}
	for i := range page {
		add(page[i].FeatureKeys)
		for _, options := range page[i].OptionKeys {
			add(options)
		}
	}

	for key := range wanted {
		values[key] = exportName{unknown: true}
	}

	return write.QueryByKey(ctx, r.tx, exportValueIDsSQL, write.SortedKeys(wanted),
		write.EachTriple(func(key int64, i catalog.ValueID, externalID *string) {
			values[key] = r.names.name(externalID, i.String)
		}))
}
