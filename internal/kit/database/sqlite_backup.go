package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotSQLite is returned by Backup on PostgreSQL, which has programs of its own for it.
var ErrNotSQLite = errors.New("only a SQLite database can be backed up this way")

// Backup writes a copy of the SQLite database to a new file. The copy is a snapshot: it has all transactions that were
// committed before, and none in part. Reads and writes go on meanwhile. When Backup returns nil, the file is durable.
func (db *DB) Backup(ctx context.Context, path string) error {
	return classifyDatabaseError(db.engine.backup(ctx, path))
}

func (e *sqliteEngine) backup(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s exists already", path))
	}

	c, err := e.connect(ctx, false) // VACUUM INTO is refused by a connection with query_only
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.shutdown()) }()

	if _, err := c.Exec(ctx, "PRAGMA temp_store = file"); err != nil { // no memory that grows with the database
		return err
	}

	// An empty file is accepted as the target, and keeps its mode.
	if err := createPrivateFile(path); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "VACUUM INTO $1", path); err != nil {
		return errors.Join(err, os.Remove(path))
	}

	return errors.Join(syncFile(path), syncDir(filepath.Dir(path)))
}

func (*postgresEngine) backup(context.Context, string) error { return ErrNotSQLite }

// ReplaceFile makes a complete and closed SQLite file the database at path. No process may have that database open. It
// removes the -wal and -shm files of the old database first: SQLite would apply an old write-ahead log to the new file.
func ReplaceFile(path, file string) error {
	if err := syncFile(file); err != nil {
		return err
	}

	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}

	dir := filepath.Dir(path)
	if err := syncDir(dir); err != nil {
		return err
	}
	if err := os.Rename(file, path); err != nil {
		return err
	}

	return syncDir(dir)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
