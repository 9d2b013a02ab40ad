package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

const (
	// columnsSuffix is the end of the name of a file of columns, which begins with the id of the store. A file that is
	// being written has another name: the id of the store, the id of the process, a random number and tempSuffix,
	// separated by dots.
	columnsSuffix = ".columns"
	tempSuffix    = ".tmp"
	// staleTempAge is the age from which on a temporary file counts as left by a killed process, even if there is
	// another process with its id.
	staleTempAge = time.Hour
)

// columnFiles is the directory with the files of columns. The zero value has no files.
type columnFiles struct {
	dir      string
	database store.DatabaseID
	// create creates a temporary file; os.CreateTemp, unless a test replaces it.
	create func(dir, pattern string) (tempFile, error)
}

// tempFile is the part of os.File that a save needs.
type tempFile interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// openColumnFiles creates the directory if necessary and removes what killed processes left.
func openColumnFiles(dir string, databaseID store.DatabaseID) (columnFiles, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return columnFiles{}, err
	}
	d := columnFiles{dir: dir, database: databaseID,
		create: func(dir, pattern string) (tempFile, error) { return os.CreateTemp(dir, pattern) }}
	// This process has written no file yet. Files with its process id were written by an earlier process: in a
	// container every process may have the same id.
	return d, d.removeTemporary(func(pid int) bool { return pid == os.Getpid() || !processExists(pid) })
}

// createTemp creates the file that is to replace the file of a store.
func (d columnFiles) createTemp(storeID store.ID) (tempFile, error) {
	return d.create(d.dir, fmt.Sprintf("%s.%d.*%s", storeID, os.Getpid(), tempSuffix))
}

// removeTemporary removes the temporary files that are old, and those of processes for which ended reports true.
func (d columnFiles) removeTemporary(ended func(pid int) bool) error {
	entries, err := os.ReadDir(d.dir)
	for _, entry := range entries {
		info, infoErr := entry.Info()
		name, ok := strings.CutSuffix(entry.Name(), tempSuffix)
		if !ok || infoErr != nil {
			continue
		}
		_, owner, _ := strings.Cut(name, ".")
		owner, _, _ = strings.Cut(owner, ".")
		pid, pidErr := strconv.Atoi(owner)
		if time.Since(info.ModTime()) > staleTempAge || pidErr == nil && ended(pid) {
			_ = os.Remove(filepath.Join(d.dir, entry.Name()))
		}
	}
	return err
}

// processExists reports whether there is a process with this id on this machine.
func processExists(pid int) bool { return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func (d columnFiles) enabled() bool { return d.dir != "" }

func (d columnFiles) path(storeID store.ID) string {
	return filepath.Join(d.dir, storeID.String()+columnsSuffix)
}

// columnFile is a file of the directory.
type columnFile struct {
	store   store.ID
	lastUse time.Time
}

// list returns the files, the last used one first.
func (d columnFiles) list() ([]columnFile, error) {
	entries, err := os.ReadDir(d.dir)
	var files []columnFile
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), columnsSuffix)
		storeID, idErr := id.Parse[store.Store](name)
		info, infoErr := entry.Info()
		if ok && idErr == nil && infoErr == nil {
			files = append(files, columnFile{storeID, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b columnFile) int { return b.lastUse.Compare(a.lastUse) })
	return files, err
}

func (d columnFiles) exists(storeID store.ID) bool {
	if !d.enabled() {
		return false
	}
	_, err := os.Stat(d.path(storeID))
	return err == nil
}

func (d columnFiles) remove(storeID store.ID) error {
	if !d.enabled() {
		return nil
	}
	if err := os.Remove(d.path(storeID)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// touch records in the file that the store was used at this time.
func (d columnFiles) touch(storeID store.ID, at time.Time) {
	if d.enabled() {
		_ = os.Chtimes(d.path(storeID), at, at) // there may be no file
	}
}

// open opens the file of a store and reads its header. The caller closes the file. The error wraps fs.ErrNotExist if
// there is no file, and errColumnsFile if it is not usable.
func (d columnFiles) open(storeID store.ID) (*os.File, *columnsReader, columnsHeader, error) {
	var header columnsHeader
	if !d.enabled() {
		return nil, nil, header, fs.ErrNotExist
	}

	f, err := os.Open(d.path(storeID))
	if err != nil {
		return nil, nil, header, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, header, errors.Join(err, f.Close())
	}

	reader, header, err := newColumnsReader(f, info.Size())
	switch {
	case err != nil:
	case header.database != d.database:
		err = columnsFileError("it belongs to another database")
	case header.store != storeID:
		err = columnsFileError("it belongs to another store")
	}

	if err != nil {
		return nil, nil, header, errors.Join(err, f.Close())
	}

	return f, reader, header, nil
}

// load returns the columns in the file of a store, refreshed to the state of the snapshot of tx, and when they were
// written. It returns database.ErrNoRows if the store does not exist, the errors of searchColumns.refresh if the
// columns cannot be refreshed, and otherwise the same errors as open.
func (d columnFiles) load(
	ctx context.Context, tx store.Tx, memory int64,
) (c *searchColumns, saved savedColumns, err error) {
	f, reader, header, err := d.open(tx.StoreID())
	if err != nil {
		return nil, saved, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	current, err := readVersions(ctx, tx)
	if err != nil {
		return nil, saved, err
	}

	past, err := isPast(ctx, tx, header.state, current)
	switch {
	case err != nil:
		return nil, saved, err
	case !past || !header.state.isRecorded(current.State):
		return nil, saved, columnsFileError("the database has another history")
	case header.state.products < current.prunedUpTo:
		return nil, saved, columnsFileError("the changes since it was written are no longer recorded")
	case header.memory > memory:
		return nil, saved, errTooLarge
	}

	if c, err = reader.columns(header); err != nil {
		return nil, saved, err
	}

	// The file does not have them. If they are newer than the columns, the refresh reads them again.
	if err := c.readTerms(ctx, tx); err != nil {
		return nil, saved, err
	}

	err = c.refresh(ctx, tx, current, max(maxRefreshChanges, c.rowCount()/refreshFraction))
	return c, savedColumns{header.state, time.UnixMicro(header.written)}, err
}
