package bulk

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertChangeSQL = `
INSERT INTO bulk_changes (store_id, id, action, target, label, undo_of, total, done, changed, next_chunk, failure,
	created_at, writer)
VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, '', $8, $9)`

const insertChunksSQL = `
WITH r(number, keys) AS (ROWS)
INSERT INTO bulk_chunks (store_id, change_id, number, keys)
SELECT $1, $2, number, keys
FROM r`

// A chunk of the other change that changed nothing stays empty. A chunk that was not done has the products that were to
// be changed, and is left out.
const copyDoneChunksSQL = `
INSERT INTO bulk_chunks (store_id, change_id, number, keys)
SELECT store_id, $4, number, keys
FROM bulk_chunks
WHERE store_id = $1
  AND change_id = $2
  AND number < $3`

// Callers may append FOR UPDATE.
const selectChangeSQL = `
SELECT id, action, target, label, undo_of, total, done, changed, next_chunk, failure, created_at, finished_at,
	COALESCE(writer, 0)
FROM bulk_changes
WHERE store_id = $1
  AND id = $2`

const selectChunkSQL = `
SELECT keys
FROM bulk_chunks
WHERE store_id = $1
  AND change_id = $2
  AND number = $3`

const updateChunkSQL = `
UPDATE bulk_chunks
SET keys = $4
WHERE store_id = $1
  AND change_id = $2
  AND number = $3`

const updateChangeSQL = `
UPDATE bulk_changes
SET done = $3, changed = $4, next_chunk = $5, failure = $6, finished_at = $7
WHERE store_id = $1
  AND id = $2`

// A store has few changes, so they are found without an index on their time.
const deleteChangesBeforeSQL = `
DELETE FROM bulk_changes
WHERE store_id = $1
  AND created_at < $2
RETURNING id`

func insertChange(ctx context.Context, tx store.Tx, c *Change) error {
	target, err := c.Target.text()
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, insertChangeSQL, c.ID, string(c.Action), target, c.Label, c.UndoOf, c.Total,
		c.CreatedAt.UnixMicro(), c.writer.OrNull())
}

func insertChunks(ctx context.Context, tx store.Tx, changeID ID, chunks [][]byte) error {
	batch := database.NewBatch(database.BigInt, database.Bytes)
	for i, packed := range chunks {
		batch.Add(int64(i), packed)
	}
	_, err := tx.ExecRows(ctx, insertChunksSQL, batch, changeID)
	return err
}

// copyDoneChunks copies the chunks of a change that were done to another change.
func copyDoneChunks(ctx context.Context, tx store.Tx, from Change, to ID) error {
	return database.Exec(ctx, tx, copyDoneChunksSQL, from.ID, from.nextChunk, to)
}

func selectChange(ctx context.Context, tx store.Tx, changeID ID, lock string) (Change, error) {
	return store.SelectOne(ctx, tx, selectChangeSQL+lock, []any{changeID}, "change",
		func(rows database.Rows) (c Change, err error) {
			var target string
			err = rows.Scan(&c.ID, (*string)(&c.Action), &target, &c.Label, &c.UndoOf, &c.Total, &c.Done, &c.Changed,
				&c.nextChunk, &c.Failure, database.Time(&c.CreatedAt), database.NullTime(&c.FinishedAt),
				(*int64)(&c.writer))
			if err != nil {
				return c, err
			}
			err = json.Unmarshal([]byte(target), &c.Target)
			return c, err
		})
}

// selectChunk returns the content of a chunk, or database.ErrNoRows.
func selectChunk(ctx context.Context, tx store.Tx, changeID ID, number int64) (packed []byte, err error) {
	err = database.QueryRow(ctx, tx, selectChunkSQL, []any{changeID, number}, &packed)
	return packed, err
}

func updateChunk(ctx context.Context, tx store.Tx, changeID ID, number int64, packed []byte) error {
	return database.Exec(ctx, tx, updateChunkSQL, changeID, number, packed)
}

func updateChange(ctx context.Context, tx store.Tx, c *Change) error {
	return database.Exec(ctx, tx, updateChangeSQL, c.ID, c.Done, c.Changed, c.nextChunk, c.Failure,
		database.MicrosOrNull(c.FinishedAt))
}

// deleteChangesBefore deletes the changes that were created earlier than the time before, and returns them.
func deleteChangesBefore(ctx context.Context, tx store.Tx, before time.Time) (deleted []ID, err error) {
	err = database.QueryEach(ctx, tx, deleteChangesBeforeSQL, []any{before.UnixMicro()},
		database.AppendColumn(&deleted))
	return deleted, err
}
