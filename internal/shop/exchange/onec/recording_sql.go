package onec

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertRecordingSQL = `
INSERT INTO commerceml_recordings (store_id, key, packed_bytes, used_at)
VALUES ($1, $2, $3, $4)`

const completeRecordingSQL = `
UPDATE commerceml_recordings
SET digest = $3, bytes = $4, chunks = $5, packed_bytes = $6, used_at = $7
WHERE store_id = $1
  AND key = $2`

// outdateRecordingsSQL lets the earlier recordings of the same file be deleted first.
const outdateRecordingsSQL = `
UPDATE commerceml_recordings
SET used_at = 0
WHERE store_id = $1
  AND digest = $3
  AND key < $2`

const useRecordingSQL = `
UPDATE commerceml_recordings
SET used_at = $3
WHERE store_id = $1
  AND key = $2`

const hasRecordingSQL = `
SELECT EXISTS (
	SELECT 1
	FROM commerceml_recordings
	WHERE store_id = $1
	  AND bytes = $2
	  AND digest IS NOT NULL)`

const recordingByDigestSQL = `
SELECT key, chunks
FROM commerceml_recordings
WHERE store_id = $1
  AND digest = $2
ORDER BY key DESC
LIMIT 1`

// oldestRecordingSQL also selects how many bytes all recordings of the store have. A recording that is not complete is
// that of an import that failed, since the files of a store are imported one after the other.
const oldestRecordingSQL = `
SELECT r.key, CAST((SELECT SUM(s.packed_bytes) FROM commerceml_recordings s WHERE s.store_id = $1) AS BIGINT)
FROM commerceml_recordings r
WHERE r.store_id = $1
ORDER BY CASE WHEN r.digest IS NULL THEN 0 ELSE 1 END, r.used_at, r.key
LIMIT 1`

const oldRecordingsSQL = `
SELECT store_id, key
FROM commerceml_recordings
WHERE used_at < $1
ORDER BY used_at, store_id, key
LIMIT $2`

const insertRecordingChunkSQL = `
INSERT INTO commerceml_recording_chunks (store_id, recording_key, number, packed)
VALUES ($1, $2, $3, $4)`

const recordingChunkSQL = `
SELECT packed
FROM commerceml_recording_chunks
WHERE store_id = $1
  AND recording_key = $2
  AND number = $3`

const deleteRecordingChunksSQL = `
DELETE FROM commerceml_recording_chunks
WHERE store_id = $1
  AND recording_key = $2
  AND number IN (
	SELECT c.number
	FROM commerceml_recording_chunks c
	WHERE c.store_id = $1
	  AND c.recording_key = $2
	LIMIT $3)`

const deleteRecordingSQL = `
DELETE FROM commerceml_recordings
WHERE store_id = $1
  AND key = $2`

// recording is the recording of a file that was mapped. Its key is that of the file.
type recording struct{ key, chunks int64 }

// insertRecording inserts a recording that is not complete. It counts as one of the given size.
func insertRecording(ctx context.Context, tx store.Tx, key, packed int64, now time.Time) error {
	return database.Exec(ctx, tx, insertRecordingSQL, key, packed, now.UnixMicro())
}

// completeRecording makes a recording one that is found. Earlier ones of the same file are not needed any more.
func completeRecording(ctx context.Context, tx store.Tx, r *recorder, now time.Time) error {
	key := r.m.file.key
	digest := r.digest.Sum()
	if err := database.Exec(ctx, tx, outdateRecordingsSQL, key, digest); err != nil {
		return err
	}
	return database.Exec(ctx, tx, completeRecordingSQL, key, digest, r.digest.Bytes, r.chunks, r.packed,
		now.UnixMicro())
}

func useRecording(ctx context.Context, tx store.Tx, key int64, now time.Time) error {
	return database.Exec(ctx, tx, useRecordingSQL, key, now.UnixMicro())
}

// hasRecording reports whether there is a recording of a file of this size.
func hasRecording(ctx context.Context, tx store.Tx, bytes int64) (found bool, err error) {
	err = database.QueryRow(ctx, tx, hasRecordingSQL, []any{bytes}, &found)
	return found, err
}

// recordingByDigest returns the last recording of a file with a digest. It returns false if there is none.
func recordingByDigest(ctx context.Context, tx store.Tx, digest []byte) (r recording, found bool, err error) {
	err = database.QueryRow(ctx, tx, recordingByDigestSQL, []any{digest}, &r.key, &r.chunks)
	if errors.Is(err, database.ErrNoRows) {
		return r, false, nil
	}
	return r, err == nil, err
}

// oldestRecording returns the recording that was not used for the longest time, and the bytes of all of them. It
// returns false if there is none.
func oldestRecording(ctx context.Context, tx store.Tx) (key, packed int64, found bool, err error) {
	err = database.QueryRow(ctx, tx, oldestRecordingSQL, nil, &key, &packed)
	if errors.Is(err, database.ErrNoRows) {
		return 0, 0, false, nil
	}
	return key, packed, err == nil, err
}

// oldRecordings returns recordings that were not used since a time.
func oldRecordings(ctx context.Context, q querier, before time.Time, limit int64) ([]sessionRef, error) {
	return selectSessionRefs(ctx, q, oldRecordingsSQL, before.UnixMicro(), limit)
}

func insertRecordingChunk(ctx context.Context, tx store.Tx, key, number int64, packed []byte) error {
	return database.Exec(ctx, tx, insertRecordingChunkSQL, key, number, packed)
}

// recordingChunk returns a chunk of a recording, or database.ErrNoRows.
func recordingChunk(ctx context.Context, tx store.Tx, key, number int64) (packed []byte, err error) {
	err = database.QueryRow(ctx, tx, recordingChunkSQL, []any{key, number}, &packed)
	return packed, err
}

// deleteRecordingChunks deletes up to limit chunks of a recording, and returns how many it has deleted.
func deleteRecordingChunks(ctx context.Context, tx store.Tx, key, limit int64) (int64, error) {
	return tx.Exec(ctx, deleteRecordingChunksSQL, key, limit)
}

func deleteRecordingRow(ctx context.Context, tx store.Tx, key int64) error {
	return database.Exec(ctx, tx, deleteRecordingSQL, key)
}
