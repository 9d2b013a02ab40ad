package databasetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vitrine/internal/kit/database"
)

// errNotReusable is returned for a database that a test has changed too much.
var errNotReusable = errors.New("the database cannot be used again")

// emptiedPages is how many pages of rows are deleted in less time than another database takes.
const emptiedPages = 30

// sqliteState is the state of a SQLite database after its migrations.
type sqliteState struct {
	schema int64 // a number that every change of the schema changes
	pages  int64 // how many pages have data
}

const sqliteStateSQL = `
SELECT (SELECT schema_version FROM pragma_schema_version),
	(SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)`

func readSQLiteState(ctx context.Context, db *database.DB) (s sqliteState, err error) {
	err = db.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, sqliteStateSQL, nil, &s.schema, &s.pages)
	})
	return s, err
}

// restore removes all rows, unless the schema has changed or there are many rows.
func (s sqliteState) restore(ctx context.Context, db *database.DB) error {
	now, err := readSQLiteState(ctx, db)
	if err != nil {
		return err
	}
	if now.schema != s.schema || now.pages-s.pages > emptiedPages {
		return errNotReusable
	}
	return deleteAllRows(ctx, db)
}

const tablesSQL = `
SELECT name
FROM sqlite_schema
WHERE type = 'table' AND name NOT IN ('goose_db_version', 'schema_compatibility')`

// deleteAllRows makes a migrated SQLite database as it was after its migrations.
func deleteAllRows(ctx context.Context, db *database.DB) error {
	return db.Write(ctx, func(q database.Querier) error {
		var tables []string
		if err := database.QueryEach(ctx, q, tablesSQL, nil, database.AppendColumn(&tables)); err != nil {
			return err
		}

		filled, err := tablesWithRows(ctx, q, tables)
		if err != nil {
			return err
		}

		statements := []string{`PRAGMA defer_foreign_keys = ON`}
		for _, table := range filled {
			statements = append(statements, "DELETE FROM "+table+keptRows(table))
		}

		for _, statement := range statements {
			if _, err := q.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// keptRows returns the condition that keeps the rows that a migration inserted.
func keptRows(table string) string {
	if table == "meta" {
		return ` WHERE name <> 'first_migration'`
	}
	return ""
}

// tablesWithRows returns the tables that are not empty.
func tablesWithRows(ctx context.Context, q database.Querier, tables []string) (filled []string, err error) {
	parts := make([]string, len(tables))
	for i, table := range tables {
		parts[i] = fmt.Sprintf(`SELECT '%s' WHERE EXISTS (SELECT 1 FROM %s)`, table, table)
	}
	err = database.QueryEach(ctx, q, strings.Join(parts, " UNION ALL "), nil, database.AppendColumn(&filled))
	return filled, err
}
