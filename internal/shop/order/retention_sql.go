package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The state is no parameter: only so does PostgreSQL take the index over drafts.
const selectDraftsBeforeSQL = `
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

// expiredDraft is a draft by its row.
type expiredDraft struct {
	storeID   store.ID
	key       int64
	updatedAt int64
}

// selectDraftsBefore reads the drafts of all stores that were last changed before a time, the oldest first.
func selectDraftsBefore(ctx context.Context, q database.Querier, before time.Time, limit int64) (drafts []expiredDraft, err error) {
	err = database.Each(ctx, q, selectDraftsBeforeSQL, []any{before.UnixMicro(), limit}, func(rows database.Rows) error {
		var d expiredDraft
		err := rows.Scan(&d.storeID, &d.key, &d.updatedAt)
		drafts = append(drafts, d)
		return err
	})
	return drafts, err
}

// deleteDrafts deletes those of the drafts, as selectDraftsBefore gave them, that nobody has changed since.
func deleteDrafts(ctx context.Context, q database.Querier, drafts []expiredDraft) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, d := range drafts {
		batch.Add(d.storeID, d.key)
	}
	_, err := q.ExecRows(ctx, deleteDraftsSQL, batch, drafts[len(drafts)-1].updatedAt)
	return err
}
