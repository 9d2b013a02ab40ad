package onec

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const insertSessionSQL = `
INSERT INTO commerceml_sessions (store_id, credential_id, login, kind, version, spooled_bytes, used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING key`

const sessionColumns = `key, credential_id, login, kind, version, offered, imported, spooled_bytes`

const latestSessionSQL = `
SELECT ` + sessionColumns + `
FROM commerceml_sessions
WHERE store_id = $1
  AND credential_id = $2
  AND login = $3
  AND kind = $4
ORDER BY key DESC
LIMIT 1`

const sessionByKeySQL = `
SELECT ` + sessionColumns + `
FROM commerceml_sessions
WHERE store_id = $1
  AND key = $2`

const useSessionSQL = `
UPDATE commerceml_sessions
SET used_at = $3
WHERE store_id = $1
  AND key = $2
  AND kind <> 'ended'`

const setSessionImportedSQL = `
UPDATE commerceml_sessions
SET imported = TRUE
WHERE store_id = $1
  AND key = $2
  AND kind <> 'ended'`

// endSessionSQL makes a session without imports one that no login finds and that is deleted at once.
const endSessionSQL = `
UPDATE commerceml_sessions
SET kind = 'ended', used_at = 0
WHERE store_id = $1
  AND key = $2
  AND used_at < $3
  AND NOT imported`

const waitingBytesSQL = `
SELECT CAST(COALESCE(SUM(spooled_bytes), 0) AS BIGINT)
FROM commerceml_sessions
WHERE store_id = $1
  AND spooled_bytes > 0
  AND NOT imported`

// closeSessionsSQL lets the sessions of a login up to a key be deleted soon, but for those that were used after $7.
// Those with images stay, since these may still be read.
const closeSessionsSQL = `
UPDATE commerceml_sessions
SET used_at = $6
WHERE store_id = $1
  AND credential_id = $2
  AND login = $3
  AND kind = $4
  AND key <= $5
  AND used_at > $6
  AND (used_at <= $7 OR key = $8)
  AND key NOT IN (SELECT p.session_key FROM commerceml_pictures p WHERE p.store_id = $1)`

const setSessionOfferedSQL = `
UPDATE commerceml_sessions
SET offered = $3
WHERE store_id = $1
  AND key = $2`

const addSessionBytesSQL = `
UPDATE commerceml_sessions
SET spooled_bytes = spooled_bytes + $3
WHERE store_id = $1
  AND key = $2`

// A file inside an archive came when the archive came.
const insertFileSQL = `
INSERT INTO commerceml_files (store_id, session_key, name, archive_key, bytes, parts, state, taken_up_to)
VALUES ($1, $2, $3, $4, $5, 0, $6, COALESCE(
	(SELECT a.taken_up_to FROM commerceml_files a WHERE a.store_id = $1 AND a.key = $4),
	(SELECT s.sales_cursor FROM commerceml_stores s WHERE s.store_id = $1),
	0))
RETURNING key`

const fileColumns = `key, session_key, name, archive_key, bytes, parts, first_part, last_part, state, runs, problem, ` +
	`taken_up_to`

const latestFileSQL = `
SELECT ` + fileColumns + `
FROM commerceml_files
WHERE store_id = $1
  AND session_key = $2
  AND name = $3
ORDER BY key DESC
LIMIT 1`

const fileByKeySQL = `
SELECT ` + fileColumns + `
FROM commerceml_files
WHERE store_id = $1
  AND key = $2`

// receivedFilesSQL lists the archives that came, newest first.
const receivedFilesSQL = `
SELECT ` + fileColumns + `
FROM commerceml_files
WHERE store_id = $1
  AND session_key = $2
  AND archive_key IS NULL
  AND LOWER(name) LIKE '%.zip'
ORDER BY key DESC
LIMIT 100`

const setFileStateSQL = `
UPDATE commerceml_files
SET state = $3, problem = $4
WHERE store_id = $1
  AND key = $2`

const setFileRunsSQL = `
UPDATE commerceml_files
SET runs = $3
WHERE store_id = $1
  AND key = $2`

// Session is one exchange of 1C, which begins with init.
type Session struct {
	Key        int64
	Credential access.KeyID
	Login      []byte
	Kind       string
	Version    string
	Offered    *int64
	// Imported says that a file was given to the import.
	Imported bool
	// Spooled are the bytes of its files, packed.
	Spooled int64
}

// sessionFile is a file of a session.
type sessionFile struct {
	key, sessionKey int64
	name            string
	archive         *int64
	bytes, parts    int64
	first, last     []byte
	state           fileState
	runs            map[string]int64 // keys of runs by entity
	problem         string
	takenUpTo       int64 // sales_cursor of the store when the file came
}

// fileState is how far the import of a file is.
type fileState string

// The states. A pushed file has become runs, which may still be applied. The job of a parked file is parked.
const (
	fileReceived fileState = "received"
	fileQueued   fileState = "queued"
	filePushed   fileState = "pushed"
	fileFailed   fileState = "failed"
	fileParked   fileState = "parked"
)

func insertSession(ctx context.Context, tx store.Tx, s *Session, now time.Time) error {
	return database.QueryRow(ctx, tx, insertSessionSQL,
		[]any{s.Credential, s.Login, s.Kind, s.Version, int64(sessionRowBytes), now.UnixMicro()}, &s.Key)
}

func scanSession(rows database.Rows) (s Session, err error) {
	err = rows.Scan(&s.Key, &s.Credential, &s.Login, &s.Kind, &s.Version, &s.Offered, &s.Imported, &s.Spooled)
	return s, err
}

func latestSession(
	ctx context.Context, tx store.Tx, credential access.KeyID, login []byte, kind string,
) (Session, error) {
	return database.QueryOne(ctx, tx, latestSessionSQL, []any{credential, login, kind}, scanSession)
}

func sessionByKey(ctx context.Context, tx store.Tx, key int64) (Session, error) {
	return database.QueryOne(ctx, tx, sessionByKeySQL, []any{key}, scanSession)
}

func scanFile(rows database.Rows) (f sessionFile, err error) {
	var runs, state string
	err = rows.Scan(&f.key, &f.sessionKey, &f.name, &f.archive, &f.bytes, &f.parts, &f.first, &f.last, &state, &runs,
		&f.problem, &f.takenUpTo)
	if err != nil {
		return f, err
	}
	f.state = fileState(state)
	err = json.Unmarshal([]byte(runs), &f.runs)
	return f, err
}

// latestFile returns the newest file of a session with this name, or database.ErrNoRows.
func latestFile(ctx context.Context, tx store.Tx, sessionKey int64, name string) (sessionFile, error) {
	return database.QueryOne(ctx, tx, latestFileSQL, []any{sessionKey, name}, scanFile)
}

func fileByKey(ctx context.Context, tx store.Tx, key int64) (sessionFile, error) {
	return database.QueryOne(ctx, tx, fileByKeySQL, []any{key}, scanFile)
}

func archivesOf(ctx context.Context, tx store.Tx, sessionKey int64) (list []sessionFile, err error) {
	err = database.QueryEach(ctx, tx, receivedFilesSQL, []any{sessionKey}, database.AppendScanned(&list, scanFile))
	return list, err
}

// insertFile inserts a file and sets its key. archive is the key of the archive that has it, or nil.
func insertFile(ctx context.Context, tx store.Tx, f *sessionFile) error {
	return database.QueryRow(ctx, tx, insertFileSQL, []any{f.sessionKey, f.name, f.archive, f.bytes, string(f.state)},
		&f.key)
}

func setFileState(ctx context.Context, tx store.Tx, key int64, state fileState, problem string) error {
	return database.Exec(ctx, tx, setFileStateSQL, key, string(state), problem)
}

func setFileRuns(ctx context.Context, tx store.Tx, key int64, runs map[string]int64) error {
	return database.Exec(ctx, tx, setFileRunsSQL, key, string(wire.AppendJSON(nil, runs)))
}

// useSession sets the time of the last request of a session. It returns fault.NotFound for one that was ended.
func useSession(ctx context.Context, tx store.Tx, key int64, at time.Time) error {
	return updateLiveSession(ctx, tx, useSessionSQL, key, at.UnixMicro())
}

// setSessionImported records that a file of the session is imported. It fails like useSession.
func setSessionImported(ctx context.Context, tx store.Tx, key int64) error {
	return updateLiveSession(ctx, tx, setSessionImportedSQL, key)
}

func updateLiveSession(ctx context.Context, tx store.Tx, sql string, args ...any) error {
	n, err := tx.Exec(ctx, sql, args...)
	if err == nil && n == 0 {
		err = errExchangeEnded()
	}
	return err
}

// endSession ends a session that was not used since a time and has no imports, and reports whether it did.
func endSession(ctx context.Context, tx store.Tx, key int64, before time.Time) (bool, error) {
	n, err := tx.Exec(ctx, endSessionSQL, key, before.UnixMicro())
	return n == 1, err
}

// waitingBytes returns the bytes of the store's sessions of which no file was imported yet.
func waitingBytes(ctx context.Context, tx store.Tx) (n int64, err error) {
	err = database.QueryRow(ctx, tx, waitingBytesSQL, nil, &n)
	return n, err
}

// closeSessions sets the times of the sessions of the same login back, up to the one with a key. Without a cookie,
// those of other exchanges that may still go on are left alone.
func closeSessions(ctx context.Context, tx store.Tx, s Session, upTo int64, now time.Time) error {
	return closeSessionsAnd(ctx, tx, s, upTo, now, 0)
}

// completeSessions does the same with the sessions before one and with this one.
func completeSessions(ctx context.Context, tx store.Tx, s Session, now time.Time) error {
	return closeSessionsAnd(ctx, tx, s, s.Key, now, s.Key)
}

func closeSessionsAnd(ctx context.Context, tx store.Tx, s Session, upTo int64, now time.Time, ended int64) error {
	at := now.Add(closedRetention - sessionRetention)
	idleSince := now
	if len(s.Login) == 0 {
		idleSince = now.Add(-ambiguousFor)
	}
	return database.Exec(ctx, tx, closeSessionsSQL, s.Credential, s.Login, s.Kind, upTo, at.UnixMicro(),
		idleSince.UnixMicro(), ended)
}

// unfinishedSessionsSQL has the last session of a login, and those that were used since a time and have no file yet or
// one whose import is still to come. It says of each whether it may have the file with a name, alone or in an archive,
// and how far the import of this file is.
const unfinishedSessionsSQL = `
SELECT s.key, s.credential_id, s.login, s.kind, s.version, s.offered, s.imported, s.spooled_bytes,
	COALESCE((SELECT f.state FROM commerceml_files f
		WHERE f.store_id = $1 AND f.session_key = s.key AND f.name = $5
		ORDER BY f.key DESC
		LIMIT 1), ''),
	(SELECT COUNT(*) FROM commerceml_files f
		WHERE f.store_id = $1 AND f.session_key = s.key AND f.archive_key IS NULL AND LOWER(f.name) LIKE '%.zip')
FROM commerceml_sessions s
WHERE s.store_id = $1
  AND s.credential_id = $2
  AND s.login = $3
  AND s.kind = $4
  AND (s.key = (SELECT MAX(l.key) FROM commerceml_sessions l
		WHERE l.store_id = $1 AND l.credential_id = $2 AND l.login = $3 AND l.kind = $4)
	OR s.used_at > $6
	AND (EXISTS (SELECT 1 FROM commerceml_files f
			WHERE f.store_id = $1 AND f.session_key = s.key AND f.state IN ('received', 'queued'))
		OR NOT EXISTS (SELECT 1 FROM commerceml_files f WHERE f.store_id = $1 AND f.session_key = s.key)))
ORDER BY s.key DESC
LIMIT 100`

// unfinishedSessions returns the last session of a login and those that may still go on, newest first.
func unfinishedSessions(
	ctx context.Context, tx store.Tx, by Login, file string, since time.Time,
) (list []unfinishedSession, err error) {
	args := []any{by.Credential, by.login(), by.Kind, file, since.UnixMicro()}
	err = database.QueryEach(ctx, tx, unfinishedSessionsSQL, args, func(rows database.Rows) error {
		var u unfinishedSession
		var state string
		s := &u.Session
		err := rows.Scan(&s.Key, &s.Credential, &s.Login, &s.Kind, &s.Version, &s.Offered, &s.Imported, &s.Spooled,
			&state, &u.archives)
		u.file = fileState(state)
		list = append(list, u)
		return err
	})
	return list, err
}

func setSessionOffered(ctx context.Context, tx store.Tx, key, sequence int64) error {
	return database.Exec(ctx, tx, setSessionOfferedSQL, key, sequence)
}

// addSessionBytes adds to the packed bytes of a session's files.
func addSessionBytes(ctx context.Context, tx store.Tx, key, bytes int64) error {
	return database.Exec(ctx, tx, addSessionBytesSQL, key, bytes)
}
