package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// selectDraftsBeforeSQL has the state as a literal, not as a parameter: otherwise PostgreSQL could not use the partial
// index orders_drafts.
const selectDraftsBeforeSQL = `
SELECT store_id, key, updated_at
FROM orders
WHERE state = 'draft'
  AND updated_at < $1
ORDER BY updated_at, key
LIMIT $2`

// deleteDraftsSQL checks state and age again, so a draft that was edited or submitted since the SELECT is kept. $1 is
// the newest updated_at of the batch: it limits an index scan on updated_at to the batch, should PostgreSQL choose that
// index. The items are deleted by ON DELETE CASCADE.
const deleteDraftsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM orders
WHERE (store_id, key) IN (SELECT store_id, key FROM r)
  AND state = 'draft'
  AND updated_at <= $1`

// expiredDraft is the row key of a draft with the time of its last change, in Unix microseconds.
type expiredDraft struct {
	storeID   store.ID
	key       int64
	updatedAt int64
}

// selectDraftsBefore returns up to limit drafts of all stores that were last changed before the given time, oldest
// first.
func selectDraftsBefore(
	ctx context.Context, q database.Querier, before time.Time, limit int64,
) (drafts []expiredDraft, err error) {
	err = database.QueryEach(ctx, q, selectDraftsBeforeSQL, []any{before.UnixMicro(), limit},
		database.AppendScanned(&drafts, func(rows database.Rows) (d expiredDraft, err error) {
			err = rows.Scan(&d.storeID, &d.key, &d.updatedAt)
			return d, err
		}))
	return drafts, err
}

// deleteDrafts deletes a result of selectDraftsBefore, which must not be empty, except for drafts that were changed
// since.
func deleteDrafts(ctx context.Context, q database.Querier, drafts []expiredDraft) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, d := range drafts {
		batch.Add(d.storeID, d.key)
	}
	return database.ExecRows(ctx, q, deleteDraftsSQL, batch, drafts[len(drafts)-1].updatedAt)
}
