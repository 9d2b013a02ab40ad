package imagefile

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const markOrphanSQL = `
INSERT INTO image_leftovers (store_id, image_id, due_at)
VALUES ($1, $2, $3)
ON CONFLICT (store_id, image_id) DO UPDATE
SET due_at = excluded.due_at`

const unmarkOrphanSQL = `
DELETE FROM image_leftovers
WHERE store_id = $1
  AND image_id = $2`

const dueOrphansSQL = `
SELECT store_id, image_id, due_at
FROM image_leftovers
WHERE due_at <= $1
  AND due_at >= $2
  AND (due_at > $2 OR (store_id, image_id) > ($3, $4))
ORDER BY due_at, store_id, image_id
LIMIT $5`

const deleteOrphansSQL = `
WITH r(store_id, image_id) AS (ROWS)
DELETE FROM image_leftovers
WHERE (store_id, image_id) IN (SELECT store_id, image_id FROM r)`

// MarkOrphan schedules the removal of an image's bytes at the given time, by inserting or updating the image's row in
// image_leftovers. UnmarkOrphan cancels the removal.
func MarkOrphan(ctx context.Context, tx store.Tx, imageID ID, due time.Time) error {
	return database.Exec(ctx, tx, markOrphanSQL, imageID, due.UnixMicro())
}

// UnmarkOrphan deletes the row that MarkOrphan inserted, and reports whether the row existed.
func UnmarkOrphan(ctx context.Context, tx store.Tx, imageID ID) (bool, error) {
	n, err := tx.Exec(ctx, unmarkOrphanSQL, imageID)
	return n == 1, err
}

// orphan is a row in image_leftovers.
type orphan struct {
	imageRef
	due int64 // Unix time in microseconds
}

// dueOrphans returns at most limit orphans that are due, in the order of due time, store and image. The parameter last
// is the orphan after which the list starts; the zero orphan comes before all others.
func dueOrphans(
	ctx context.Context, q database.Querier, now time.Time, last orphan, limit int,
) (found []orphan, err error) {
	err = database.QueryEach(ctx, q, dueOrphansSQL, []any{now.UnixMicro(), last.due, last.storeID, last.imageID, limit},
		database.AppendScanned(&found, func(rows database.Rows) (l orphan, err error) {
			err = rows.Scan(&l.storeID, &l.imageID, &l.due)
			return l, err
		}))
	return found, err
}

func deleteOrphans(ctx context.Context, q database.Querier, removed []imageRef) error {
	batch := database.NewBatch(database.UUID, database.UUID)
	for _, l := range removed {
		batch.Add(l.storeID, l.imageID)
	}
	return database.ExecRows(ctx, q, deleteOrphansSQL, batch)
}
