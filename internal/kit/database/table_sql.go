package database

import "context"

const countTableSQLite = `
SELECT COUNT(*)
FROM sqlite_schema
WHERE type = 'table' AND name = $1`

// to_regclass returns the table of that name in the search path, or NULL.
const countTablePostgres = `
SELECT COUNT(to_regclass($1))`

// HasTable reports whether a table exists. Tables that migrations create do not exist in a new database.
func (db *DB) HasTable(ctx context.Context, name string) (bool, error) {
	var n int
	err := db.Read(ctx, func(q Querier) error {
		sql := countTableSQLite
		if q.Dialect().Engine == Postgres {
			sql = countTablePostgres
		}
		return QueryRow(ctx, q, sql, []any{name}, &n)
	})
	return n > 0, err
}

const tablesSQLite = `
SELECT name
FROM sqlite_schema
WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY name`

const tablesPostgres = `
SELECT tablename
FROM pg_tables
WHERE schemaname = current_schema()
ORDER BY tablename`

// CountRows returns the number of rows of each table, of one snapshot. It reads all tables.
func (db *DB) CountRows(ctx context.Context) (counts map[string]int64, err error) {
	err = db.ReadWith(ctx, Long, true, func(q Querier) error {
		counts, err = CountRows(ctx, q)
		return err
	})
	return counts, err
}

// CountRows returns the number of rows of each table. It reads all tables.
func CountRows(ctx context.Context, q Querier) (map[string]int64, error) {
	sql := tablesSQLite
	if q.Dialect().Engine == Postgres {
		sql = tablesPostgres
	}

	var tables []string
	if err := QueryEach(ctx, q, sql, nil, AppendColumn(&tables)); err != nil {
		return nil, err
	}

	counts := map[string]int64{}
	for _, table := range tables {
		var n int64
		if err := QueryRow(ctx, q, `SELECT COUNT(*) FROM "`+table+`"`, nil, &n); err != nil {
			return nil, err
		}
		counts[table] = n
	}

	return counts, nil
}
