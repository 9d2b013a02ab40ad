package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

// The condition reads the stored time again, because another node may have written it in the meantime.
const updateLastUsedSQL = `
WITH r(id, at) AS (ROWS)
UPDATE credentials
SET last_used_at = r.at
FROM r
WHERE credentials.id = r.id AND (credentials.last_used_at IS NULL OR credentials.last_used_at <= r.at - $1)`

func updateLastUsed(ctx context.Context, q database.Querier, uses map[KeyID]time.Time) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for key, at := range uses {
		batch.Add(key, at.UnixMicro())
	}
	return database.ExecRows(ctx, q, updateLastUsedSQL, batch, MinUsageInterval.Microseconds())
}
