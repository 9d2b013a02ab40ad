package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// AppendColumn returns a callback for QueryEach and QueryRows that appends the only column of each row to list.
func AppendColumn[T any](list *[]T) func(Rows) error {
	return func(rows Rows) error {
		var v T
		err := rows.Scan(&v)
		*list = append(*list, v)
		return err
	}
}

// AppendScanned returns a callback for QueryEach and QueryRows that appends the result of scan for each row to list.
func AppendScanned[T any](list *[]T, scan func(Rows) (T, error)) func(Rows) error {
	return func(rows Rows) error {
		v, err := scan(rows)
		*list = append(*list, v)
		return err
	}
}

// PutKeys returns a callback for QueryEach and QueryRows that adds the only column of each row to set.
func PutKeys[K comparable](set map[K]bool) func(Rows) error {
	return func(rows Rows) error {
		var key K
		err := rows.Scan(&key)
		set[key] = true
		return err
	}
}

// PutPairs returns a callback for QueryEach and QueryRows that puts rows of two columns, key and value, into m.
func PutPairs[K comparable, V any](m map[K]V) func(Rows) error {
	return func(rows Rows) error {
		var key K
		var v V
		err := rows.Scan(&key, &v)
		m[key] = v
		return err
	}
}

// QueryOne returns the result of scan for the only row of a query. It returns ErrNoRows if the query returns no row.
func QueryOne[T any](
	ctx context.Context, q Queryer, sql string, args []any, scan func(Rows) (T, error),
) (v T, err error) {
	err = ErrNoRows
	if failure := QueryEach(ctx, q, sql, args, func(rows Rows) error {
		v, err = scan(rows)
		return err
	}); failure != nil {
		err = failure
	}
	return v, err
}

// Time returns a destination for a column of microseconds since 1970. A column that may be NULL needs NullTime.
func Time(t *time.Time) *timeColumn { return (*timeColumn)(t) }

// timeColumn is the type of the destinations that Time returns.
type timeColumn time.Time

// Scan implements sql.Scanner.
func (c *timeColumn) Scan(v any) error {
	micros, ok := v.(int64)
	if !ok {
		return fmt.Errorf("cannot read %T as a time", v)
	}
	*c = timeColumn(time.UnixMicro(micros).UTC())
	return nil
}

// ScanInt64 implements pgtype.Int64Scanner, so that pgx need not convert the value to an interface.
func (c *timeColumn) ScanInt64(v pgtype.Int8) error {
	if !v.Valid {
		return fmt.Errorf("cannot read NULL as a time")
	}
	*c = timeColumn(time.UnixMicro(v.Int64).UTC())
	return nil
}

// NullTime returns a destination for a column of microseconds since 1970 that may be NULL. For NULL it sets *t to nil.
func NullTime(t **time.Time) *nullTimeColumn { return &nullTimeColumn{t} }

// nullTimeColumn is the type of the destinations that NullTime returns.
type nullTimeColumn struct{ t **time.Time }

// Scan implements sql.Scanner.
func (c *nullTimeColumn) Scan(v any) error {
	if v == nil {
		*c.t = nil
		return nil
	}
	*c.t = new(time.Time)
	return Time(*c.t).Scan(v)
}

// MicrosOrNull returns a time as an argument for a column of microseconds, and NULL for nil.
func MicrosOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

// NullIfZero returns v as an argument, and NULL for the zero value.
func NullIfZero[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// BatchOf returns a batch of one column with the given values.
func BatchOf[T any](column ColumnType, values []T) *Batch {
	b := NewBatch(column)
	for _, v := range values {
		b.Add(v)
	}
	return b
}
