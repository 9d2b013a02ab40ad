package database

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// rowsPerStatement is how many rows a multi-row VALUES takes: past some 200 a statement gains nothing more.
const rowsPerStatement = 200

// maxParameters is SQLite's limit of parameters in one statement.
const maxParameters = 32766

// maxStatements bounds the statements a connection keeps prepared.
const maxStatements = 200

// sqliteConn is one connection with its prepared statements. One goroutine uses it at a time.
type sqliteConn struct {
	*sqlite3.Conn
	statements map[statementKey]*sqlite3.Stmt
}

// statementKey names a prepared statement; rows is how many rows of a batch its text was made for.
type statementKey struct {
	sql  string
	rows int
}

func (c *sqliteConn) Dialect() Dialect { return Dialect{Engine: SQLite} }

// prepare returns a statement and what to call when it is no longer needed. Statements over an odd number of
// rows are not kept: they would push out the ones that come back.
func (c *sqliteConn) prepare(sql string, batch *Batch, args, rows int) (*sqlite3.Stmt, func(), error) {
	key := statementKey{sql, rows}
	if s, ok := c.statements[key]; ok && !s.Busy() {
		return s, func() {}, nil
	}
	text := ""
	if batch == nil {
		text = numbered(sql)
	} else {
		text = batch.valuesText(sql, args, rows)
	}
	s, _, err := c.Prepare(text)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare %q: %w", shorten(sql), err)
	}
	_, busy := c.statements[key]
	if busy || (batch != nil && rows != rowsPerStatement && rows > 8) {
		return s, func() { _ = s.Close() }, nil
	}
	if len(c.statements) >= maxStatements {
		c.forgetStatements()
	}
	c.statements[key] = s
	return s, func() {}, nil
}

func (c *sqliteConn) forgetStatements() {
	for k, s := range c.statements {
		if !s.Busy() {
			_ = s.Close()
			delete(c.statements, k)
		}
	}
}

func (c *sqliteConn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return c.exec(ctx, sql, nil, 0, 0, args)
}

func (c *sqliteConn) exec(ctx context.Context, sql string, batch *Batch, from, to int, args []any) (int64, error) {
	s, done, err := c.prepare(sql, batch, len(args), to-from)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := bind(s, batch, from, to, args); err != nil {
		return 0, err
	}
	c.SetInterrupt(ctx)
	if err := s.Exec(); err != nil {
		return 0, fmt.Errorf("run %q: %w", shorten(sql), err)
	}
	return c.Changes(), nil
}

func (c *sqliteConn) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return c.query(ctx, sql, nil, 0, 0, args)
}

func (c *sqliteConn) query(ctx context.Context, sql string, batch *Batch, from, to int, args []any) (Rows, error) {
	s, done, err := c.prepare(sql, batch, len(args), to-from)
	if err != nil {
		return nil, err
	}
	if err := bind(s, batch, from, to, args); err != nil {
		done()
		return nil, err
	}
	c.SetInterrupt(ctx)
	return &sqliteRows{s: s, done: done, sql: sql}, nil
}

func (c *sqliteConn) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	var total int64
	err := pieces(batch, len(args), func(from, to int) error {
		n, err := c.exec(ctx, sql, batch, from, to, args)
		total += n
		return err
	})
	return total, err
}

func (c *sqliteConn) QueryRows(ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any) error {
	return pieces(batch, len(args), func(from, to int) error {
		rows, err := c.query(ctx, sql, batch, from, to, args)
		if err != nil {
			return err
		}
		return drain(rows, each)
	})
}

func pieces(batch *Batch, args int, fn func(from, to int) error) error {
	size := min(rowsPerStatement, (maxParameters-args)/len(batch.kinds))
	for from := 0; from < batch.Len(); from += size {
		if err := fn(from, min(from+size, batch.Len())); err != nil {
			return err
		}
	}
	return nil
}

func bind(s *sqlite3.Stmt, batch *Batch, from, to int, args []any) error {
	for i, a := range args {
		if err := bindOne(s, i+1, a); err != nil {
			return err
		}
	}
	if batch == nil {
		return nil
	}
	p := len(args)
	for r := from; r < to; r++ {
		for _, column := range batch.cells {
			p++
			if err := bindOne(s, p, column[r]); err != nil {
				return err
			}
		}
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
		return s.BindBlob(param, v)
	case interface{ Bytes() [16]byte }:
		b := v.Bytes()
		return s.BindBlob(param, b[:])
	}
	plain, err := plainValue(v)
	if err != nil {
		return err
	}
	return bindOne(s, param, plain)
}

// sqliteRows reads the answer of one statement.
type sqliteRows struct {
	s      *sqlite3.Stmt
	done   func()
	sql    string
	err    error
	closed bool
}

func (r *sqliteRows) Next() bool {
	if r.closed {
		return false
	}
	if r.s.Step() {
		return true
	}
	if err := r.s.Err(); err != nil && r.err == nil {
		r.err = fmt.Errorf("run %q: %w", shorten(r.sql), err)
	}
	return false
}

func (r *sqliteRows) Err() error { return r.err }

func (r *sqliteRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	// The error of Reset is the one that Step gave already.
	_ = r.s.Reset()
	r.done()
}

func (r *sqliteRows) Scan(dest ...any) error {
	for i, d := range dest {
		if err := scanOne(r.s, i, d); err != nil {
			return fmt.Errorf("column %d of %q: %w", i, shorten(r.sql), err)
		}
	}
	return nil
}

func scanOne(s *sqlite3.Stmt, col int, dest any) error {
	switch d := dest.(type) {
	case *int64:
		*d = s.ColumnInt64(col)
	case *int:
		*d = int(s.ColumnInt64(col))
	case *string:
		*d = s.ColumnText(col)
	case *bool:
		*d = s.ColumnBool(col)
	case *float64:
		*d = s.ColumnFloat(col)
	case *[]byte:
		*d = s.ColumnBlob(col, nil)
	case **int64:
		*d = nullable(s, col, s.ColumnInt64)
	case **string:
		*d = nullable(s, col, s.ColumnText)
	case **float64:
		*d = nullable(s, col, s.ColumnFloat)
	case sql.Scanner:
		switch s.ColumnType(col) {
		case sqlite3.NULL:
			return d.Scan(nil)
		case sqlite3.INTEGER:
			return d.Scan(s.ColumnInt64(col))
		case sqlite3.TEXT:
			return d.Scan(s.ColumnText(col))
		default:
			return d.Scan(s.ColumnRawBlob(col))
		}
	default:
		return fmt.Errorf("cannot read into %T", dest)
	}
	return nil
}

func nullable[T any](s *sqlite3.Stmt, col int, read func(int) T) *T {
	if s.ColumnType(col) == sqlite3.NULL {
		return nil
	}
	v := read(col)
	return &v
}

// shorten keeps an error's text readable; the statements are ours and hold no user's data.
func shorten(sql string) string {
	if len(sql) > 120 {
		return sql[:120] + "…"
	}
	return sql
}
