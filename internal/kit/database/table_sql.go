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
