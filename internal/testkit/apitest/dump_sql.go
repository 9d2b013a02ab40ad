package apitest

import (
	"context"
	"maps"
	"slices"
	"strconv"
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
// rows. The parameters of the condition are those of storeParameters.
func rowsOfStores(table string, columns []string, stores int) string {
	within := func(column string, first int) string {
		var values []string
		for i := range stores {
			values = append(values, "$"+strconv.Itoa(first+i))
		}
		return column + ` IN (` + strings.Join(values, ", ") + `)`
	}

	ofStores := within(`store_id`, 1)
	accounts := `SELECT account_id FROM operators WHERE ` + ofStores
	switch {
	case slices.Contains(columns, "store_id"):
		return ofStores
	case table == "stores":
		return within(`id`, 1)
	case table == "accounts":
		return `id IN (` + accounts + `)`
	case slices.Contains(columns, "account_id"):
		return `account_id IN (` + accounts + `)`
	case slices.Contains(columns, "lane"): // of a job; it begins with the store
		return within(`substr(lane, 1, 36)`, 1+stores)
	}

	return ""
}

// storeParameters returns the parameters of rowsOfStores: the stores as ids, then as texts.
func storeParameters(stores []store.ID) (parameters []any) {
	for _, id := range stores {
		parameters = append(parameters, id)
	}
	for _, id := range stores {
		parameters = append(parameters, id.String())
	}
	return parameters
}

// dumpSQL returns a statement that selects the name of the table and all columns as one text, for every row of every
// table, or for the rows of some stores if there are any. One statement is many times faster than one for each table.
// It is the same for all tests with as many stores, so that connections have it prepared.
func dumpSQL(engine string, columns map[string][]string, stores int) string {
	var selects []string
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		where := "TRUE"
		if stores > 0 {
			where = rowsOfStores(table, columns[table], stores)
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
	sql := dumpSQL(q.Dialect().Engine, columns, len(stores))
	err := database.QueryEach(ctx, q, sql, storeParameters(stores), func(r database.Rows) error {
		err := r.Scan(&table, &row)
		dump[table] = append(dump[table], row)
		return err
	})
	for _, list := range dump {
		slices.Sort(list)
	}
	return dump, err
}
