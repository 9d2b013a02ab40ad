package database

import (
	"context"
	"fmt"
)

// pg_stats has rows of the tables that the role may read. A table without pages has no rows.
const tablesWithoutStatisticsSQL = `
SELECT CAST(c.relname AS text), quote_ident(c.relname)
FROM pg_class c
WHERE c.relnamespace = to_regnamespace(current_schema())
  AND c.relkind = 'r'
  AND pg_relation_size(c.oid) > 0
  AND NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.schemaname = current_schema() AND s.tablename = c.relname)
ORDER BY c.relname`

// SKIP_LOCKED: another node may be analysing the table.
const analyzeTableSQL = `
ANALYZE (SKIP_LOCKED) `

// AnalyzeMissing runs ANALYZE on the tables that have rows and no statistics, as all have after pg_restore, and returns
// their names. Each table is analysed in a transaction of its own. On SQLite it does nothing.
func (db *DB) AnalyzeMissing(ctx context.Context) (tables []string, err error) {
	if db.Engine() != Postgres {
		return nil, nil
	}

	var quoted []string
	err = db.Read(ctx, func(q Querier) error {
		return QueryEach(ctx, q, tablesWithoutStatisticsSQL, nil, func(rows Rows) error {
			var name, identifier string
			err := rows.Scan(&name, &identifier)
			tables, quoted = append(tables, name), append(quoted, identifier)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("find tables without statistics: %w", err)
	}

	for i, identifier := range quoted {
		err := db.Write(ctx, func(q Querier) error { return Exec(ctx, q, analyzeTableSQL+identifier) })
		if err != nil {
			return tables[:i], fmt.Errorf("analyze the table %s: %w", tables[i], err)
		}
	}

	return tables, nil
}
