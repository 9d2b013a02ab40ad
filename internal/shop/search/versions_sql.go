package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// versions identifies a state of a store's catalogue.
type versions struct {
	products, categories, attributes int64
	// prunedUpTo is the product version up to which the change records are deleted.
	prunedUpTo int64
}

// equal reports whether both identify the same state. prunedUpTo does not matter.
func (v versions) equal(other versions) bool {
	return v.products == other.products && v.categories == other.categories && v.attributes == other.attributes
}

// olderThan reports whether any version of v is lower than that of other.
func (v versions) olderThan(other versions) bool {
	return v.products < other.products || v.categories < other.categories || v.attributes < other.attributes
}

const versionsSQL = `
SELECT COALESCE(c.version, 0), COALESCE(c.categories, 0), COALESCE(c.floor, 0), COALESCE(a.version, 0)
FROM stores s
LEFT JOIN catalog_versions c ON c.store_id = s.id
LEFT JOIN attribute_versions a ON a.store_id = s.id
WHERE s.id = $1`

const changedProductsSQL = `
SELECT DISTINCT product_key
FROM product_changes
WHERE store_id = $1
  AND version > $2
  AND version <= $3
ORDER BY product_key
LIMIT $4`

func readVersions(ctx context.Context, q database.Querier, storeID store.ID) (versions, error) {
	var v versions
	err := database.QueryRow(ctx, q, versionsSQL, []any{storeID}, &v.products, &v.categories, &v.prunedUpTo,
		&v.attributes)
	return v, err
}

// changedProducts returns the sorted keys of the products changed after version from and up to version to, at most
// limit keys. Key 0 means that any product may have changed.
func changedProducts(
	ctx context.Context, q database.Querier, storeID store.ID, from, to int64, limit int,
) ([]int64, error) {
	var keys []int64
	err := database.Each(ctx, q, changedProductsSQL, []any{storeID, from, to, limit}, func(rows database.Rows) error {
		var key int64
		err := rows.Scan(&key)
		keys = append(keys, key)
		return err
	})
	return keys, err
}
