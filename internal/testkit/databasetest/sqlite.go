package databasetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// sqliteTemplate returns the content of a migrated database file.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	file, err := oncePerRun("sqlite", makeSQLiteTemplate)
	if err != nil {
		return nil, fmt.Errorf("create the SQLite template: %w", err)
	}
	return file, nil
})

func makeSQLiteTemplate() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "vitrine-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()

	path := filepath.Join(dir, "template.db")
	if err := migrate(ctx, path); err != nil {
		return nil, err
	}

	// Data that is still in the write-ahead log would be missing from every copy.
	if wal, err := os.Stat(path + "-wal"); err == nil && wal.Size() > 0 {
		return nil, fmt.Errorf("closing the database left %d bytes in its write-ahead log", wal.Size())
	}

	return os.ReadFile(path)
}

// createSQLite writes template to a file in dir. Without a template it creates no file, since SQLite creates the file
// on opening.
func createSQLite(dir string, template []byte) (FreshDatabase, error) {
	path := filepath.Join(dir, "vitrine.db")
	fresh := FreshDatabase{URL: path, Drop: func(context.Context) error { return nil }}
	if template == nil {
		return fresh, nil
	}
	return fresh, os.WriteFile(path, template, 0o600)
}
