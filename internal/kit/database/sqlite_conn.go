package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// largeChunk is the maximum number of rows in one multi-row VALUES. Longer statements are not faster.
const largeChunk = 200

// mediumChunk and smallChunk are the numbers of rows in the statements for the rest of a batch.
const (
	mediumChunk = 40
	smallChunk  = 8
)

// maxParameters is SQLite's limit on the parameters of one statement.
const maxParameters = 32766

// maxStatements limits the cache of prepared statements per connection.
const maxStatements = 300

// errRowsOpen reports that the caller did not close the rows of the previous statement. It applies to both engines.
var errRowsOpen = errors.New("the rows of the previous statement are still open")

// sqliteConn is a connection with its cache of prepared statements. Only one goroutine may use it at a time.
type sqliteConn struct {
	*sqlite3.Conn
	statements map[statementKey]*sqlite3.Stmt
	// openRows is the result being read; nil if there is none.
	openRows *sqliteRows
	// memory is what memoryOf returned when the connection was last used. It is counted for read connections.
	memory int64
	// uninterrupted makes statements ignore the cancellation of their context.
	uninterrupted bool
	// yield ends when the write transaction must give way to other writes; nil if it need not.
	yield context.Context //nolint:containedctx // it belongs to the transaction, not to one statement
}

// statementKey is the key of a cached statement. rows is the number of batch rows in the statement.
type statementKey struct {
	sql  string
	rows int
}

func (c *sqliteConn) Dialect() Dialect { return Dialect{Engine: SQLite} }

// AfterCommit does nothing, since a read has no commit. Write transactions use writeTx.
func (*sqliteConn) AfterCommit(func()) {}

// prepare returns a statement and a function to release it. A statement for more than smallChunk rows is cached only if
// its number of rows is a chunk size: other statements are rarely used again, and would evict those that are.
func (c *sqliteConn) prepare(
	ctx context.Context, sql string, batch *Batch, args, rows int,
) (*sqlite3.Stmt, func(), error) {
	if c.openRows != nil {
		return nil, nil, fmt.Errorf("prepare %q: %w", shortenSQL(sql), errRowsOpen)
	}
	if c.yield != nil && c.yield.Err() != nil {
		return nil, nil, ErrYielded
	}

	if !c.uninterrupted {
		c.SetInterrupt(ctx) // the context of the previous statement may have ended
	}

	key := statementKey{sql, rows}
	if s, ok := c.statements[key]; ok {
		return s, func() {}, nil
	}

	text := toSQLiteLookups(toSQLiteParameters(sql))
	if batch != nil {
		text = batch.expandValues(text, args, rows)
	}

	s, _, err := c.Prepare(text)
	if err != nil {
		return nil, nil, statementError(ctx, "prepare", sql, err)
	}
	if batch != nil && rows != largeChunk && rows != mediumChunk && rows > smallChunk {
		return s, func() { _ = s.Close() }, nil
	}

	if len(c.statements) >= maxStatements {
		c.closeStatements()
	}

	c.statements[key] = s
	return s, func() {}, nil
}

func (c *sqliteConn) closeStatements() {
	for k, s := range c.statements {
		_ = s.Close()
		delete(c.statements, k)
	}
}

// closeRows closes the rows that a caller left open, and reports whether there were any.
func (c *sqliteConn) closeRows() bool {
	if c.openRows == nil {
		return false
	}
	c.openRows.Close()
	return true
}

// statementError adds the step and the statement to err. If the statement was interrupted, it also joins the error of
// the context.
func statementError(ctx context.Context, step, sql string, err error) error {
	if errors.Is(err, sqlite3.INTERRUPT) && ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return fmt.Errorf("%s %q: %w", step, shortenSQL(sql), err)
}

func (c *sqliteConn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return c.exec(ctx, sql, nil, 0, 0, args)
}

func (c *sqliteConn) exec(ctx context.Context, sql string, batch *Batch, from, to int, args []any) (int64, error) {
	s, release, err := c.prepare(ctx, sql, batch, len(args), to-from)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := bindSQLiteParameters(s, batch, from, to, args); err != nil {
		return 0, statementError(ctx, "bind", sql, err)
	}
	if err := s.Exec(); err != nil {
		return 0, statementError(ctx, "run", sql, err)
	}
	return c.Changes(), nil
}

func (c *sqliteConn) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return c.query(ctx, sql, nil, 0, 0, args)
}

func (c *sqliteConn) query(ctx context.Context, sql string, batch *Batch, from, to int, args []any) (Rows, error) {
	s, release, err := c.prepare(ctx, sql, batch, len(args), to-from)
	if err != nil {
		return nil, err
	}
	if err := bindSQLiteParameters(s, batch, from, to, args); err != nil {
		release()
		return nil, statementError(ctx, "bind", sql, err)
	}
	c.openRows = &sqliteRows{c: c, s: s, release: release, ctx: ctx, sql: sql}
	return c.openRows, nil
}

func (c *sqliteConn) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	var total int64
	err := forEachChunk(batch, len(args), func(from, to int) error {
		n, err := c.exec(ctx, sql, batch, from, to, args)
		total += n
		return err
	})
	return total, err
}

func (c *sqliteConn) QueryRows(
	ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any,
) error {
	return forEachChunk(batch, len(args), func(from, to int) error {
		rows, err := c.query(ctx, sql, batch, from, to, args)
		if err != nil {
			return err
		}
		return scanAll(rows, each)
	})
}

// forEachChunk splits a batch into chunks of a few fixed sizes, whose statements are cached: preparing a statement for
// a hundred rows takes longer than running it.
func forEachChunk(batch *Batch, args int, fn func(from, to int) error) error {
	limit := max(1, min(largeChunk, (maxParameters-args)/max(1, len(batch.types))))
	for from := 0; from < batch.Len(); {
		size := batch.Len() - from
		switch {
		case size >= limit:
			size = limit
		case size > mediumChunk:
			size = mediumChunk
		case size > smallChunk:
			size = smallChunk
		}

		if err := fn(from, from+size); err != nil {
			return err
		}

		from += size
	}

	return nil
}

func bindSQLiteParameters(s *sqlite3.Stmt, batch *Batch, from, to int, args []any) error {
	for i, a := range args {
		if err := bindParameter(s, i+1, a); err != nil {
			return err
		}
	}

	p := len(args)
	for r := from; r < to; r++ {
		for _, column := range batch.columns {
			p++
			if err := bindParameter(s, p, column[r]); err != nil {
				return err
			}
		}
	}

	// SQLite would treat unbound parameters as NULL without an error.
	if want := s.BindCount(); want > p {
		return fmt.Errorf("%d arguments for %d parameters", p, want)
	}

	return nil
}

func bindParameter(s *sqlite3.Stmt, param int, v any) error {
	switch v := v.(type) {
	case nil:
		return s.BindNull(param)
	case int64:
		return s.BindInt64(param, v)
	case int:
		return s.BindInt64(param, int64(v))
	case string:
		return s.BindText(param, v)
	case bool:
		return s.BindBool(param, v)
	case float64:
		return s.BindFloat(param, v)
	case []byte:
		if v == nil {
			return s.BindNull(param)
		}
		return s.BindBlob(param, v)
	}

	plain, err := plainValue(v)
	if err != nil {
		return err
	}

	if u, ok := plain.(uuid); ok {
		b := u.Bytes()
		return s.BindBlob(param, b[:])
	}

	return bindParameter(s, param, plain)
}

// sqliteRows is the result of one statement.
type sqliteRows struct {
	c       *sqliteConn
	s       *sqlite3.Stmt
	release func()
	ctx     context.Context
	sql     string
	err     error
	closed  bool
}

// Next closes the rows after the last row: another call of Step would run the statement again.
func (r *sqliteRows) Next() bool {
	if r.closed {
		return false
	}
	if r.s.Step() {
		return true
	}
	if err := r.s.Err(); err != nil {
		r.err = statementError(r.ctx, "run", r.sql, err)
	}
	r.Close()
	return false
}

func (r *sqliteRows) Err() error { return r.err }

// Close resets the statement. If the reset fails, Err returns the error.
func (r *sqliteRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.c.openRows = nil
	if err := r.s.Reset(); err != nil && r.err == nil {
		r.err = statementError(r.ctx, "run", r.sql, err)
	}
	r.release()
}

func (r *sqliteRows) Scan(dest ...any) error {
	if r.closed {
		return errors.New("Scan was called without a row")
	}
	if n := r.s.ColumnCount(); n != len(dest) {
		return fmt.Errorf("%d destinations for %d columns of %q", len(dest), n, shortenSQL(r.sql))
	}
	for i, d := range dest {
		if err := scanColumn(r.s, i, d); err != nil {
			return fmt.Errorf("column %d of %q: %w", i, shortenSQL(r.sql), err)
		}
	}
	return nil
}

func scanColumn(s *sqlite3.Stmt, col int, dest any) error {
	zero := false
	switch d := dest.(type) {
	case *int64:
		*d = s.ColumnInt64(col)
		zero = *d == 0
	case *int:
		*d = int(s.ColumnInt64(col))
		zero = *d == 0
	case *string:
		*d = s.ColumnText(col)
		zero = *d == ""
	case *bool:
		*d = s.ColumnBool(col)
		zero = !*d
	case *float64:
		*d = s.ColumnFloat(col)
		zero = *d == 0
	case *[]byte:
		*d = columnBytes(s, col)
	case *timeColumn:
		micros := s.ColumnInt64(col)
		*d = timeColumn(time.UnixMicro(micros).UTC())
		zero = micros == 0
	case sql.Scanner:
		return d.Scan(columnValue(s, col))
	default:
		return scanPointer(s, col, dest)
	}

	// SQLite returns NULL as a zero value, so the column type must be checked for zero values only.
	if zero && s.ColumnType(col) == sqlite3.NULL {
		return fmt.Errorf("cannot read NULL into %T", dest)
	}

	return nil
}

// columnBytes returns nil for NULL, and an empty slice for an empty blob.
func columnBytes(s *sqlite3.Stmt, col int) []byte {
	if s.ColumnType(col) == sqlite3.NULL {
		return nil
	}
	return s.ColumnBlob(col, []byte{})
}

func columnValue(s *sqlite3.Stmt, col int) any {
	switch s.ColumnType(col) {
	case sqlite3.NULL:
		return nil
	case sqlite3.INTEGER:
		return s.ColumnInt64(col)
	case sqlite3.FLOAT:
		return s.ColumnFloat(col)
	case sqlite3.TEXT:
		return s.ColumnText(col)
	default:
		return columnBytes(s, col)
	}
}

// scanPointer scans into a pointer to a pointer: nil for NULL, else a pointer to a new value.
func scanPointer(s *sqlite3.Stmt, col int, dest any) error {
	d := reflect.ValueOf(dest)
	if d.Kind() != reflect.Pointer || d.IsNil() || d.Elem().Kind() != reflect.Pointer {
		return fmt.Errorf("cannot read into %T", dest)
	}
	if s.ColumnType(col) == sqlite3.NULL {
		d.Elem().SetZero()
		return nil
	}
	value := reflect.New(d.Elem().Type().Elem())
	if err := scanColumn(s, col, value.Interface()); err != nil {
		return err
	}
	d.Elem().Set(value)
	return nil
}

// shortenSQL limits the length of a statement in error texts. Statements contain no user data.
func shortenSQL(sql string) string {
	if len(sql) > 120 {
		return sql[:120] + "…"
	}
	return sql
}
