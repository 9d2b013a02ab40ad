package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The state is no parameter: only so does PostgreSQL take the index over drafts.
const draftsOlderSQL = `
SELECT store_id, key, updated_at
FROM orders
WHERE state = 'draft'
  AND updated_at < $1
ORDER BY updated_at, key
LIMIT $2`

// Whoever changed or submitted one in between keeps it. The time is that of the last of these drafts, no later: whichever index PostgreSQL takes,
// it meets only them. Items go with their order.
const deleteDraftsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM orders
WHERE (store_id, key) IN (SELECT store_id, key FROM r)
  AND state = 'draft'
  AND updated_at <= $1`

// oldDraft is a draft by its row.
type oldDraft struct {
	storeID   store.ID
	key       int64
	updatedAt int64
}

// draftsOlder reads the drafts of all stores that were last changed before a time, the oldest first.
func draftsOlder(ctx context.Context, q database.Querier, before time.Time, limit int64) (old []oldDraft, err error) {
	err = database.Each(ctx, q, draftsOlderSQL, []any{before.UnixMicro(), limit}, func(rows database.Rows) error {
		var d oldDraft
		err := rows.Scan(&d.storeID, &d.key, &d.updatedAt)
		old = append(old, d)
		return err
	})
	return old, err
}

// deleteDrafts deletes those of the drafts, as draftsOlder gave them, that nobody has changed since.
func deleteDrafts(ctx context.Context, q database.Querier, old []oldDraft) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, d := range old {
		batch.Add(d.storeID, d.key)
	}
	_, err := q.ExecRows(ctx, deleteDraftsSQL, batch, old[len(old)-1].updatedAt)
	return err
}
