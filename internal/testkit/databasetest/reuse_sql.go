package databasetest

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/kit/database"
)

const schemaVersionSQL = `
PRAGMA schema_version`

// schemaVersion returns a number that every change of the schema of a SQLite database changes.
func schemaVersion(ctx context.Context, db *database.DB) (version int64, err error) {
	err = db.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, schemaVersionSQL, nil, &version)
	})
	return version, err
}

const usedPagesSQL = `
SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)`

// usedPages returns how many pages of a SQLite database have data.
func usedPages(ctx context.Context, db *database.DB) (pages int64, err error) {
	err = db.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, usedPagesSQL, nil, &pages)
	})
	return pages, err
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
