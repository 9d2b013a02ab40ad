package search

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// State identifies the state of a store's catalogue. Snapshots with equal states have equal contents.
type State struct{ products, categories, attributes int64 }

// olderThan reports whether any version of s is lower than that of other.
func (s State) olderThan(other State) bool {
	return s.products < other.products || s.categories < other.categories || s.attributes < other.attributes
}

// Versions is the state of a store's catalogue on a snapshot and how far back its changes are recorded.
type Versions struct {
	State
	// prunedUpTo is the product version up to which the change records are deleted.
	prunedUpTo int64
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

func readVersions(ctx context.Context, tx store.Tx) (Versions, error) {
	var v Versions
	err := database.QueryRow(ctx, tx, versionsSQL, nil, &v.products, &v.categories, &v.prunedUpTo, &v.attributes)
	return v, err
}

// changedProducts returns the sorted keys of the products changed after version from and up to version to, at most
// limit keys. Key 0 means that any product may have changed.
func changedProducts(ctx context.Context, tx store.Tx, from, to int64, limit int) ([]int64, error) {
	var keys []int64
	err := database.QueryEach(ctx, tx, changedProductsSQL, []any{from, to, limit}, database.AppendColumn(&keys))
	return keys, err
}
