package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"

	"vitrine/internal/kit/fault"
)

func newPgError(code string) error { return &pgconn.PgError{Severity: "ERROR", Code: code} }

func TestClassify(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("run: %w", err) }
	for _, c := range []struct {
		err  error
		code string // of the Unavailable fault; "" means unchanged
	}{
		{nil, ""},
		{errors.New("a bug"), ""},
		{ErrNoRows, ""},
		{context.Canceled, ""},
		{fault.Missing("thing"), ""},
		{fault.New(fault.Conflict, "taken", "Taken.").Because(sqlite3.BUSY), ""},

		{context.DeadlineExceeded, "database_busy"},
		{errors.Join(ErrUnknownOutcome, &net.OpError{Op: "read", Err: syscall.ECONNRESET}), "outcome_unknown"},
		{errors.Join(ErrUnknownOutcome, context.Canceled), "outcome_unknown"},
		{errors.Join(ErrUnknownOutcome, newPgError("57P01")), "outcome_unknown"},

		{sqlite3.FULL, "disk_full"},
		{sqlite3.IOERR_SHMSIZE, "disk_full"},
		{&fs.PathError{Op: "write", Err: syscall.ENOSPC}, "disk_full"},
		{&fs.PathError{Op: "write", Err: syscall.EDQUOT}, "disk_full"},
		{os.NewSyscallError("write", syscall.EFBIG), "disk_full"},
		{newPgError("53100"), "disk_full"},

		{sqlite3.BUSY, "database_busy"},
		{sqlite3.BUSY_SNAPSHOT, "database_busy"},
		{sqlite3.BUSY_RECOVERY, "database_busy"},
		{sqlite3.INTERRUPT, "database_busy"},
		{newPgError("55P03"), "database_busy"},
		{newPgError("57014"), "database_busy"},
		{newPgError("40001"), "database_busy"},
		{newPgError("40P01"), "database_busy"},
		{newPgError("53300"), "database_busy"},
		{newPgError("53200"), "database_busy"},

		{sqlite3.CANTOPEN, "database_unavailable"},
		{sqlite3.READONLY, "database_unavailable"},
		{sqlite3.READONLY_DIRECTORY, "database_unavailable"},
		{errClosed, "database_unavailable"},
		{newPgError("08006"), "database_unavailable"},
		{newPgError("57P01"), "database_unavailable"},
		{newPgError("57P02"), "database_unavailable"},
		{newPgError("57P03"), "database_unavailable"},
		{newPgError("25006"), "database_unavailable"},
		{newPgError("3D000"), "database_unavailable"},
		{errors.Join(errors.New("unexpected EOF"), errConnectionLost), "database_unavailable"},
		// With 0A000 a standby refuses to begin a write transaction.
		{errors.Join(newPgError("0A000"), errConnectionLost), "database_unavailable"},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "database_unavailable"},
		{&pgconn.ConnectError{Config: &pgconn.Config{}}, "database_unavailable"},

		// These are bugs, and failures that only the operator can fix. All SQLite errors implement net.Error, but must
		// not be taken for network errors.
		{sqlite3.CONSTRAINT_UNIQUE, ""},
		{sqlite3.CONSTRAINT_FOREIGNKEY, ""},
		{sqlite3.ERROR, ""},
		{sqlite3.CORRUPT, ""},
		{sqlite3.IOERR_FSYNC, ""},
		{sqlite3.MISUSE, ""},
		{newPgError("23505"), ""},
		{newPgError("23503"), ""},
		{newPgError("42P01"), ""},
		{newPgError("25P02"), ""},
		{newPgError("XX000"), ""},
	} {
		for _, err := range []error{c.err, wrap(c.err)} {
			if c.err == nil {
				err = nil
			}

			got := classifyDatabaseError(err)
			if !errors.Is(got, err) {
				t.Errorf("classifyDatabaseError(%v) = %v: the cause is lost", err, got)
			}

			var f *fault.Error
			switch ok := errors.As(got, &f); {
			case c.code == "" && got != err: //nolint:errorlint // it must be the same value
				t.Errorf("classifyDatabaseError(%v) = %v, want it unchanged", err, got)
			case c.code != "" && (!ok || f.Kind != fault.Unavailable || f.Code != c.code || f.RetryAfter <= 0):
				t.Errorf("classifyDatabaseError(%v) = %v, want Unavailable %s with a RetryAfter", err, got, c.code)
			}
		}
	}
}

func TestIsStorageFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{sqlite3.IOERR, true}, {sqlite3.IOERR_FSYNC, true}, {sqlite3.IOERR_WRITE, true}, {sqlite3.IOERR_READ, true},
		{sqlite3.IOERR_DIR_FSYNC, true}, {sqlite3.IOERR_DATA, true},
		{sqlite3.CORRUPT, true}, {sqlite3.CORRUPT_INDEX, true}, {sqlite3.NOTADB, true},
		{fmt.Errorf("run: %w", sqlite3.IOERR_WRITE), true},
		{fault.New(fault.Unavailable, "x", "x").Because(sqlite3.CORRUPT), true},

		{sqlite3.FULL, false}, {sqlite3.IOERR_SHMSIZE, false}, {sqlite3.BUSY, false}, {sqlite3.CANTOPEN, false},
		{sqlite3.READONLY, false}, {sqlite3.CONSTRAINT_UNIQUE, false}, {sqlite3.INTERRUPT, false},
		{sqlite3.ERROR, false},
		{&fs.PathError{Op: "write", Err: syscall.ENOSPC}, false},
		{errors.New("anything"), false}, {newPgError("58030"), false}, {context.Canceled, false},
		{errors.Join(sqlite3.FULL, sqlite3.ERROR), false},
	} {
		if got := isStorageFailure(c.err); got != c.want {
			t.Errorf("isStorageFailure(%v) = %v", c.err, got)
		}
	}
}

func TestStorageFailure_stopsAllWrites(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db, _ := openFile(t)
	db.log = slog.New(slog.NewTextHandler(&log, nil))
	nothing := func(Querier) error { return nil }

	for _, harmless := range []error{nil, sqlite3.FULL, sqlite3.BUSY, errors.New("a bug"), context.Canceled} {
		_ = db.Write(t.Context(), func(Querier) error { return harmless })
	}

	if err := errors.Join(db.Write(t.Context(), nothing), db.Ping(t.Context())); err != nil || log.Len() > 0 {
		t.Fatalf("a harmless error stopped writes: %v, log %q", err, log.String())
	}

	cause := fmt.Errorf("read a page: %w", sqlite3.CORRUPT)
	if err := db.Read(t.Context(), func(Querier) error { return cause }); !errors.Is(err, sqlite3.CORRUPT) {
		t.Errorf("the read that failed returned %v, want CORRUPT", err)
	}

	ran := false
	for name, err := range map[string]error{
		"Write":      db.Write(t.Context(), func(Querier) error { ran = true; return nil }),
		"WriteAlone": db.WriteAlone(t.Context(), func(Querier) error { ran = true; return nil }),
		"Ping":       db.Ping(t.Context()),
	} {
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "storage_failed" ||
			!errors.Is(err, sqlite3.CORRUPT) {
			t.Errorf("%s after a storage failure: %v, want storage_failed and its cause", name, err)
		}
	}

	if ran {
		t.Error("a write ran after a storage failure")
	}
	if err := db.PingRead(t.Context()); err != nil {
		t.Errorf("PingRead after a storage failure returned %v; the database can still be read", err)
	}
	if err := db.Read(t.Context(), nothing); err != nil {
		t.Errorf("reads are refused too: %v", err)
	}

	_ = db.Read(t.Context(), func(Querier) error { return sqlite3.IOERR_READ })
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "read a page") {
		t.Errorf("%d errors were logged, want 1: %s", n, log.String())
	}
}
