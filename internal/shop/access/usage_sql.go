package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The condition reads the stored time again, because another node may have written it in the meantime.
const updateLastUsedSQL = `
WITH r(id, at) AS (ROWS)
UPDATE credentials
SET last_used_at = r.at
FROM r
WHERE credentials.id = r.id AND (credentials.last_used_at IS NULL OR credentials.last_used_at <= r.at - $1)`

// recentStoresSQL selects the stores whose publishable keys were used since $1, the latest first.
const recentStoresSQL = `
SELECT store_id
FROM credentials
WHERE kind = $2
  AND last_used_at > $1
GROUP BY store_id
ORDER BY MAX(last_used_at) DESC, store_id
LIMIT $3`

// RecentStores returns up to limit stores whose publishable keys were used since a time, the latest first.
func (s *Service) RecentStores(ctx context.Context, since time.Time, limit int) (list []store.ID, err error) {
	args := []any{since.UnixMicro(), string(PublishableKey), limit}
	err = s.DB.Read(ctx, func(q database.Querier) error {
		list = nil
		return database.QueryEach(ctx, q, recentStoresSQL, args, func(rows database.Rows) error {
			var storeID store.ID
			err := rows.Scan(&storeID)
			list = append(list, storeID)
			return err
		})
	})
	return list, err
}

func updateLastUsed(ctx context.Context, q database.Querier, uses map[KeyID]time.Time) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for key, at := range uses {
		batch.Add(key, at.UnixMicro())
	}
	return database.ExecRows(ctx, q, updateLastUsedSQL, batch, MinUsageInterval.Microseconds())
}
