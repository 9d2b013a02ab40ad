package apitest

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
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

// rowsOfStores returns the condition for the rows of a table that belong to the stores, or "" for a table without such
// rows.
func rowsOfStores(engine, table string, columns []string, stores []store.ID) string {
	var ids, names []string
	for _, id := range stores {
		bytes := id.Bytes()
		literal := `'` + id.String() + `'`
		names = append(names, literal)
		if engine == database.SQLite {
			literal = `X'` + hex.EncodeToString(bytes[:]) + `'`
		}
		ids = append(ids, literal)
	}

	within := func(column string, values []string) string {
		return column + ` IN (` + strings.Join(values, ", ") + `)`
	}

	accounts := `SELECT account_id FROM operators WHERE ` + within(`store_id`, ids)
	switch {
	case slices.Contains(columns, "store_id"):
		return within(`store_id`, ids)
	case table == "stores":
		return within(`id`, ids)
	case table == "accounts":
		return `id IN (` + accounts + `)`
	case slices.Contains(columns, "account_id"):
		return `account_id IN (` + accounts + `)`
	case slices.Contains(columns, "lane"): // of a job; it begins with the store
		return within(`substr(lane, 1, 36)`, names)
	}

	return ""
}

// dumpSQL returns a statement that selects the name of the table and all columns as one text, for every row of every
// table, or for the rows of the stores if there are any. One statement is many times faster than one for each table.
func dumpSQL(engine string, columns map[string][]string, stores []store.ID) string {
	var selects []string
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		where := "TRUE"
		if len(stores) > 0 {
			where = rowsOfStores(engine, table, columns[table], stores)
		}

		if where == "" {
			continue
		}

		var cells []string
		for _, name := range columns[table] {
			column := `"` + name + `"`
			text := `CAST(` + column + ` AS text)`
			if engine == database.SQLite {
				text = `CASE typeof(` + column + `) WHEN 'blob' THEN 'x' || lower(hex(` + column + `)) ELSE ` + text +
					` END`
			}
			cells = append(cells, `'`+name+`=' || COALESCE(`+text+`, 'NULL')`)
		}

		selects = append(selects,
			`SELECT CAST('`+table+`' AS text), `+strings.Join(cells, ` || ' ' || `)+` FROM "`+table+`" WHERE `+where)
	}

	return strings.Join(selects, " UNION ALL ")
}

// dumpRows returns the rows of the tables as sorted texts: all, or those of the stores if there are any.
func dumpRows(
	ctx context.Context, q database.Querier, columns map[string][]string, stores []store.ID,
) (Dump, error) {
	dump := Dump{}
	for table := range columns {
		dump[table] = []string{}
	}
	var table, row string
	err := database.QueryEach(ctx, q, dumpSQL(q.Dialect().Engine, columns, stores), nil, func(r database.Rows) error {
		err := r.Scan(&table, &row)
		dump[table] = append(dump[table], row)
		return err
	})
	for _, list := range dump {
		slices.Sort(list)
	}
	return dump, err
}
