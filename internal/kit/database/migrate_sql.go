package database

import (
	"context"
	"database/sql"
	"fmt"
)

const firstMigrationSQL = `
SELECT COUNT(*)
FROM meta
WHERE name = 'first_migration'`

// checkFirstMigration returns ErrUnreleasedSchema if the first migration of the database is not the first migration of
// this program.
func checkFirstMigration(ctx context.Context, pool *sql.DB) error {
	var marks int64
	err := pool.QueryRowContext(ctx, firstMigrationSQL).Scan(&marks)
	if err != nil {
		return fmt.Errorf("read the first migration: %w", err)
	}
	if marks == 0 {
		return ErrUnreleasedSchema
	}
	return nil
}

const oldestProgramSQL = `
SELECT oldest_program
FROM schema_compatibility`

// checkNewerSchema returns ErrNewerSchema unless programs that know only the schema known can use the current one. A
// migration that older programs cannot live with raises oldest_program.
func checkNewerSchema(ctx context.Context, pool *sql.DB, current, known int64) error {
	var oldest int64
	err := pool.QueryRowContext(ctx, oldestProgramSQL).Scan(&oldest)
	if err != nil {
		return fmt.Errorf("read which versions may use the schema: %w", err)
	}
	if known < oldest {
		return fmt.Errorf("%w: it is at %d, which needs a program that knows %d, and this one knows %d", ErrNewerSchema,
			current, oldest, known)
	}
	return nil
}
