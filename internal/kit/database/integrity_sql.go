package database

import (
	"context"
	"fmt"
)

// maxDamages is how many damages of a SQLite file integrity_check reports.
const maxDamages = 100

const invalidIndexesPostgres = `
SELECT 'index ' || c.relname || ' is not valid: REINDEX INDEX ' || c.relname
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace
  AND NOT (i.indisvalid AND i.indisready)
ORDER BY c.relname`

const unvalidatedConstraintsPostgres = `
SELECT 'constraint ' || conname || ' of ' || conrelid::regclass || ' was never validated'
FROM pg_constraint
WHERE connamespace = current_schema()::regnamespace
  AND NOT convalidated
ORDER BY conname`

// PostgreSQL checks no foreign key of a table whose triggers are disabled.
const disabledTriggersPostgres = `
SELECT 'trigger ' || tgname || ' of ' || tgrelid::regclass || ' is disabled'
FROM pg_trigger
JOIN pg_class c ON c.oid = tgrelid
WHERE c.relnamespace = current_schema()::regnamespace
  AND tgisinternal
  AND tgenabled <> 'O'
ORDER BY tgname`

// amcheckFunctionPostgres returns no row unless amcheck is installed in this database and this user may call it.
const amcheckFunctionPostgres = `
SELECT quote_ident(n.nspname) || '.bt_index_check'
FROM pg_extension e
JOIN pg_namespace n ON n.oid = e.extnamespace
JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = 'bt_index_check' AND p.pronargs = 2
WHERE e.extname = 'amcheck'
  AND has_function_privilege(p.oid, 'EXECUTE')`

const btreeIndexesPostgres = `
SELECT c.oid::bigint, c.relname
FROM pg_class c
JOIN pg_am a ON a.oid = c.relam
JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace
  AND a.amname = 'btree'
  AND i.indisvalid
ORDER BY c.relname`

// FindDamage calls fn for each damage of the database itself. On SQLite it compares all pages, indexes and tables. On
// PostgreSQL it looks for indexes and constraints that are not in force; CheckIndexes does more.
func FindDamage(ctx context.Context, q Querier, fn func(text string) error) error {
	if q.Dialect().Engine == SQLite {
		return eachText(ctx, q, fmt.Sprintf("PRAGMA integrity_check(%d)", maxDamages), func(text string) error {
			if text == "ok" {
				return nil
			}
			return fn(text)
		})
	}
	for _, sql := range []string{invalidIndexesPostgres, unvalidatedConstraintsPostgres, disabledTriggersPostgres} {
		if err := eachText(ctx, q, sql, fn); err != nil {
			return err
		}
	}
	return nil
}

func eachText(ctx context.Context, q Querier, sql string, fn func(text string) error) error {
	return QueryEach(ctx, q, sql, nil, func(rows Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		return fn(text)
	})
}

// FindBrokenReferences calls fn for each row of a SQLite database that refers to a row that does not exist. PostgreSQL
// enforces its foreign keys, and fn is not called.
func FindBrokenReferences(ctx context.Context, q Querier, fn func(text string) error) error {
	if q.Dialect().Engine != SQLite {
		return nil
	}
	return QueryEach(ctx, q, "PRAGMA foreign_key_check", nil, func(rows Rows) error {
		var table, parent string
		var row *int64 // nil in a table without row ids
		var constraint int64
		if err := rows.Scan(&table, &row, &parent, &constraint); err != nil {
			return err
		}

		text := fmt.Sprintf("a row of %s refers to a row of %s that does not exist", table, parent)
		if row != nil {
			text += fmt.Sprintf(" (row id %d)", *row)
		}

		return fn(text)
	})
}

// CheckIndexes checks all B-tree indexes of a PostgreSQL database with the extension amcheck, and calls fn for each
// that is damaged. It reports false if the extension is not installed in the database, or this user may not use it.
// Each index is locked as by a read.
func (db *DB) CheckIndexes(ctx context.Context, fn func(text string)) (checked bool, err error) {
	type index struct {
		oid  int64
		name string
	}
	var functions []string
	var indexes []index

	err = db.ReadWith(ctx, Long, false, func(q Querier) error {
		if err := QueryEach(ctx, q, amcheckFunctionPostgres, nil, AppendColumn(&functions)); err != nil {
			return err
		}
		return QueryEach(ctx, q, btreeIndexesPostgres, nil, AppendScanned(&indexes,
			func(rows Rows) (i index, err error) {
				err = rows.Scan(&i.oid, &i.name)
				return i, err
			}))
	})
	if err != nil || len(functions) == 0 {
		return false, err
	}

	for _, i := range indexes {
		// A damage is an error of the statement, so each index has its own.
		err := db.ReadWith(ctx, Long, true, func(q Querier) error {
			if err := WithoutTimeout(ctx, q); err != nil {
				return err
			}
			return Exec(ctx, q, fmt.Sprintf("SELECT %s(%d::regclass, TRUE)", functions[0], i.oid))
		})
		if ctx.Err() != nil {
			return true, ctx.Err()
		}

		if err != nil {
			fn(fmt.Sprintf("index %s: %v", i.name, err))
		}
	}

	return true, nil
}

// WithoutTimeout lets the statements of a snapshot take as long as they need.
func WithoutTimeout(ctx context.Context, q Querier) error {
	if q.Dialect().Engine != Postgres {
		return nil
	}
	return Exec(ctx, q, "SET LOCAL statement_timeout = 0")
}
