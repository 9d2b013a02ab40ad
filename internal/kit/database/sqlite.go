package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// oldestSQLite is the oldest accepted release. In 3.7.0 to 3.51.2 a checkpoint that runs during a write can corrupt the
// write-ahead log. Release 3.52.0 was withdrawn.
const oldestSQLite = "3.51.3"

// readPageCache and writePageCache are the sizes in bytes of the page caches of a read connection and of the write
// connection.
const (
	readPageCache  = 2000 << 10
	writePageCache = 16000 << 10
)

// sqliteEngine has one write connection, used by a goroutine of its own, and several read connections.
type sqliteEngine struct {
	path        string
	locked      bool             // the caller holds the Lock of the file
	vfs         string           // the name of the VFS of its connections
	readers     int              // the number of read connections
	idleReaders chan *sqliteConn // those that are not in use
	readMemory  atomic.Int64     // the memory of the read connections, as of their last use
	limits      connectionLimits // of the read connections
	writer      *sqliteWriter
	// closed is closed when shutdown starts. Callers then stop waiting for a read connection, since shutdown takes all
	// of them.
	closed chan struct{}
	// closeOnce calls shutdown on the first call, and returns the same error on later calls.
	closeOnce func() error
}

func openSQLite(ctx context.Context, cfg Config) (engine, error) {
	path, _ := SQLiteFile(cfg.URL)
	if path == "" {
		return nil, fmt.Errorf("no database file is given; set --data to a directory or --database to a path")
	}

	n := cfg.Readers
	if n <= 0 {
		n = 2*runtime.GOMAXPROCS(0) + 4
	}

	e := &sqliteEngine{path: path, locked: cfg.Locked, idleReaders: make(chan *sqliteConn, n),
		limits: newConnectionLimits(n),
		vfs:    registerTempVFS(filepath.Dir(path)), closed: make(chan struct{})}
	e.closeOnce = sync.OnceValue(e.shutdown)

	if err := createPrivateFile(path); err != nil {
		return nil, err
	}

	w, err := e.connect(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := checkSQLiteVersion(ctx, w); err != nil {
		return nil, errors.Join(err, w.shutdown())
	}

	for range n {
		r, err := e.connect(ctx, true)
		if err != nil {
			return nil, errors.Join(err, w.shutdown(), e.closeReaders())
		}
		e.readers++
		e.returnReader(r)
	}

	if err := makePrivate(path); err != nil && cfg.Log != nil {
		cfg.Log.WarnContext(ctx, "could not make the database files private", "error", err)
	}

	e.writer = newSQLiteWriter(w)
	return e, nil
}

// connect opens a connection. All settings are part of the DSN, so that no reconnect can miss one.
func (e *sqliteEngine) connect(ctx context.Context, readOnly bool) (*sqliteConn, error) {
	pragmas := []string{
		"busy_timeout(5000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "trusted_schema(off)",
		"cell_size_check(on)", "mmap_size(0)", "journal_size_limit(67108864)",
	}
	if readOnly {
		// A sort or a temporary table larger than the page cache goes to a file. In memory it would grow with the rows
		// that a request makes the database read.
		pragmas = append(pragmas, "query_only(on)", fmt.Sprintf("cache_size(-%d)", readPageCache>>10),
			"temp_store(file)")
	} else {
		// Checkpoint every 8000 pages (31 MiB): a push changes the same index pages many times, and a checkpoint writes
		// each of them once. Savepoints are kept in memory; a write has a bounded number of rows.
		pragmas = append(pragmas, fmt.Sprintf("cache_size(-%d)", writePageCache>>10), "wal_autocheckpoint(8000)",
			"temp_store(memory)")
	}

	dsn, err := e.dsn(url.Values{"_pragma": pragmas})
	if err != nil {
		return nil, err
	}
	c, err := openWithRetry(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.path, err)
	}

	// Enable the query planner stability guarantee. Without it the planner inspects the values bound to LIKE and LIMIT,
	// and prepares the statement again for each execution.
	if _, err := c.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true); err != nil {
		return nil, errors.Join(err, c.Close())
	}

	return &sqliteConn{Conn: c, statements: map[statementKey]*sqlite3.Stmt{}}, nil
}

// openWithRetry opens a connection and retries while the file is busy. Switching a new file to WAL mode ignores
// busy_timeout and fails at once if another connection is opening the file.
func openWithRetry(ctx context.Context, dsn string) (*sqlite3.Conn, error) {
	const maxTries, pause = 50, 100 * time.Millisecond
	for try := 1; ; try++ {
		c, err := sqlite3.OpenContext(ctx, dsn)
		if err == nil || try == maxTries || ctx.Err() != nil || !errors.Is(err, sqlite3.BUSY) {
			return c, err
		}
		time.Sleep(pause)
	}
}

// dsn returns the file: URI of the database with the given settings. The path is escaped, since a directory may be
// called "50% #1?".
func (e *sqliteEngine) dsn(settings url.Values) (string, error) {
	abs, err := filepath.Abs(e.path)
	if err != nil {
		return "", err
	}
	settings.Set("vfs", e.vfs)
	return "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + settings.Encode(), nil
}

func checkSQLiteVersion(ctx context.Context, c *sqliteConn) error {
	var version string
	if err := QueryRow(ctx, c, "SELECT sqlite_version()", nil, &version); err != nil {
		return err
	}
	if olderVersion(version, oldestSQLite) {
		return fmt.Errorf("SQLite %s can corrupt its write-ahead log; %s or newer is required", version, oldestSQLite)
	}
	return nil
}

// olderVersion reports whether version a is older than b. It compares dotted numbers.
func olderVersion(a, b string) bool {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return cmp.Compare(x, y)
	}) < 0
}

func (e *sqliteEngine) connectionLimits() connectionLimits { return e.limits }

func (e *sqliteEngine) read(ctx context.Context, p Priority, snapshot bool, fn func(Querier) error) (err error) {
	release, err := e.limits.acquire(ctx, p, e.closed)
	if err != nil {
		return err
	}
	defer release()

	var c *sqliteConn
	select {
	case c = <-e.idleReaders:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.closed:
		return errClosed
	}

	// An open statement would keep its read transaction, and the next user of the connection would see old data.
	defer func() {
		c.closeRows()
		c.SetInterrupt(context.Background())
		e.returnReader(c)
	}()

	if !snapshot {
		return fn(c)
	}
	if _, err := c.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer func() {
		c.closeRows()
		_, end := c.Exec(context.Background(), "COMMIT")
		err = cmp.Or(err, end)
	}()

	return fn(c)
}

func (e *sqliteEngine) write(_, begin context.Context, mode writeMode, fn func(Querier) error) error {
	return e.writer.submit(begin, mode, fn)
}

// ping only reads, on a connection that other reads leave free. It does not wait for the writer, which may be busy with
// a long write. Storage failures of writes are recorded in DB.broken.
func (e *sqliteEngine) ping(ctx context.Context, _ bool) error {
	return e.read(ctx, check, false, func(q Querier) error {
		var version int
		return QueryRow(ctx, q, "PRAGMA schema_version", nil, &version)
	})
}

func (e *sqliteEngine) close() error { return e.closeOnce() }

func (e *sqliteEngine) shutdown() error {
	close(e.closed)
	return errors.Join(e.closeReaders(), e.writer.close())
}

// closeReaders waits until each read connection is returned, and closes it.
func (e *sqliteEngine) closeReaders() (err error) {
	for range e.readers {
		err = errors.Join(err, (<-e.idleReaders).shutdown())
	}
	return err
}

func (c *sqliteConn) shutdown() error {
	c.SetInterrupt(context.Background())
	c.closeStatements()
	return c.Close()
}
