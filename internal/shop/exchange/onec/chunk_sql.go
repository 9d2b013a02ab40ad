package onec

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const appendPartSQL = `
UPDATE commerceml_files
SET bytes = bytes + $4, parts = parts + 1, first_part = COALESCE(first_part, $5), last_part = $5
WHERE store_id = $1
  AND key = $2
  AND bytes = $3
  AND state = 'received'`

const insertChunkSQL = `
INSERT INTO commerceml_chunks (store_id, file_key, start, packed)
VALUES ($1, $2, $3, $4)`

const moveChunksSQL = `
UPDATE commerceml_chunks
SET file_key = $4, start = start - $3
WHERE store_id = $1
  AND file_key = $2
  AND start >= $3`

const deleteChunksFromSQL = `
DELETE FROM commerceml_chunks
WHERE store_id = $1
  AND file_key = $2
  AND start >= $3
RETURNING LENGTH(packed)`

const chunkAtSQL = `
SELECT start, packed
FROM commerceml_chunks
WHERE store_id = $1
  AND file_key = $2
  AND start <= $3
ORDER BY start DESC
LIMIT 1`

const staleSessionsSQL = `
SELECT s.store_id, s.key
FROM commerceml_sessions s
WHERE s.used_at < $1
  AND NOT EXISTS (
	SELECT 1
	FROM commerceml_files f
	WHERE f.store_id = s.store_id
	  AND f.session_key = s.key
	  AND (f.state = 'queued' OR f.state = 'parked' AND s.used_at >= $2))
ORDER BY s.used_at
LIMIT 100`

// idleSessionsSQL selects the sessions without imports of the stores that have more than $2 bytes in such sessions.
const idleSessionsSQL = `
SELECT s.store_id, s.key
FROM commerceml_sessions s
WHERE s.used_at < $1
  AND s.spooled_bytes > 0
  AND NOT s.imported
  AND s.store_id IN (
	SELECT w.store_id
	FROM commerceml_sessions w
	WHERE w.spooled_bytes > 0
	  AND NOT w.imported
	GROUP BY w.store_id
	HAVING SUM(w.spooled_bytes) > $2)
ORDER BY s.used_at
LIMIT 100`

const sessionChunksSQL = `
DELETE FROM commerceml_chunks
WHERE store_id = $1
  AND (file_key, start) IN (
	SELECT c.file_key, c.start
	FROM commerceml_files f
	CROSS JOIN commerceml_chunks c
	WHERE f.store_id = $1
	  AND f.session_key = $2
	  AND c.store_id = $1
	  AND c.file_key = f.key
	LIMIT $3)`

const deleteSessionFilesSQL = `
DELETE FROM commerceml_files
WHERE store_id = $1
  AND key IN (
	SELECT f.key
	FROM commerceml_files f
	WHERE f.store_id = $1
	  AND f.session_key = $2
	LIMIT $3)`

const deleteSessionSQL = `
DELETE FROM commerceml_sessions
WHERE store_id = $1
  AND key = $2`

// chunkAt reads the chunk that has a position, and the position of its first byte.
func chunkAt(ctx context.Context, tx store.Tx, fileKey, position int64) (start int64, packed []byte, err error) {
	err = database.QueryRow(ctx, tx, chunkAtSQL, []any{fileKey, position}, &start, &packed)
	return start, packed, err
}

func insertFileChunk(ctx context.Context, tx store.Tx, fileKey, start int64, packed []byte) error {
	return database.Exec(ctx, tx, insertChunkSQL, fileKey, start, packed)
}

// moveChunks moves the chunks of a file from a position on to another file, which begins at that position.
func moveChunks(ctx context.Context, tx store.Tx, fileKey, from, toKey int64) error {
	return database.Exec(ctx, tx, moveChunksSQL, fileKey, from, toKey)
}

// deleteChunksFrom deletes the chunks of a file from a position on, and returns the bytes that they counted.
func deleteChunksFrom(ctx context.Context, tx store.Tx, fileKey, from int64) (freed int64, err error) {
	err = database.QueryEach(ctx, tx, deleteChunksFromSQL, []any{fileKey, from}, func(rows database.Rows) error {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return err
		}
		freed += n + chunkRowBytes
		return nil
	})
	return freed, err
}

// appendPart adds a part to a file, and reports whether the file has the expected bytes before it.
func appendPart(ctx context.Context, tx store.Tx, file sessionFile, bytes int64, digest []byte) (bool, error) {
	n, err := tx.Exec(ctx, appendPartSQL, file.key, file.bytes, bytes, digest)
	return n == 1, err
}

// staleSessions returns sessions that were not used since the time before and have no file that is being imported. A
// session with a parked file is stale if it was not used since the time parkedBefore.
func staleSessions(ctx context.Context, q database.Querier, before, parkedBefore time.Time) ([]sessionRef, error) {
	return selectSessionRefs(ctx, q, staleSessionsSQL, before.UnixMicro(), parkedBefore.UnixMicro())
}

// idleSessions returns sessions without imports that were not used since a time, of the stores that have more than so
// many bytes in sessions without imports.
func idleSessions(ctx context.Context, q database.Querier, before time.Time, bytes int64) ([]sessionRef, error) {
	return selectSessionRefs(ctx, q, idleSessionsSQL, before.UnixMicro(), bytes)
}

// sessionRef identifies a session.
type sessionRef struct {
	storeID store.ID
	key     int64
}

func selectSessionRefs(
	ctx context.Context, q database.Querier, sql string, args ...any,
) (refs []sessionRef, err error) {
	scan := func(rows database.Rows) (ref sessionRef, err error) {
		err = rows.Scan(&ref.storeID, &ref.key)
		return ref, err
	}
	err = database.QueryEach(ctx, q, sql, args, database.AppendScanned(&refs, scan))
	return refs, err
}

// deleteSessionChunks deletes up to limit chunks of a session's files, deleteSessionFiles up to limit of the files.
// They return how many they have deleted.
func deleteSessionChunks(ctx context.Context, tx store.Tx, key, limit int64) (int64, error) {
	return tx.Exec(ctx, sessionChunksSQL, key, limit)
}

func deleteSessionFiles(ctx context.Context, tx store.Tx, key, limit int64) (int64, error) {
	return tx.Exec(ctx, deleteSessionFilesSQL, key, limit)
}

func deleteSessionRow(ctx context.Context, tx store.Tx, key int64) error {
	return database.Exec(ctx, tx, deleteSessionSQL, key)
}
