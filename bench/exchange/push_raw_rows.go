package exchange

import (
	"context"
	"math"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// rawTable is a table with all its columns.
type rawTable struct {
	name  string
	names []string
	kinds []database.ColumnType
}

// rawRows are rows of a table. keys has the smallest and the greatest key, if the table has a column key.
type rawRows struct {
	*database.Batch
	table *rawTable
	keys  [2]int64
}

// read reads rows with all their columns.
func (r *rawInserter) read(ctx context.Context, table, where string, args ...any) (rawRows, error) {
	t, err := r.table(ctx, table)
	if err != nil {
		return rawRows{}, err
	}

	rows := rawRows{Batch: database.NewBatch(t.kinds...), table: t, keys: [2]int64{math.MaxInt64, 0}}
	cells := make([]scanTarget, len(t.kinds))
	dest := make([]any, len(t.kinds))
	values := make([]any, len(t.kinds))

	for i, kind := range t.kinds {
		cells[i] = newScanTarget(kind)
		dest[i] = cells[i].dest
	}

	err = r.from.Read(ctx, func(q database.Querier) error {
		return database.QueryEach(ctx, q, "SELECT "+strings.Join(t.names, ", ")+" FROM "+t.name+" WHERE "+where, args,
			func(each database.Rows) error {
				if err := each.Scan(dest...); err != nil {
					return err
				}

				for i := range cells {
					if values[i] = cells[i].value(); t.names[i] == "key" {
						key := values[i].(int64)
						rows.keys = [2]int64{min(rows.keys[0], key), max(rows.keys[1], key)}
					}
				}

				rows.Add(values...)
				return nil
			})
	})

	return rows, err
}

// table returns a table with its columns, except generated ones. They are read once.
func (r *rawInserter) table(ctx context.Context, name string) (*rawTable, error) {
	if t := r.tables[name]; t != nil {
		return t, nil
	}

	sql := "SELECT name, type FROM pragma_table_info($1) ORDER BY cid"
	if r.from.Engine() == database.Postgres {
		sql = "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns " +
			"WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position"
	}

	t := &rawTable{name: name}
	err := r.from.Read(ctx, func(q database.Querier) error {
		return database.QueryEach(ctx, q, sql, []any{name}, func(rows database.Rows) error {
			var column, kind string
			err := rows.Scan(&column, &kind)
			t.names, t.kinds = append(t.names, column), append(t.kinds, columnKind(kind))
			return err
		})
	})
	r.tables[name] = t

	return t, err
}

// columnKind returns the kind of a column type. The type names of PostgreSQL equal the kinds, those of SQLite are
// converted.
func columnKind(name string) database.ColumnType {
	switch name {
	case "INTEGER":
		return database.BigInt
	case "TEXT":
		return database.Text
	case "BLOB":
		return database.Bytes
	case "REAL":
		return database.Double
	}
	return database.ColumnType(name)
}

// scanTarget is the destination of a column for Rows.Scan; value returns the scanned value.
type scanTarget struct {
	dest  any
	value func() any
}

func newScanTarget(kind database.ColumnType) scanTarget {
	switch kind {
	case database.UUID:
		d := new(store.ID)
		return scanTarget{d, func() any { return *d }}
	case database.Bytes:
		d := new([]byte)
		return scanTarget{d, func() any {
			if *d == nil {
				return nil
			}
			return *d
		}}
	case database.BigInt:
		return nullable[int64]()
	case database.Double:
		return nullable[float64]()
	case database.Bool:
		return nullable[bool]()
	case database.Text:
	}

	return nullable[string]()
}

func nullable[T any]() scanTarget {
	d := new(*T)
	return scanTarget{d, func() any {
		if *d == nil {
			return nil
		}
		return **d
	}}
}
