// Package database opens SQLite or PostgreSQL behind one small interface. A Querier runs the same SQL on both engines;
// DB provides reads, reads on a snapshot, and write transactions. The package owns connections, transactions, retries,
// batches of rows, migrations, and the few differences between the engines. Only its migrations refer to tables of the
// shop.
//
// For callers:
//
//   - database.go: DB, Config, Querier, and the functions that open transactions. priority.go: how many connections
//     are kept free for whom. yield.go: long writes that give way to others.
//   - exec.go, scan.go: helpers that run a statement and read its rows. batch.go, query_all.go, exec_later.go: many
//     rows, several queries, or a late statement in one round trip. lookup.go: the word LOOKUP. savepoint.go.
//   - errors.go: faults and the error of an unknown outcome. notifier.go, notifier_sql.go: messages between
//     nodes. statement.go: work around statements. replica.go: reads on a standby. clock.go, server_sql.go: the time
//     of the server.
//   - migrate*.go, schema_status_sql.go, migrations/: the schema, and which programs may use it.
//   - check.go, integrity_sql.go, table_sql.go, analyze_sql.go: damage, rows by table, statistics of the planner.
//   - stats.go: measurements for metrics. trace.go, statement_name.go: spans. statement_hook.go: failures for tests.
//
// The engines:
//
//   - sqlite.go, sqlite_conn.go: connections and statements. sqlite_writer.go, write_queue.go: the one writer, and
//     commits that several writes share. sqlite_file.go: locks and modes of the files. sqlite_backup.go: copies.
//     sqlite_vfs.go, sqlite_temp.go, sqlite_memory.go: disk failures, temporary files, memory of a connection.
//   - postgres.go, postgres_connect.go: transactions, retries and connections. timeline.go: the refusal of an old
//     primary after a failover.
package database
