// Package database opens SQLite or PostgreSQL behind one small vocabulary: a Querier that takes one SQL text
// for both engines, reads on a snapshot, and writes in a transaction. It owns connections, transactions, retries,
// bulk rows, migrations and the short list of differences between the engines. It knows no table of the shop.
package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
)

// The engines.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// ErrNoRows is returned by QueryRow where nothing matched.
var ErrNoRows = errors.New("no rows")

// Config says which database to open.
type Config struct {
	// URL is a postgres:// address, or the path of a SQLite file (with or without file:).
	URL string
	// Readers is the number of SQLite connections that read, or of all PostgreSQL connections; 0 takes a default.
	Readers int
	// Log gets what operators must know, such as a disk that fails; nil discards it.
	Log *slog.Logger
}

// Querier runs SQL written once for both engines: parameters are $1, $2, …; a text with the word ROWS in it takes a Batch.
//
// Arguments are nil, int, int64, float64, bool, string, []byte, driver.Valuer, or pointers to those (nil is NULL).
// Destinations are pointers to the same, sql.Scanner, or pointers to pointers where NULL may come.
type Querier interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	// Query runs a statement that gives rows. The caller closes them before the next statement.
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	// ExecRows runs a statement over the rows of a batch, in as many pieces as the engine wants, and
	// returns how many rows were changed in all. Outside a transaction it is not atomic.
	ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error)
	// QueryRows runs a query over the rows of a batch, in as many pieces as the engine wants; each is called once a row of the answer.
	QueryRows(ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any) error
	// Dialect tells the engines apart for the few clauses that only one of them has.
	Dialect() Dialect
	// AfterCommit has fn called once the transaction is committed, or may be: a connection that is lost at that moment does not tell. What only reads
	// commits nothing, and never calls it. fn must not wait, nor use the database.
	AfterCommit(fn func())
}

// Rows is an answer being read.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// Dialect is the short list of differences that a SQL text may need to know.
type Dialect struct {
	Engine string
	// ForUpdate locks the rows read until the end of the transaction. SQLite has one writer, so nothing needs it.
	ForUpdate string
	// ForKeyShare keeps the rows read from being deleted or locked for update until the end of the transaction.
	ForKeyShare string
	// SkipLocked, behind ForUpdate, passes over rows that somebody else has locked.
	SkipLocked string
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine engine
	name   string
	url    string
	log    *slog.Logger
	// broken is set once the storage gave an error after which nothing it says can be trusted.
	broken atomic.Pointer[error]
}

// engine is what SQLite and PostgreSQL each implement.
type engine interface {
	read(ctx context.Context, snapshot bool, fn func(Querier) error) error
	write(ctx context.Context, alone bool, fn func(Querier) error) error
	ping(ctx context.Context) error
	migrate(ctx context.Context) error
	close() error
}

// Open connects to the database that cfg names; it does not migrate. An engine that is too old is refused.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	db := &DB{url: cfg.URL, log: cfg.Log}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if scheme, _, found := strings.Cut(cfg.URL, "://"); found && scheme != "file" && !isPostgres(cfg.URL) {
		// Not the whole address: it may hold a password.
		return nil, fmt.Errorf("a database URL must begin with postgres://, not %s://; for SQLite give the path of the file", scheme)
	}
	var err error
	if isPostgres(cfg.URL) {
		db.name = Postgres
		db.engine, err = openPostgres(ctx, cfg)
	} else {
		db.name = SQLite
		db.engine, err = openSQLite(ctx, cfg)
	}
	if err != nil {
		return nil, fmt.Errorf("open the %s database: %w", db.name, classify(err))
	}
	return db, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Engine returns SQLite or Postgres.
func (db *DB) Engine() string { return db.name }

// Close ends all connections; on SQLite it folds the write-ahead log into the file first.
func (db *DB) Close() error { return db.engine.close() }

// Read gives fn a connection for reading; each statement sees what is committed when it starts.
func (db *DB) Read(ctx context.Context, fn func(Querier) error) error {
	return db.stopOnStorageFailure(classify(db.engine.read(ctx, false, fn)))
}

// Snapshot gives fn a connection on which all statements see one and the same state.
func (db *DB) Snapshot(ctx context.Context, fn func(Querier) error) error {
	return db.stopOnStorageFailure(classify(db.engine.read(ctx, true, fn)))
}

// Write runs fn in a transaction and returns when it is durable. fn may run more than once (a serialisation failure, or a
// neighbour's fault in a shared commit): it must start anew each time and touch nothing outside but what it overwrites.
// On SQLite, writes that wait at the same moment share one commit; none is acknowledged before it is on disk.
func (db *DB) Write(ctx context.Context, fn func(Querier) error) error {
	return db.doWrite(ctx, false, fn)
}

// WriteAlone is Write for long work: it shares its commit with nobody, so nobody waits for it in one.
func (db *DB) WriteAlone(ctx context.Context, fn func(Querier) error) error {
	return db.doWrite(ctx, true, fn)
}

func (db *DB) doWrite(ctx context.Context, alone bool, fn func(Querier) error) error {
	if cause := db.broken.Load(); cause != nil {
		return errBroken(*cause)
	}
	var after []func()
	err := db.stopOnStorageFailure(classify(db.engine.write(ctx, alone, func(q Querier) error {
		after = nil
		return fn(writeTx{q, &after})
	})))
	if err == nil || errors.Is(err, ErrUnknownOutcome) {
		for _, fn := range after {
			fn()
		}
	}
	return err
}

// writeTx is a connection in a transaction that is to be committed.
type writeTx struct {
	Querier
	after *[]func()
}

func (w writeTx) AfterCommit(fn func()) { *w.after = append(*w.after, fn) }

// Ping returns nil while the database answers and may be written to.
func (db *DB) Ping(ctx context.Context) error {
	if cause := db.broken.Load(); cause != nil {
		return errBroken(*cause)
	}
	return db.stopOnStorageFailure(classify(db.engine.ping(ctx)))
}

// stopOnStorageFailure stops all further writing once the storage has lied: a second try "could appear to succeed" with the data gone.
func (db *DB) stopOnStorageFailure(err error) error {
	if err != nil && isStorageFailure(err) && db.broken.CompareAndSwap(nil, &err) {
		db.log.Error("the storage failed; all writes are refused until a restart", "error", err)
	}
	return err
}

// QueryRow reads one row into dest, or returns ErrNoRows.
func QueryRow(ctx context.Context, q Querier, sql string, args []any, dest ...any) error {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNoRows
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// Each reads all rows of a query; fn scans one.
func Each(ctx context.Context, q Querier, sql string, args []any, fn func(Rows) error) error {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, fn)
}

func scanAll(rows Rows, fn func(Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}
