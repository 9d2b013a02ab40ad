package database

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"

	"vitrine/internal/kit/fault"
)

// ErrUnknownOutcome is wrapped by an error if the connection was lost or the disk failed during a COMMIT. The
// transaction may or may not be durable, so it must not be repeated without checking.
var ErrUnknownOutcome = errors.New("the outcome of the commit is unknown")

// IsUniqueViolation reports whether err is the violation of a unique index.
func IsUniqueViolation(err error) bool {
	return postgresCode(err) == "23505" || errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) ||
		errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY)
}

// ViolatesIndex reports whether err is the violation of the given unique index. PostgreSQL reports the name of the
// index, SQLite its columns. columns must have SQLite's form: "table.a, table.b".
func ViolatesIndex(err error, index, columns string) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code == "23505" && pgErr.ConstraintName == index
	}
	sqliteErr, ok := errors.AsType[*sqlite3.Error](err)
	return ok && IsUniqueViolation(err) && (strings.HasSuffix(sqliteErr.Error(), ": "+columns) ||
		strings.HasSuffix(sqliteErr.Error(), "index '"+index+"'"))
}

// postgresCode returns the SQLSTATE of an error of PostgreSQL, or "" for any other error.
func postgresCode(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code
	}
	return ""
}

// classifyDatabaseError wraps err in a fault if the client can retry later. Other errors are returned unchanged and
// count as internal.
func classifyDatabaseError(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}

	switch {
	case errors.Is(err, ErrUnknownOutcome):
		return fault.New(fault.Unavailable, "outcome_unknown",
			"The database was lost while the change was being committed; it may or may not have happened. "+
				"Send the request again with the same Idempotency-Key, or look first.").
			After(time.Second).Because(err)
	case errors.Is(err, context.Canceled):
		return err
	case isDiskFull(err):
		return fault.New(fault.Unavailable, "disk_full",
			"The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	case isBusy(err):
		return fault.New(fault.Unavailable, "database_busy",
			"The database is busy with other work; nothing was changed. Try again shortly.").
			After(time.Second).Because(err)
	case isUnreachable(err):
		return fault.New(fault.Unavailable, "database_unavailable",
			"The database cannot be reached; nothing was changed. Try again shortly.").
			After(2 * time.Second).Because(err)
	}

	return err
}

func errDatabaseUnusable(cause error) error {
	return fault.New(fault.Unavailable, "storage_failed",
		"The storage failed; nothing is written until the operator has looked at it.").
		After(time.Minute).Because(cause)
}

func isDiskFull(err error) bool {
	code, _ := errors.AsType[sqlite3.ErrorCode](err)
	if code == sqlite3.IOERR {
		// IOERR_SHMSIZE means that the shared-memory index of the write-ahead log could not grow; nothing was written.
		// After any other I/O error, even ENOSPC from fsync, the state on disk is unknown.
		return errors.Is(err, sqlite3.IOERR_SHMSIZE)
	}
	return code == sqlite3.FULL || isOutOfSpace(err) || postgresCode(err) == "53100"
}

func isBusy(err error) bool {
	if code := postgresCode(err); code != "" {
		// 55P03 is a lock timeout, 57014 a cancelled query; 40001 and 40P01 come here after the last retry.
		return slices.Contains([]string{"55P03", "57014", "40001", "40P01"}, code) || strings.HasPrefix(code, "53")
	}
	return errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.INTERRUPT) || errors.Is(err, context.DeadlineExceeded)
}

func isUnreachable(err error) bool {
	if errors.Is(err, errConnectionLost) || errors.Is(err, errClosed) {
		return true
	}
	if code := postgresCode(err); code != "" {
		// 08: connection; 57P: shutdown and start-up; 25006: read-only standby; 3D000: the database does not exist.
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || code == "25006" || code == "3D000"
	}
	// Check SQLite before net.Error: every SQLite error implements that interface too.
	if code, ok := errors.AsType[sqlite3.ErrorCode](err); ok {
		return code == sqlite3.CANTOPEN || code == sqlite3.READONLY
	}
	var connectErr *pgconn.ConnectError
	var netErr net.Error
	return errors.As(err, &connectErr) || errors.As(err, &netErr)
}

// IsAway reports whether err says that the database server does not answer yet, so that it is worth while to wait: it
// refuses connections, is starting, or is an old primary. A missing database and a wrong password need an operator.
func IsAway(err error) bool {
	if code := postgresCode(err); code != "" {
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P")
	}
	return isUnreachable(err)
}

// isStorageFailure reports whether the database file may be damaged. A full disk is not a storage failure: SQLite rolls
// back and the file stays consistent.
func isStorageFailure(err error) bool {
	if isDiskFull(err) {
		return false
	}
	return errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.IOERR)
}
