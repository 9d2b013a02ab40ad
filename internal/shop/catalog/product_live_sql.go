package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const liveProductsSQL = `
SELECT key, external_id IS NOT NULL, created_at
FROM products
WHERE store_id = $1
  AND archived_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

// liveChunkSize is how many products are read with one statement.
const liveChunkSize = 10_000

// EachLive calls fn for every product that is in the shop; known says whether it has an external id.
func (s *Products) EachLive(ctx context.Context, q database.Querier, storeID store.ID, fn func(key int64, known bool, createdAt int64)) error {
	for last, more := int64(0), true; more; {
		n := 0
		err := database.Each(ctx, q, liveProductsSQL, []any{storeID, last, liveChunkSize}, func(rows database.Rows) error {
			var known bool
			var createdAt int64
			err := rows.Scan(&last, &known, &createdAt)
			fn(last, known, createdAt)
			n++
			return err
		})
		if err != nil {
			return err
		}
		more = n == liveChunkSize
	}
	return nil
}
