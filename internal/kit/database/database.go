package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/cache"
)

// The supported engines.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// ErrNoRows is returned by QueryRow when the query returns no row.
var ErrNoRows = errors.New("no rows")

// Config names the database to open.
type Config struct {
	// URL is a postgres:// URL, or the path of a SQLite file with or without the prefix file:.
	URL string
	// Readers is the number of read connections on SQLite, or of all connections on PostgreSQL; 0 means a default.
	Readers int
	// ListenURL is the postgres:// URL on which Notifiers connect; "" means URL. It is for a database behind a
	// connection pooler in transaction mode, which loses notifications.
	ListenURL string
	// ReplicaURL is the postgres:// URL of a standby for ReadReplica; "" means that there is none.
	ReplicaURL string
	// TimelineFile is where the timeline of a PostgreSQL primary is remembered, so that an old primary that comes back
	// after a failover is refused also after a restart; "" means that it is remembered until Close.
	TimelineFile string
	// KeepTimelineFile makes the file only be read: a command may run as a user whose files the server cannot read.
	KeepTimelineFile bool
	// Locked says that the caller holds the Lock of the SQLite file.
	Locked bool
	// Log receives messages for the operator, such as a disk failure; nil discards them.
	Log *slog.Logger
	// standby says that the server may be a standby.
	standby bool
}

// Querier runs SQL that is written once for both engines. Parameters are $1, $2, …; the word ROWS in a statement
// stands for the rows of a Batch, and LOOKUP (table alias WHERE condition) for the rows of a table that belong to each
// row of the tables before it.
//
// Arguments are nil, int, int64, float64, bool, string, []byte, driver.Valuer, or pointers to these; a nil pointer is
// NULL. Destinations are pointers to the same types, sql.Scanner, or pointers to pointers for columns that may be NULL.
type Querier interface {
	// Exec runs a statement and returns the number of changed rows.
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	// Query runs a statement that returns rows. The caller must close them before it runs the next statement.
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	// ExecRows runs a statement over the rows of a batch and returns the total number of changed rows. Large batches
	// are split into several statements, so outside a transaction it is not atomic.
	ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error)
	// QueryRows runs a query over the rows of a batch and calls the function each for every row of the result. Large
	// batches are split into several statements.
	QueryRows(ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any) error
	// QueryAll runs several such queries, on PostgreSQL in one round trip. A query with an empty batch is not run.
	QueryAll(ctx context.Context, queries ...BatchQuery) error
	// ExecLater runs a statement of which nobody needs the result, like ExecRows, or like Exec if batch is nil. In a
	// transaction on PostgreSQL it is sent with the next statement, or else before the commit, which saves a round
	// trip. Its error is then returned by the call that sends it, so it is not for statements that may violate a
	// constraint.
	ExecLater(ctx context.Context, sql string, batch *Batch, args ...any) error
	// Dialect returns the clauses that differ between the engines.
	Dialect() Dialect
	// AfterCommit registers fn to run after the transaction has committed. fn also runs when the outcome of the commit
	// is unknown because the connection was lost. It never runs for read transactions. fn must not block or use the
	// database.
	AfterCommit(fn func())
}

// Queryer runs queries. Its implementations are Querier, and types that add arguments of their own.
type Queryer interface {
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
}

// Rows is the result of a query, read row by row.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// Dialect holds the clauses that differ between the engines.
type Dialect struct {
	Engine string
	// ForUpdate locks the selected rows until the transaction ends. It is empty on SQLite, which has a single writer.
	ForUpdate string
	// ForKeyShare prevents the selected rows from being deleted or locked with FOR UPDATE until the transaction ends.
	ForKeyShare string
	// SkipLocked, placed after ForUpdate, skips rows that another transaction has locked.
	SkipLocked string
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine  engine
	replica *replica // nil if there is none
	name    string
	log     *slog.Logger
	// broken holds the first storage failure, such as an I/O error or a corrupt file. After such a failure the storage
	// cannot be trusted, and all writes are refused.
	broken atomic.Pointer[error]
	// beginTimeout is how long WriteSoon waits.
	beginTimeout time.Duration
	// migration has the settings of Migrate and SchemaStatus.
	migration migrateOptions
	// measured has the measurements of reads, snapshots and writes.
	measured [3]measurements
	// statementNames are the names of traced statements by their texts.
	statementNames *cache.Cache[string, statementName]
}

// engine is implemented by SQLite and by PostgreSQL.
type engine interface {
	read(ctx context.Context, p Priority, snapshot bool, fn func(Querier) error) error
	// write runs fn in a transaction. begin limits the wait until fn begins.
	write(ctx, begin context.Context, mode writeMode, fn func(Querier) error) error
	connectionLimits() connectionLimits
	// ping checks that the database can be written, if forWrite is true, or else that it can be read.
	ping(ctx context.Context, forWrite bool) error
	migrate(ctx context.Context, o migrateOptions, log *slog.Logger) error
	check(ctx context.Context, pragma string) error
	backup(ctx context.Context, path string) error
	stats() Stats
	close() error
}

// Open connects to the database. It does not migrate. It refuses a SQLite library that is too old.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	db := &DB{
		log:            cfg.Log,
		beginTimeout:   defaultBeginTimeout,
		migration:      defaultMigrateOptions,
		statementNames: cache.New(statementNamesBudget, statementNameSize),
	}
	for i, kind := range []Kind{ReadKind, SnapshotKind, WriteKind} {
		db.measured[i].kind = kind
	}

	if scheme, _, found := strings.Cut(cfg.URL, "://"); found && scheme != "file" && !isPostgres(cfg.URL) {
		// Print the scheme only: the URL may contain a password.
		return nil, fmt.Errorf(
			"a database URL must begin with postgres://, not %s://; for SQLite give the path of the file", scheme)
	}

	if cfg.ReplicaURL != "" {
		if !isPostgres(cfg.URL) || !isPostgres(cfg.ReplicaURL) {
			return nil, errors.New("a replica must be a postgres:// URL, beside a database that is one, too")
		}
		db.replica = &replica{url: cfg.ReplicaURL, log: db.log}
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
		return nil, fmt.Errorf("open the %s database: %w", db.name, classifyDatabaseError(err))
	}

	return db, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Engine returns SQLite or Postgres.
func (db *DB) Engine() string { return db.name }

// File returns the path of the SQLite file, or "" on PostgreSQL.
func (db *DB) File() string {
	if e, ok := db.engine.(*sqliteEngine); ok {
		return e.path
	}
	return ""
}

// PageCacheBytes returns how much memory the page caches of all connections may use. It is 0 on PostgreSQL, whose
// caches are not in this process.
func (db *DB) PageCacheBytes() int64 {
	if e, ok := db.engine.(*sqliteEngine); ok {
		return writePageCache + int64(e.readers)*readPageCache
	}
	return 0
}

// Close closes all connections. On SQLite it first checkpoints the write-ahead log into the database file.
func (db *DB) Close() error {
	db.replica.close()
	return db.engine.close()
}

// Read calls fn with a read-only connection. Each statement sees the state that was committed when it started.
func (db *DB) Read(ctx context.Context, fn func(Querier) error) error {
	return db.ReadWith(ctx, Normal, false, fn)
}

// Snapshot calls fn with a read-only connection on which all statements see the same state.
func (db *DB) Snapshot(ctx context.Context, fn func(Querier) error) error {
	return db.ReadWith(ctx, Normal, true, fn)
}

// ReadWith does the same as Read, or as Snapshot if snapshot is true, with a priority.
func (db *DB) ReadWith(ctx context.Context, p Priority, snapshot bool, fn func(Querier) error) error {
	m := &db.measured[0]
	if snapshot {
		m = &db.measured[1]
	}
	timer := m.begin()
	traced := db.traceTransaction(ctx, m.kind)
	err := db.stopOnStorageFailure(classifyDatabaseError(
		db.engine.read(ctx, p, snapshot, timer.wrap(traced.wrap(fn)))))
	timer.end(err)
	traced.end(err)
	return err
}

// Write runs fn in a transaction and returns when the transaction is durable. fn may run more than once, after a
// serialisation failure or after another write has caused the rollback of a shared transaction. So fn must start from
// scratch each time, and may change variables outside only by overwriting them. On SQLite, queued writes share one
// commit; none is acknowledged before the fsync.
func (db *DB) Write(ctx context.Context, fn func(Querier) error) error {
	return db.doWrite(ctx, ctx, writeMode{}, fn)
}

// WriteAlone is like Write but shares its commit with no other write. Use it for long transactions.
func (db *DB) WriteAlone(ctx context.Context, fn func(Querier) error) error {
	return db.doWrite(ctx, ctx, writeMode{alone: true}, fn)
}

// defaultBeginTimeout is how long WriteSoon waits. The batches of a push take less than a second.
const defaultBeginTimeout = 3 * time.Second

// WriteSoon is like Write, or like WriteAlone if alone is true, but gives up if the write cannot begin within a few
// seconds, because other writes take so long. It then returns fault.Unavailable, and fn does not run.
func (db *DB) WriteSoon(ctx context.Context, alone bool, fn func(Querier) error) error {
	begin, cancel := context.WithTimeout(ctx, db.beginTimeout)
	defer cancel()
	return db.doWrite(ctx, begin, writeMode{alone: alone}, fn)
}

func (db *DB) doWrite(ctx, begin context.Context, mode writeMode, fn func(Querier) error) error {
	if cause := db.broken.Load(); cause != nil {
		return errDatabaseUnusable(*cause)
	}

	var after []func()
	fn = withHook(ctx, fn)
	timer := db.measured[2].begin()
	traced := db.traceTransaction(ctx, WriteKind)
	err := db.stopOnStorageFailure(classifyDatabaseError(db.engine.write(ctx, begin, mode,
		timer.wrap(traced.wrap(func(q Querier) error {
			after = nil
			return fn(writeTx{q, &after})
		})))))
	timer.end(err)
	traced.end(err)
	if err == nil || errors.Is(err, ErrUnknownOutcome) {
		for _, fn := range after {
			fn()
		}
	}

	return err
}

// writeTx is the Querier of a write transaction. It collects the functions to run after the commit.
type writeTx struct {
	Querier
	after *[]func()
}

func (w writeTx) AfterCommit(fn func()) { *w.after = append(*w.after, fn) }

// Ping returns nil if the database can be reached and is not known to refuse writes.
func (db *DB) Ping(ctx context.Context) error {
	if cause := db.broken.Load(); cause != nil {
		return errDatabaseUnusable(*cause)
	}
	return db.stopOnStorageFailure(classifyDatabaseError(db.engine.ping(ctx, true)))
}

// PingRead returns nil if the database can be read. It may refuse writes: a standby, or a file after a storage failure.
func (db *DB) PingRead(ctx context.Context) error {
	return db.stopOnStorageFailure(classifyDatabaseError(db.engine.ping(ctx, false)))
}

// stopOnStorageFailure makes the database refuse all further writes if err is a storage failure. A failed write must
// not be retried: a second fsync may report success although the data is lost.
func (db *DB) stopOnStorageFailure(err error) error {
	if err != nil && isStorageFailure(err) && db.broken.CompareAndSwap(nil, &err) {
		db.log.Error("the storage failed; all writes are refused until a restart", "error", err)
	}
	return err
}

// QueryRow reads the first row of a query into dest. It returns ErrNoRows if the query returns no row.
func QueryRow(ctx context.Context, q Queryer, sql string, args []any, dest ...any) error {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), ErrNoRows)
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// QueryEach runs a query and calls fn once per row.
func QueryEach(ctx context.Context, q Queryer, sql string, args []any, fn func(Rows) error) error {
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
