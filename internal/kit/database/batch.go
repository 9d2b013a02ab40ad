package database

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Kind is the type of a column of a Batch, by its PostgreSQL name.
type Kind string

// The kinds of columns a batch can have.
const (
	UUID   Kind = "uuid"
	Text   Kind = "text"
	BigInt Kind = "bigint"
	Double Kind = "double precision"
	Bytes  Kind = "bytea"
	Bool   Kind = "boolean"
)

// rowsPlaceholder is the word in a SQL text that the rows of a batch take the place of:
//
//	WITH r(id, name) AS (ROWS) INSERT INTO t (id, name) SELECT id, name FROM r
const rowsPlaceholder = "ROWS"

// Batch is a table of values on its way into one statement: multi-row VALUES on SQLite, unnest of arrays on PostgreSQL.
type Batch struct {
	types   []Kind
	columns [][]any // by column
}

// NewBatch makes an empty batch with columns of these kinds.
func NewBatch(types ...Kind) *Batch {
	return &Batch{types: types, columns: make([][]any, len(types))}
}

// Add appends a row: one value a column, nil for NULL.
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

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	for i := range b.columns {
		clear(b.columns[i])
		b.columns[i] = b.columns[i][:0]
	}
}

// expandValues is the SQLite form of a text for n rows; the parameters of the rows follow the others.
func (b *Batch) expandValues(sql string, args, n int) string {
	var s strings.Builder
	p := args
	s.WriteString("VALUES ")
	for r := range n {
		if r > 0 {
			s.WriteByte(',')
		}
		for c := range b.types {
			if c == 0 {
				s.WriteByte('(')
			} else {
				s.WriteByte(',')
			}
			p++
			s.WriteByte('?')
			s.WriteString(strconv.Itoa(p))
		}
		s.WriteByte(')')
	}
	return strings.Replace(toSQLiteParameters(sql), rowsPlaceholder, s.String(), 1)
}

// expandUnnest is the PostgreSQL form; its length does not depend on the number of rows, so it is prepared once.
func (b *Batch) expandUnnest(sql string, args int) string {
	var s strings.Builder
	s.WriteString("SELECT * FROM unnest(")
	for c, k := range b.types {
		if c > 0 {
			s.WriteByte(',')
		}
		s.WriteByte('$')
		s.WriteString(strconv.Itoa(args + c + 1))
		s.WriteString("::")
		s.WriteString(string(k))
		s.WriteString("[]")
	}
	s.WriteByte(')')
	return strings.Replace(sql, rowsPlaceholder, s.String(), 1)
}

// columnArray returns rows from to to of a column as a typed slice; pointers only where a NULL is among them.
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
	var nullable []*T
	for i, c := range cells {
		c, err := plainValue(c)
		if err != nil {
			return nil, err
		}
		if c == nil {
			if nullable == nil {
				nullable = make([]*T, len(cells))
				for j := range i {
					nullable[j] = &plain[j]
				}
			}
			continue
		}
		v, ok := convert(c)
		if !ok {
			return nil, fmt.Errorf("a batch value of type %T does not match its column type", c)
		}
		plain[i] = v
		if nullable != nil {
			nullable[i] = &plain[i]
		}
	}
	if nullable != nil {
		return nullable, nil
	}
	return plain, nil
}

// uuid is an identifier, as package id makes them.
type uuid interface{ Bytes() [16]byte }

// plainValue follows pointers, so that optional values can be added as they are; an id stays itself.
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
	// The methods of a value can be called on a pointer to it, but not on a nil one.
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

// toSQLiteParameters turns $n into ?n: SQLite gives $n a number by first appearance, so that SELECT $2, $1 would be swapped.
// The texts are ours and hold no dollar sign inside a literal.
func toSQLiteParameters(sql string) string {
	return strings.ReplaceAll(sql, "$", "?")
}
