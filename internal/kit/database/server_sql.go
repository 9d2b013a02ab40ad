package database

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const serverTimeSQL = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint"

// timelineSQL returns the identifier of the PostgreSQL installation, which its standbys share, and the timeline on
// which the server writes. A promoted standby begins a new timeline. The timeline of a standby is empty.
const timelineSQL = `SELECT system_identifier::text, CASE WHEN pg_is_in_recovery() THEN ''
	ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END FROM pg_control_system()`

// selectServerTime returns the time of a PostgreSQL server.
func selectServerTime(ctx context.Context, q Querier) (time.Time, error) {
	var micros int64
	err := QueryRow(ctx, q, serverTimeSQL, nil, &micros)
	return time.UnixMicro(micros), err
}

// readTimeline returns the timeline on which the server writes. ok is false for a standby and for a server that does
// not tell it.
func readTimeline(ctx context.Context, conn *pgconn.PgConn) (found timeline, ok bool) {
	results, err := conn.Exec(ctx, timelineSQL).ReadAll()
	if err != nil || len(results) != 1 || len(results[0].Rows) != 1 {
		return timeline{}, false
	}
	row := results[0].Rows[0]
	number, err := strconv.ParseUint(string(row[1]), 16, 32)
	return timeline{string(row[0]), number}, err == nil
}
