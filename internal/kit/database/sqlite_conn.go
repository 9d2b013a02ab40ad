package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"github.com/ncruces/go-sqlite3"
)

// largeChunk is how many rows a multi-row VALUES takes: past some 200 a statement gains nothing more.
const largeChunk = 200

// mediumChunk and smallChunk are how many the statements take that what is left over is cut into.
const (
	mediumChunk = 40
	smallChunk  = 8
)

// maxParameters is SQLite's limit of parameters in one statement.
const maxParameters = 32766

// maxStatements bounds the statements a connection keeps prepared.
const maxStatements = 300

// errRowsOpen says that a caller did not close the rows of the statement before; PostgreSQL's connection refuses that too.
var errRowsOpen = errors.New("the rows of the previous statement are still open")

// sqliteConn is one connection with its prepared statements. One goroutine uses it at a time.
type sqliteConn struct {
	*sqlite3.Conn
	statements map[statementKey]*sqlite3.Stmt
	// openRows is the answer that is being read, nil for none.
	openRows *sqliteRows
}

// statementKey names a prepared statement; rows is how many rows of a batch its text was made for.
type statementKey struct {
	sql  string
	rows int
}

func (c *sqliteConn) Dialect() Dialect { return Dialect{Engine: SQLite} }

// AfterCommit is not for what only reads; see writing.
func (*sqliteConn) AfterCommit(func()) {}

// prepare returns a statement and what to call when it is no longer needed. Statements over an odd number of
// rows are not kept: they would push out the ones that come back.
func (c *sqliteConn) prepare(ctx context.Context, sql string, batch *Batch, args, rows int) (*sqlite3.Stmt, func(), error) {
	if c.openRows != nil {
		return nil, nil, fmt.Errorf("prepare %q: %w", shorten(sql), errRowsOpen)
	}
	// First of all: the context of the statement before may have ended since.
	c.SetInterrupt(ctx)
	key := statementKey{sql, rows}
	if s, ok := c.statements[key]; ok {
		return s, func() {}, nil
	}
	var text string
	if batch == nil {
		text = toSQLiteParameters(sql)
	} else {
		text = batch.expandValues(sql, args, rows)
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

// closeRows closes the answer that a caller left open, and reports whether one did.
func (c *sqliteConn) closeRows() bool {
	if c.openRows == nil {
		return false
	}
	c.openRows.Close()
	return true
}

// statementError adds what was run; an interruption is told as what it came from, the end of the context.
func statementError(ctx context.Context, step, sql string, err error) error {
	if errors.Is(err, sqlite3.INTERRUPT) && ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return fmt.Errorf("%s %q: %w", step, shorten(sql), err)
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
	if err := bind(s, batch, from, to, args); err != nil {
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
	if err := bind(s, batch, from, to, args); err != nil {
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

func (c *sqliteConn) QueryRows(ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any) error {
	return forEachChunk(batch, len(args), func(from, to int) error {
		rows, err := c.query(ctx, sql, batch, from, to, args)
		if err != nil {
			return err
		}
		return scanAll(rows, each)
	})
}

// forEachChunk cuts a batch into numbers of rows whose statements are kept: to prepare one for a hundred rows takes longer than to run it.
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

func bind(s *sqlite3.Stmt, batch *Batch, from, to int, args []any) error {
	for i, a := range args {
		if err := bindOne(s, i+1, a); err != nil {
			return err
		}
	}
	p := len(args)
	for r := from; r < to; r++ {
		for _, column := range batch.columns {
			p++
			if err := bindOne(s, p, column[r]); err != nil {
				return err
			}
		}
	}
	// What is not bound would be NULL, and nobody would be told.
	if want := s.BindCount(); want > p {
		return fmt.Errorf("%d arguments for %d parameters", p, want)
	}
	return nil
}

func bindOne(s *sqlite3.Stmt, param int, v any) error {
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
	return bindOne(s, param, plain)
}

// sqliteRows reads the answer of one statement.
type sqliteRows struct {
	c       *sqliteConn
	s       *sqlite3.Stmt
	release func()
	ctx     context.Context
	sql     string
	err     error
	closed  bool
}

// Next closes the rows at their end: to step once more would run the statement again.
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

// Close ends the statement, which may still fail then.
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
		return fmt.Errorf("%d destinations for %d columns of %q", len(dest), n, shorten(r.sql))
	}
	for i, d := range dest {
		if err := scanOne(r.s, i, d); err != nil {
			return fmt.Errorf("column %d of %q: %w", i, shorten(r.sql), err)
		}
	}
	return nil
}

func scanOne(s *sqlite3.Stmt, col int, dest any) error {
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
	case sql.Scanner:
		return d.Scan(columnValue(s, col))
	default:
		return scanPointer(s, col, dest)
	}
	// SQLite gives NULL as a zero; that it was one is asked for zeros only.
	if zero && s.ColumnType(col) == sqlite3.NULL {
		return fmt.Errorf("cannot read NULL into %T", dest)
	}
	return nil
}

// columnBytes tells NULL, which is nil, from a blob without bytes.
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

// scanPointer reads into a pointer to a pointer: nil for NULL, else a new value.
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
	if err := scanOne(s, col, value.Interface()); err != nil {
		return err
	}
	d.Elem().Set(value)
	return nil
}

// shorten keeps an error's text readable; the statements are ours and hold no user's data.
func shorten(sql string) string {
	if len(sql) > 120 {
		return sql[:120] + "…"
	}
	return sql
}
