package database

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"

	"vitrine/internal/kit/fault"
)

// ErrUnknownOutcome is in the chain of an error when the connection was lost while a COMMIT was on its way, or the disk
// failed under one: the work may or may not be durable, and must not be repeated blindly.
var ErrUnknownOutcome = errors.New("the outcome of the commit is unknown")

// IsUniqueViolation reports whether err says that a unique index would be broken.
func IsUniqueViolation(err error) bool {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code == "23505"
	}
	return errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) || errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY)
}

// ViolatesIndex reports whether err is the violation of that unique index; columns are its columns as SQLite names them
// ("table.a, table.b"), since SQLite reports those and PostgreSQL the index.
func ViolatesIndex(err error, index, columns string) bool {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code == "23505" && pgErr.ConstraintName == index
	}
	var sqliteErr *sqlite3.Error
	return IsUniqueViolation(err) && errors.As(err, &sqliteErr) &&
		(strings.HasSuffix(sqliteErr.Error(), ": "+columns) || strings.HasSuffix(sqliteErr.Error(), "index '"+index+"'"))
}

// classify turns what an engine says into a fault where a client can do something about it (come back later);
// everything else stays as it is and is internal.
func classify(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	switch {
	case errors.Is(err, ErrUnknownOutcome):
		return fault.New(fault.Unavailable, "outcome_unknown",
			"The database was lost while the change was being committed; it may or may not have happened. Send the request again with the same Idempotency-Key, or look first.").
			After(time.Second).Because(err)
	case errors.Is(err, context.Canceled):
		return err
	case isDiskFull(err):
		return fault.New(fault.Unavailable, "disk_full", "The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	case isBusy(err):
		return fault.New(fault.Unavailable, "database_busy", "The database is busy with other work; nothing was changed. Try again shortly.").
			After(time.Second).Because(err)
	case isUnreachable(err):
		return fault.New(fault.Unavailable, "database_unavailable", "The database cannot be reached; nothing was changed. Try again shortly.").
			After(2 * time.Second).Because(err)
	}
	return err
}

func errBroken(cause error) error {
	return fault.New(fault.Unavailable, "storage_failed", "The storage failed; nothing is written until the operator has looked at it.").
		After(time.Minute).Because(cause)
}

func isDiskFull(err error) bool {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code == "53100"
	}
	var code sqlite3.ErrorCode
	if errors.As(err, &code) && code == sqlite3.IOERR {
		// The index of the write-ahead log could not grow; nothing was written. After any other, an fsync that found no room
		// too, nobody knows what is on the disk.
		return errors.Is(err, sqlite3.IOERR_SHMSIZE)
	}
	return code == sqlite3.FULL || isOutOfSpace(err)
}

func isBusy(err error) bool {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		switch pgErr.Code {
		case "55P03", "57014", "40001", "40P01": // lock not available, query cancelled, and what is left after the retries
			return true
		}
		return strings.HasPrefix(pgErr.Code, "53")
	}
	return errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.INTERRUPT) || errors.Is(err, context.DeadlineExceeded)
}

func isUnreachable(err error) bool {
	if errors.Is(err, errConnectionLost) || errors.Is(err, errClosed) {
		return true
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		// 08: connection; 57P: shutdown and start-up; 25006: a standby that takes no writes; 3D000: the database is gone.
		return strings.HasPrefix(pgErr.Code, "08") || strings.HasPrefix(pgErr.Code, "57P") || pgErr.Code == "25006" || pgErr.Code == "3D000"
	}
	// Before the network's errors: every error of SQLite has their methods too.
	var code sqlite3.ErrorCode
	if errors.As(err, &code) {
		return code == sqlite3.CANTOPEN || code == sqlite3.READONLY
	}
	var connectErr *pgconn.ConnectError
	var netErr net.Error
	return errors.As(err, &connectErr) || errors.As(err, &netErr)
}

// isStorageFailure reports an error after which the file itself is in doubt. A full disk is not one: SQLite rolls back and stays sound.
func isStorageFailure(err error) bool {
	if isDiskFull(err) {
		return false
	}
	return errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.IOERR)
}
