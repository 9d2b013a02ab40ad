package databasetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/testkit/databasetest/pgserver"
)

// oncePerRun returns what create returns. All test processes of one run of withpostgres share the result of the first
// one: to migrate a database takes longer than many a package's tests.
func oncePerRun(name string, create func() ([]byte, error)) ([]byte, error) {
	dir := os.Getenv(pgserver.SharedDirVariable)
	if dir == "" {
		return create()
	}
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()

	path := filepath.Join(dir, name)
	lock := path + ".lock"
	for {
		content, err := os.ReadFile(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return content, err
		}

		file, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return createShared(path, file.Close(), create)
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}

		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another test process holds %s: %w", lock, ctx.Err())
		case <-time.After(10 * time.Millisecond): // the other process cannot signal that it has finished
		}
	}
}

// createShared writes what create returns to path. If that fails, the next process tries it.
func createShared(path string, err error, create func() ([]byte, error)) (content []byte, _ error) {
	if err == nil {
		content, err = create()
	}
	if err == nil {
		err = os.WriteFile(path+".new", content, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path) // no process sees half a file
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(path+".lock"))
	}
	return content, nil
}
