package database

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// ColumnType is the type of a column of a Batch, by its PostgreSQL name.
type ColumnType string

// The column types of a batch.
const (
	UUID   ColumnType = "uuid"
	Text   ColumnType = "text"
	BigInt ColumnType = "bigint"
	Double ColumnType = "double precision"
	Bytes  ColumnType = "bytea"
	Bool   ColumnType = "boolean"
)

// rowsPlaceholder is the word in a statement that is replaced by the rows of a batch:
//
//	WITH r(id, name) AS (ROWS) INSERT INTO t (id, name) SELECT id, name FROM r
const rowsPlaceholder = "ROWS"

// Batch holds the rows of values that a statement processes. They become a multi-row VALUES on SQLite and an unnest of
// arrays on PostgreSQL.
type Batch struct {
	types   []ColumnType
	columns [][]any // columns[c][r] is the value in row r
}

// NewBatch returns an empty batch with columns of the given types.
func NewBatch(types ...ColumnType) *Batch {
	return &Batch{types: types, columns: make([][]any, len(types))}
}

// Add appends a row. It takes one value per column; nil means NULL. It panics on a wrong number of values.
func (b *Batch) Add(values ...any) {
	if len(values) != len(b.types) {
		panic(fmt.Sprintf("database: a row of %d values was added to a batch of %d columns", len(values), len(b.types)))
	}
	for i, v := range values {
		b.columns[i] = append(b.columns[i], v)
	}
}

// Len returns the number of rows.
func (b *Batch) Len() int {
	if len(b.columns) == 0 {
		return 0
	}
	return len(b.columns[0])
}

// Reset removes all rows but keeps the allocated memory.
func (b *Batch) Reset() {
	for i := range b.columns {
		clear(b.columns[i])
		b.columns[i] = b.columns[i][:0]
	}
}

// expandValues returns a SQLite statement with a VALUES clause of n rows. args is the number of the other parameters of
// the statement, which are numbered first.
func (b *Batch) expandValues(sql string, args, n int) string {
	rows := make([]string, n)
	cells := make([]string, len(b.types))
	for r := range rows {
		for c := range cells {
			args++
			cells[c] = "?" + strconv.Itoa(args)
		}
		rows[r] = "(" + strings.Join(cells, ",") + ")"
	}
	return strings.Replace(sql, rowsPlaceholder, "VALUES "+strings.Join(rows, ","), 1)
}

// expandUnnest returns a PostgreSQL statement with one array parameter per column. The statement does not depend on the
// number of rows, so it is prepared only once.
func (b *Batch) expandUnnest(sql string, args int) string {
	arrays := make([]string, len(b.types))
	for c, column := range b.types {
		arrays[c] = "$" + strconv.Itoa(args+c+1) + "::" + string(column) + "[]"
	}
	return strings.Replace(sql, rowsPlaceholder, "SELECT * FROM unnest("+strings.Join(arrays, ",")+")", 1)
}

// columnArray returns the half-open range [from, to) of the rows of a column as a typed slice. The elements are
// pointers only if there is a NULL among them.
func (b *Batch) columnArray(col, from, to int) (any, error) {
	cells := b.columns[col][from:to]
	switch b.types[col] {
	case UUID:
		return typedSlice(cells, func(v any) ([16]byte, bool) {
			u, ok := v.(uuid)
			if !ok {
				return [16]byte{}, false
			}
			return u.Bytes(), true
		})
	case Text:
		return typedSlice(cells, castTo[string])
	case BigInt:
		return typedSlice(cells, castTo[int64])
	case Double:
		return typedSlice(cells, castTo[float64])
	case Bytes:
		return typedSlice(cells, castTo[[]byte])
	case Bool:
		return typedSlice(cells, castTo[bool])
	}

	return nil, fmt.Errorf("unknown batch column type %q", b.types[col])
}

func castTo[T any](v any) (T, bool) {
	t, ok := v.(T)
	return t, ok
}

func typedSlice[T any](cells []any, convert func(any) (T, bool)) (any, error) {
	plain := make([]T, len(cells))
	nullable := make([]*T, len(cells))
	hasNull := false
	for i, c := range cells {
		c, err := plainValue(c)
		if err != nil {
			return nil, err
		}

		if c == nil {
			hasNull = true
			continue
		}

		v, ok := convert(c)
		if !ok {
			return nil, fmt.Errorf("a batch value of type %T does not match its column type", c)
		}

		plain[i], nullable[i] = v, &plain[i]
	}

	if hasNull {
		return nullable, nil
	}

	return plain, nil
}

// uuid is implemented by the identifiers of package id.
type uuid interface{ Bytes() [16]byte }

// plainValue converts v to a value that both drivers accept. It dereferences pointers and returns ids unchanged.
func plainValue(v any) (any, error) {
	switch p := v.(type) {
	case nil, string, int64, float64, bool:
		return v, nil
	case []byte:
		if p == nil {
			return nil, nil
		}
		return p, nil
	case *string:
		return deref(p), nil
	case *int64:
		return deref(p), nil
	case *float64:
		return deref(p), nil
	case int:
		return int64(p), nil
	}

	// A method with a value receiver can be called through a pointer, but a nil pointer would panic.
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, nil
	}

	switch p := v.(type) {
	case uuid:
		return v, nil
	case driver.Valuer:
		return p.Value()
	}

	if r.Kind() == reflect.Pointer {
		return plainValue(r.Elem().Interface())
	}

	return nil, fmt.Errorf("a value of type %T cannot be stored", v)
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// toSQLiteParameters replaces $n by ?n. SQLite numbers $n parameters by first appearance, so that SELECT $2, $1 would
// swap the arguments. Statements are our own and contain no dollar sign in a literal.
func toSQLiteParameters(sql string) string {
	return strings.ReplaceAll(sql, "$", "?")
}
