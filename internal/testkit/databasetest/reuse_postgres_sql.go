package databasetest

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
)

// emptiedBytes is how many bytes of rows are deleted in less time than another database takes.
const emptiedBytes = 1 << 20

// postgresCleaner makes a PostgreSQL database as it was after its migrations. It has a connection of its own: those of
// the program under test are read-only outside of its transactions.
type postgresCleaner struct {
	conn   *pgx.Conn
	schema string
}

func newPostgresCleaner(ctx context.Context, url string) (*postgresCleaner, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	c := &postgresCleaner{conn: conn}
	if c.schema, err = c.readSchema(ctx); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return c, nil
}

func (c *postgresCleaner) close(ctx context.Context) error { return c.conn.Close(ctx) }

// postgresSchemaSQL counts what the migrations have made, and the statistics that ANALYZE has collected.
const postgresSchemaSQL = `
SELECT CONCAT_WS(' ', COUNT(*), SUM(relnatts), SUM(relchecks), (SELECT COUNT(*) FROM pg_constraint),
	(SELECT COUNT(*) FROM pg_index), (SELECT COUNT(*) FROM pg_trigger), (SELECT COUNT(*) FROM pg_proc),
	(SELECT COUNT(*) FROM pg_statistic WHERE starelid >= 16384))
FROM pg_class
WHERE relnamespace = 'public'::REGNAMESPACE`

func (c *postgresCleaner) readSchema(ctx context.Context) (schema string, err error) {
	err = c.conn.QueryRow(ctx, postgresSchemaSQL).Scan(&schema)
	return schema, err
}

const filledTablesSQL = `
SELECT relname, pg_table_size(oid)
FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::REGNAMESPACE AND pg_relation_size(oid) > 0
	AND relname NOT IN ('goose_db_version', 'schema_compatibility')`

// restore removes all rows, unless the schema has changed, tables have been analysed or there are many rows. The
// planner then knows as little of the tables as it did after the migrations, and plans all statements anew.
func (c *postgresCleaner) restore(ctx context.Context) error {
	schema, err := c.readSchema(ctx)
	if err != nil {
		return err
	}
	filled, bytes, err := c.filledTables(ctx)
	if err != nil {
		return err
	}

	if schema != c.schema || bytes > emptiedBytes {
		return errNotReusable
	}
	if len(filled) == 0 {
		return nil
	}

	for _, sql := range []string{
		deleteAllSQL(filled), "VACUUM " + strings.Join(filled, ", "), forgetTableSizesSQL,
	} {
		if _, err := c.conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}

	return nil
}

// filledTables returns the tables that have rows, or have had some, and the size of these tables.
func (c *postgresCleaner) filledTables(ctx context.Context) (tables []string, bytes int64, err error) {
	rows, err := c.conn.Query(ctx, filledTablesSQL)
	if err != nil {
		return nil, 0, err
	}

	var name string
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&name, &size}, func() error {
		tables = append(tables, quoteIdentifier(name))
		bytes += size
		return nil
	})
	return tables, bytes, err
}

// deleteAllSQL returns a transaction that deletes the rows of tables without looking at foreign keys, and lets all keys
// begin with 1 again. TRUNCATE would create a file for each index of each table that refers to these.
func deleteAllSQL(tables []string) string {
	lines := []string{"SET lock_timeout = '5s'", "BEGIN", "SET LOCAL session_replication_role = replica"}
	for _, table := range tables {
		lines = append(lines, "DELETE FROM "+table+keptRows(strings.Trim(table, `"`)))
	}
	return strings.Join(append(lines, restartKeysSQL, "COMMIT"), ";")
}

const restartKeysSQL = `
SELECT setval(oid, 1, FALSE)
FROM pg_class
WHERE relkind = 'S' AND relnamespace = 'public'::REGNAMESPACE`

// forgetTableSizesSQL takes back what VACUUM has noted: that the tables are empty.
const forgetTableSizesSQL = `
UPDATE pg_class
SET reltuples = -1, relpages = 0, relallvisible = 0
WHERE relkind = 'r' AND relnamespace = 'public'::REGNAMESPACE AND reltuples >= 0`
