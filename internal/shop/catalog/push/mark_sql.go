package push

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const attributeIDOfSQL = `
SELECT id, source_version
FROM attributes
WHERE store_id = $1
  AND kind = $3
  AND external_id = $2
  AND external_id IS NOT NULL`

const categoryIDOfSQL = `
SELECT id, source_version
FROM categories
WHERE store_id = $1
  AND external_id = $2
  AND external_id IS NOT NULL`

const stockIDOfSQL = `
SELECT id, source_version
FROM stocks
WHERE store_id = $1
  AND external_id = $2`

// findByExternalID returns the id of the thing with an external id, and the version that it has in its source, or
// fault.NotFound.
func findByExternalID[Thing any](
	ctx context.Context, tx store.Tx, sql, what, externalID string, more ...any,
) (found id.Of[Thing], version *int64, err error) {
	found, err = store.SelectOne(ctx, tx, sql, append([]any{externalID}, more...), what,
		func(rows database.Rows) (i id.Of[Thing], err error) {
			err = rows.Scan(&i, &version)
			return i, err
		})
	return found, version, err
}

func attributeIDOf(
	ctx context.Context, tx store.Tx, kind catalog.Kind, externalID string,
) (_ catalog.AttributeID, version *int64, err error) {
	return findByExternalID[catalog.Attribute](ctx, tx, attributeIDOfSQL, kind.Noun(), externalID, string(kind))
}

func categoryIDOf(
	ctx context.Context, tx store.Tx, externalID string,
) (_ catalog.CategoryID, version *int64, err error) {
	return findByExternalID[catalog.Category](ctx, tx, categoryIDOfSQL, "category", externalID)
}

func stockIDOf(ctx context.Context, tx store.Tx, externalID string) (_ catalog.StockID, version *int64, err error) {
	return findByExternalID[catalog.Stock](ctx, tx, stockIDOfSQL, "stock", externalID)
}
