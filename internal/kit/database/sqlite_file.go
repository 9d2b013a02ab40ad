package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// privateMode is the mode of all files of a SQLite database, since they hold password and session hashes.
const privateMode fs.FileMode = 0o600

// SQLiteFile returns the path of the SQLite file that a database URL names. ok is false for PostgreSQL.
func SQLiteFile(url string) (path string, ok bool) {
	return strings.TrimPrefix(url, "file:"), !isPostgres(url)
}

// ErrLocked is returned by Lock if another process has locked the file.
var ErrLocked = errors.New("the database is in use by another server")

// lockTries is how often Lock tries again, and lockPause the pause before each time.
const (
	lockTries = 5
	lockPause = 20 * time.Millisecond
)

// migratesSuffix ends what a process writes into the file of the lock that migrates the database and is not a server.
const migratesSuffix = ", which migrates it)"

// Lock locks a SQLite file for one server. Two servers on one file would each take the other for dead, and run its jobs
// a second time. Commands that only open the file need no lock. The lock is an flock on a file of its own, path-lock;
// it ends with the process, however that ends.
func Lock(path string) (unlock func() error, err error) {
	unlock, holder, err := lockFile(lockPath(path), unix.LOCK_EX, fmt.Sprintf("process %d", os.Getpid()))
	// vitrine migrate --status has the lock for a moment.
	for tries := 0; tries < lockTries && errors.Is(err, syscall.EWOULDBLOCK); tries++ {
		time.Sleep(lockPause)
		unlock, holder, err = lockFile(lockPath(path), unix.LOCK_EX, fmt.Sprintf("process %d", os.Getpid()))
	}
	if errors.Is(err, syscall.EWOULDBLOCK) && strings.HasSuffix(holder, migratesSuffix) {
		return nil, fmt.Errorf("%w%s: %s. Start the server when the migration has ended", ErrLocked, holder, path)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w%s: %s. Stop that server first; several servers can share a PostgreSQL database",
			ErrLocked, holder, path)
	}
	return unlock, err
}

// lockPath returns the name of the file that a server locks.
func lockPath(path string) string { return withoutLinks(path) + "-lock" }

// withoutLinks returns the path of the file that a symbolic link names.
func withoutLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// lockMigrations waits until no other process migrates the file. The file of the lock stays, like the file of Lock.
func (e *sqliteEngine) lockMigrations(ctx context.Context) (unlock func() error, err error) {
	for {
		unlock, _, err = lockFile(withoutLinks(e.path)+"-migrate", unix.LOCK_EX, "")
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(lockPause):
		}
	}
}

// lockFile takes an flock, and writes into the file who has it, unless name is "". If another process has a lock that
// excludes it, it returns syscall.EWOULDBLOCK and what that process has written, in parentheses after a space, or "".
func lockFile(path string, how int, name string) (unlock func() error, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, privateMode)
	if err != nil {
		return nil, "", fmt.Errorf("lock the database file: %w", err)
	}

	if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 64)) // without it, the message names no process
		return nil, strings.TrimRight(" "+string(holder), " \n"),
			errors.Join(fmt.Errorf("lock the database file: %w", err), f.Close())
	}

	if name == "" {
		return f.Close, "", nil
	}

	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(f, "(%s)\n", name)
	}

	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("lock the database file: %w", err), f.Close())
	}

	return f.Close, "", nil // the file stays: another process may be about to lock it
}

// excludeServer returns ErrOlderNodes if a server uses the file, and keeps servers from starting until release is
// called. Other processes that migrate share the lock.
func (e *sqliteEngine) excludeServer(_ context.Context, version int64) (release func() error, err error) {
	if e.locked || version == 0 {
		return func() error { return nil }, nil
	}
	release, holder, err := lockFile(lockPath(e.path), unix.LOCK_SH,
		fmt.Sprintf("process %d%s", os.Getpid(), strings.TrimSuffix(migratesSuffix, ")")))
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: a server%s on %s", ErrOlderNodes, holder, e.path)
	}
	return release, err
}

// runningServer describes the server that uses the file. It returns nothing if there is none, and writes nothing.
func (e *sqliteEngine) runningServer() ([]string, error) {
	if _, err := os.Stat(lockPath(e.path)); e.locked || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	release, holder, err := lockFile(lockPath(e.path), unix.LOCK_SH, "")
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return []string{"a server" + holder}, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, release()
}

// createPrivateFile creates the file with mode 0600 if it does not exist.
func createPrivateFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, privateMode)
	if err != nil {
		return err
	}
	return f.Close()
}

// makePrivate gives mode 0600 to a database file and its -wal and -shm files. The driver creates the latter with the
// mode 0666 less the umask, and not with the mode of the database file as SQLite's own VFS does.
func makePrivate(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err == nil {
			err = os.Chmod(path+suffix, privateMode)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
