package apitest

import (
	"context"
	"maps"
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

// databaseTables returns the columns of each table.
func databaseTables(ctx context.Context, q database.Querier) (map[string][]string, error) {
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

// dumpSQL returns a statement that selects the name of the table and all columns as one text, for every row of every
// table. One statement is many times faster than one for each table.
func dumpSQL(engine string, columns map[string][]string) string {
	var selects []string
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		var cells []string
		for _, name := range columns[table] {
			column := `"` + name + `"`
			text := `CAST(` + column + ` AS text)`
			if engine == database.SQLite {
				text = `CASE typeof(` + column + `) WHEN 'blob' THEN 'x' || lower(hex(` + column + `)) ELSE ` + text + ` END`
			}
			cells = append(cells, `'`+name+`=' || COALESCE(`+text+`, 'NULL')`)
		}
		selects = append(selects,
			`SELECT CAST('`+table+`' AS text), `+strings.Join(cells, ` || ' ' || `)+` FROM "`+table+`"`)
	}
	return strings.Join(selects, " UNION ALL ")
}

// dumpRows returns the rows of the tables as sorted texts.
func dumpRows(ctx context.Context, q database.Querier, columns map[string][]string) (Dump, error) {
	dump := Dump{}
	for table := range columns {
		dump[table] = []string{}
	}
	var table, row string
	err := database.QueryEach(ctx, q, dumpSQL(q.Dialect().Engine, columns), nil, func(r database.Rows) error {
		err := r.Scan(&table, &row)
		dump[table] = append(dump[table], row)
		return err
	})
	for _, list := range dump {
		slices.Sort(list)
	}
	return dump, err
}
