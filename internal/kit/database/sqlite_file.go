package database

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

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

// Lock locks a SQLite file for one server. Two servers on one file would each take the other for dead, and run its jobs
// a second time. Commands that only open the file need no lock. The lock is an flock on a file of its own, path-lock;
// it ends with the process, however that ends.
func Lock(path string) (unlock func() error, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, privateMode)
	if err != nil {
		return nil, fmt.Errorf("lock the database file: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := io.ReadAll(io.LimitReader(f, 32)) // without it, the message names no process
		err = fmt.Errorf("%w%s: %s. Stop that server first; several servers can share a PostgreSQL database", ErrLocked,
			strings.TrimRight(" "+string(holder), " \n"), path)
		return nil, errors.Join(err, f.Close())
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "(process %d)\n", os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the database file: %w", err), f.Close())
	}
	return f.Close, nil // the file stays: another process may be about to lock it
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
// mode 0666 less the umask, and not with that of the database file as SQLite's own VFS does.
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
