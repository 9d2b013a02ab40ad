package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"
)

// copyTables copies all rows of a SQLite database to an empty PostgreSQL database with the same schema.
func copyTables(ctx context.Context, path, url string) error {
	from, err := sqlite3.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()

	to, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = to.Close(ctx) }()

	// The rows satisfy the foreign keys already, so the checks are disabled.
	if _, err := to.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		return err
	}

	// The migrations insert rows into these tables.
	if _, err := to.Exec(ctx, "TRUNCATE meta, schema_compatibility"); err != nil {
		return err
	}

	tables, err := listTables(ctx, to)
	if err != nil {
		return err
	}

	start := time.Now()
	rows := int64(0)
	for _, t := range tables {
		n, err := t.copy(ctx, from, to)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if rows += n; n >= Million {
			PrintNote("copied %s rows to PostgreSQL, %s rows/s", FormatThousands(int(rows)),
				FormatRate(int(rows), time.Since(start)))
		}
	}

	// As autovacuum does on a running server, update the planner statistics for the SQL that is compared.
	if _, err := to.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}

	PrintNote("copied %s rows to PostgreSQL in %s", FormatThousands(int(rows)), FormatDuration(time.Since(start)))
	return nil
}

// copiedTable is a table with its columns, except generated ones, and their PostgreSQL types.
type copiedTable struct {
	name           string
	columns, types []string
	sequence       string // the column whose values a sequence generates, if there is one
}

func listTables(ctx context.Context, c *pgx.Conn) ([]*copiedTable, error) {
	rows, err := c.Query(ctx, `
SELECT table_name, column_name, data_type, is_identity
FROM information_schema.columns
WHERE table_schema = 'public'
  AND table_name NOT LIKE 'goose%'
  AND is_generated = 'NEVER'
ORDER BY table_name, ordinal_position`)
	if err != nil {
		return nil, err
	}

	var tables []*copiedTable
	var name, column, kind, identity string
	_, err = pgx.ForEachRow(rows, []any{&name, &column, &kind, &identity}, func() error {
		if len(tables) == 0 || tables[len(tables)-1].name != name {
			tables = append(tables, &copiedTable{name: name})
		}
		t := tables[len(tables)-1]
		t.columns, t.types = append(t.columns, column), append(t.types, kind)
		if identity == "YES" {
			t.sequence = column
		}
		return nil
	})

	return tables, err
}

func (t *copiedTable) copy(ctx context.Context, from *sqlite3.Conn, to *pgx.Conn) (int64, error) {
	s, _, err := from.Prepare("SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = s.Close() }()

	values := make([]any, len(t.columns))

	n, err := to.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromFunc(func() ([]any, error) {
		if !s.Step() {
			return nil, s.Err()
		}
		for i, kind := range t.types {
			values[i] = columnValue(s, i, kind)
		}
		return values, nil
	}))
	if err != nil || t.sequence == "" {
		return n, err
	}

	// Advance the sequence, so that the next inserted row gets a new key.
	_, err = to.Exec(ctx,
		"SELECT setval(pg_get_serial_sequence('"+t.name+"', '"+t.sequence+"'), GREATEST(MAX("+t.sequence+"), 1)) FROM "+
			t.name)
	return n, err
}

// columnValue returns a column of a SQLite row as a value for pgx.
func columnValue(s *sqlite3.Stmt, i int, kind string) any {
	if s.ColumnType(i) == sqlite3.NULL {
		return nil
	}

	switch kind {
	case "uuid":
		return [16]byte(s.ColumnRawBlob(i))
	case "bytea":
		return s.ColumnBlob(i, nil)
	case "bigint":
		return s.ColumnInt64(i)
	case "boolean":
		return s.ColumnBool(i)
	case "double precision":
		return s.ColumnFloat(i)
	default:
		return s.ColumnText(i)
	}
}
