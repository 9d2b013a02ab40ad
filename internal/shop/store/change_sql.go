package store

import (
	"context"

	"vitrine/internal/kit/database"
)

// Two tables have versions of the stores' catalogues: catalog_versions and attribute_versions. Each has one row for a
// store, with the mark of the transaction that changed it last. Marks of both tables are compared with each other.

// MarkSQL returns the expression for the mark of a transaction that changes a version.
//
// On SQLite it is higher than all marks of both tables: there is one writer, so marks grow in the order of the commits.
// On PostgreSQL it is the id of the transaction. Transactions commit in another order than they begin, but each that a
// snapshot does not see has an id that is not lower than the snapshot's xmin.
func MarkSQL(d database.Dialect) string {
	if d.Engine == database.Postgres {
		return "pg_current_xact_id()::TEXT::BIGINT"
	}
	return "(1 + " + sqliteNewestMarkSQL + ")"
}

const (
	// Each subquery reads one entry of an index.
	sqliteNewestMarkSQL = `MAX(
	(SELECT COALESCE(MAX(mark), 0) FROM catalog_versions),
	(SELECT COALESCE(MAX(mark), 0) FROM attribute_versions))`

	sqliteMarksSQL = `
SELECT ` + sqliteNewestMarkSQL

	postgresMarksSQL = `
SELECT b.complete, b.beyond, GREATEST(0,
	(SELECT mark FROM catalog_versions WHERE mark < b.beyond ORDER BY mark DESC LIMIT 1),
	(SELECT mark FROM attribute_versions WHERE mark < b.beyond ORDER BY mark DESC LIMIT 1))
FROM (
	SELECT pg_snapshot_xmin(pg_current_snapshot())::TEXT::BIGINT AS complete,
		pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT AS beyond) AS b`

	// A store that changed in both tables is listed twice.
	changedStoresSQL = `
SELECT store_id, mark
FROM catalog_versions
WHERE mark >= $1
  AND mark < $2
UNION ALL
SELECT store_id, mark
FROM attribute_versions
WHERE mark >= $1
  AND mark < $2`
)

// Marks are the marks of a snapshot.
type Marks struct {
	// Complete is the mark up to which the snapshot sees all transactions: those with lower marks have ended.
	Complete int64
	// End is higher than the mark of every transaction that the snapshot sees. A database that was copied from another
	// server may have higher marks, which mean nothing.
	End int64
	// Newest is the highest mark below End that a store has, or 0.
	Newest int64
}

// ReadMarks returns the marks of the snapshot of q.
func ReadMarks(ctx context.Context, q database.Querier) (m Marks, err error) {
	if q.Dialect().Engine == database.Postgres {
		err = database.QueryRow(ctx, q, postgresMarksSQL, nil, &m.Complete, &m.End, &m.Newest)
		return m, err
	}
	err = database.QueryRow(ctx, q, sqliteMarksSQL, nil, &m.Newest)
	m.Complete, m.End = m.Newest+1, m.Newest+1
	return m, err
}

// ChangedStores returns the stores whose catalogues changed with a mark of at least from and below before, with their
// highest marks. It reads an index: its cost depends on the number of these stores only.
func ChangedStores(ctx context.Context, q database.Querier, from, before int64) (map[ID]int64, error) {
	changed := map[ID]int64{}
	err := database.QueryEach(ctx, q, changedStoresSQL, []any{from, before}, func(rows database.Rows) error {
		var storeID ID
		var mark int64
		err := rows.Scan(&storeID, &mark)
		changed[storeID] = max(changed[storeID], mark)
		return err
	})
	return changed, err
}
