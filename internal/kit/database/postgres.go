package database

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rowsPerArray is the maximum number of rows per unnest. With so many rows a round trip takes a small part of the time,
// and the arrays do not take much memory.
const rowsPerArray = 5000

// maxWriteTries is the maximum number of times that a transaction runs if it fails with a serialisation failure (40001)
// or a deadlock (40P01).
const maxWriteTries = 6

// endTimeout limits COMMIT and ROLLBACK, which ignore the caller's context, in case the server does not respond.
const endTimeout = 30 * time.Second

// errConnectionLost marks errors after which the connection was closed.
var errConnectionLost = errors.New("the connection was lost")

type postgresEngine struct {
	pool     *pgxpool.Pool
	limits   connectionLimits
	admin    *pgx.ConnConfig // of migrations, without settings of our own
	listener *pgx.ConnConfig // of Notifiers
	// pooled says that the server is a connection pooler, which may run each transaction in another session. begin is
	// then the text that sets up a transaction.
	pooled     bool
	begin      string
	endTimeout time.Duration
	standby    standbyWatch
	refusals   refusalWatch
}

func (e *postgresEngine) connectionLimits() connectionLimits { return e.limits }

// acquire takes a connection from the pool. Work of lower priority leaves connections to work of higher priority.
func (e *postgresEngine) acquire(ctx context.Context, p Priority) (*pgxpool.Conn, func(), error) {
	allow, err := e.limits.acquire(ctx, p, nil)
	if err != nil {
		return nil, nil, err
	}
	c, err := e.acquireConnection(ctx)
	if err != nil {
		allow()
		return nil, nil, acquireError(ctx, err)
	}
	return c, func() {
		c.Release()
		allow()
	}, nil
}

func (e *postgresEngine) read(ctx context.Context, p Priority, snapshot bool, fn func(Querier) error) error {
	allow, err := e.limits.acquire(ctx, p, nil)
	if err != nil {
		return err
	}
	defer allow()
	return e.readAllowed(ctx, snapshot, fn)
}

// readAllowed is read after limits has allowed a connection.
func (e *postgresEngine) readAllowed(ctx context.Context, snapshot bool, fn func(Querier) error) error {
	c, err := e.acquireConnection(ctx)
	if err != nil {
		return acquireError(ctx, err)
	}
	defer c.Release()
	if snapshot || e.pooled {
		return e.inTx(ctx, c, e.readOptions(snapshot), fn)
	}
	return e.markConnectionLost(ctx, c.Conn(), fn(postgresQuerier{q: c}))
}

func (e *postgresEngine) write(ctx, begin context.Context, mode writeMode, fn func(Querier) error) error {
	p := Normal
	if mode.alone {
		p = Long
	}
	for try := 1; ; try++ {
		wait := ctx
		if try == 1 {
			wait = begin // a transaction that is run again has begun in time
		}
		err := e.writeOnce(ctx, wait, p, fn)
		if err == nil || try == maxWriteTries || !isRetryable(err) || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Duration(rand.Int64N(int64(try) * int64(10*time.Millisecond))))
	}
}

func (e *postgresEngine) writeOnce(ctx, begin context.Context, p Priority, fn func(Querier) error) error {
	c, release, err := e.acquire(begin, p)
	if err != nil {
		return err
	}
	defer release()
	err = e.inTx(ctx, c, e.writeOptions(), fn)
	if isOnStandby(err) && e.standby.found() {
		e.pool.Reset()
	}
	return err
}

// isRetryable reports whether err is a serialisation failure or a deadlock. Only after these errors may the whole
// transaction run again.
func isRetryable(err error) bool {
	code := postgresCode(err)
	return code == "40001" || code == "40P01"
}

func (e *postgresEngine) inTx(
	ctx context.Context, c *pgxpool.Conn, opts pgx.TxOptions, fn func(Querier) error,
) error {
	conn := c.Conn()
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		return acquireError(ctx, e.markConnectionLost(ctx, conn, err))
	}

	// COMMIT and ROLLBACK ignore the cancellation of the caller's context: a cancelled COMMIT would leave the outcome
	// unknown.
	endTx := func(op func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.endTimeout)
		defer cancel()
		return op(ctx)
	}
	ended := false
	defer func() {
		// Roll back even after a panic: the connection must not return to the pool with an open transaction.
		if !ended {
			_ = endTx(tx.Rollback)
		}
	}()

	q := postgresQuerier{q: tx, later: &laterStatements{}}
	if err := fn(q); err != nil {
		return e.markConnectionLost(ctx, conn, err)
	}

	switch {
	case conn.IsClosed():
		return e.markConnectionLost(ctx, conn, errors.New("the connection was closed before the commit"))
	case conn.PgConn().IsBusy():
		return errRowsOpen
	}

	if err := endTx(q.flush); err != nil {
		return e.markConnectionLost(ctx, conn, err)
	}

	ended = true
	err = endTx(tx.Commit)
	if err != nil && opts.AccessMode != pgx.ReadOnly && isCommitInDoubt(err) {
		return errors.Join(ErrUnknownOutcome, e.markConnectionLost(ctx, conn, err))
	}

	return e.markConnectionLost(ctx, conn, err)
}

// isCommitInDoubt reports whether a COMMIT that returned an error may have succeeded. pgconn.SafeToRetry does not help:
// it claims that nothing was sent even if only the response was lost.
func isCommitInDoubt(err error) bool {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return false
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return true
	}
	// An ERROR is the response to the COMMIT. A FATAL error ends the session and may arrive after the commit, for
	// example at a shutdown while the server waits for a standby. The codes 08007 and 40003 mean that the server does
	// not know.
	return pgErr.SeverityUnlocalized == "FATAL" || pgErr.SeverityUnlocalized == "PANIC" || pgErr.Code == "08007" ||
		pgErr.Code == "40003"
}

// markConnectionLost marks an error after which the connection is closed, to distinguish lost connections from bugs. It
// also resets the pool: the cause has usually broken all other connections, too, and each would fail one more request.
// It does not reset the pool if the caller's context has ended, since then we closed the connection ourselves.
func (e *postgresEngine) markConnectionLost(ctx context.Context, c *pgx.Conn, err error) error {
	if err == nil || !c.IsClosed() {
		return err
	}
	if ctx.Err() == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		e.pool.Reset()
	}
	if postgresCode(err) != "" {
		return err
	}
	return errors.Join(err, errConnectionLost)
}

// acquireError marks an error of getting a connection from the pool with errConnectionLost.
func acquireError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, errConnectionLost) {
		return err
	}
	return errors.Join(err, errConnectionLost)
}

// ping begins a write transaction if forWrite is true, because a read-only standby would answer a plain query.
func (e *postgresEngine) ping(ctx context.Context, forWrite bool) error {
	query := func(q Querier) error {
		var one int
		return QueryRow(ctx, q, "SELECT 1", nil, &one)
	}
	if forWrite {
		return e.writeOnce(ctx, ctx, check, query)
	}
	return e.read(ctx, check, false, query)
}

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

// postgresQuerier runs statements in a transaction or on a connection.
type postgresQuerier struct {
	q interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
		SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	}
	later *laterStatements // nil outside transactions
}

func (p postgresQuerier) Dialect() Dialect {
	return Dialect{Engine: Postgres, ForUpdate: " FOR UPDATE", ForKeyShare: " FOR KEY SHARE",
		SkipLocked: " SKIP LOCKED"}
}

// AfterCommit does nothing, since a read has no commit. In write transactions, writeTx overrides it.
func (postgresQuerier) AfterCommit(func()) {}

func (p postgresQuerier) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	var tag pgconn.CommandTag
	var err error
	if text := toPostgresLookups(sql); p.hasLater() {
		tag, err = p.execAfter(ctx, text, args)
	} else {
		tag, err = p.q.Exec(ctx, text, args...)
	}
	if err != nil {
		return 0, fmt.Errorf("run %q: %w", shortenSQL(sql), err)
	}
	return tag.RowsAffected(), nil
}

func (p postgresQuerier) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	var rows Rows
	var err error
	if text := toPostgresLookups(sql); p.hasLater() {
		rows, err = p.queryAfter(ctx, text, args)
	} else {
		rows, err = p.q.Query(ctx, text, args...) //nolint:sqlclosecheck // the caller closes them
	}
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", shortenSQL(sql), err)
	}
	return rows, nil
}

func (p postgresQuerier) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	text := batch.expandUnnest(sql, len(args))
	var total int64
	for from := 0; from < batch.Len(); from += rowsPerArray {
		all, err := batch.arrayArgs(args, from)
		if err != nil {
			return total, err
		}
		n, err := p.Exec(ctx, text, all...)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (p postgresQuerier) QueryRows(
	ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any,
) error {
	text := batch.expandUnnest(sql, len(args))
	for from := 0; from < batch.Len(); from += rowsPerArray {
		all, err := batch.arrayArgs(args, from)
		if err != nil {
			return err
		}
		if err := QueryEach(ctx, p, text, all, each); err != nil {
			return err
		}
	}
	return nil
}

// arrayArgs returns args followed by one array per column. The arrays hold up to rowsPerArray rows, beginning with the
// row at index from.
func (b *Batch) arrayArgs(args []any, from int) ([]any, error) {
	all := append(make([]any, 0, len(args)+len(b.types)), args...)
	for c := range b.types {
		a, err := b.columnArray(c, from, min(from+rowsPerArray, b.Len()))
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}
