package apitest

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
)

const sqliteColumnsSQL = `
SELECT t.name, c.name
FROM sqlite_schema t, pragma_table_info(t.name) c
WHERE t.type = 'table'
ORDER BY t.name, c.cid`

const postgresColumnsSQL = `
SELECT CAST(table_name AS text), CAST(column_name AS text)
FROM information_schema.columns
WHERE table_schema = 'public'
ORDER BY table_name, ordinal_position`

// tables returns the columns of each table.
func tables(ctx context.Context, q database.Querier) (map[string][]string, error) {
	sql := sqliteColumnsSQL
	if q.Dialect().Engine == database.Postgres {
		sql = postgresColumnsSQL
	}
	columns := map[string][]string{}
	err := database.QueryEach(ctx, q, sql, nil, func(r database.Rows) error {
		var table, column string
		err := r.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	return columns, err
}

// rows returns the rows of a table as sorted texts.
func rows(ctx context.Context, q database.Querier, table string, columns []string) ([]string, error) {
	list := []string{}
	cells, dest := make([]cellText, len(columns)), make([]any, len(columns))
	for i := range cells {
		dest[i] = &cells[i]
	}
	sql := `SELECT "` + strings.Join(columns, `", "`) + `" FROM "` + table + `"`
	err := database.QueryEach(ctx, q, sql, nil, func(r database.Rows) error {
		if err := r.Scan(dest...); err != nil {
			return err
		}
		var row strings.Builder
		for i, name := range columns {
			row.WriteString(name + "=" + cells[i].text + " ")
		}
		list = append(list, row.String())
		return nil
	})
	slices.Sort(list)
	return list, err
}
