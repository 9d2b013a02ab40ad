package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	// saveEvery is the interval at which runSaver looks for columns to write. Columns that have no file are written at
	// once, those with at least saveChanges changed products after minSaveAge, and those with any change after
	// maxSaveAge. The change records cover the rest.
	saveEvery   = time.Minute
	saveChanges = 5_000
	minSaveAge  = 5 * time.Minute
	maxSaveAge  = time.Hour
	// minSavedProducts is the size of the smallest store that gets a file. Columns of fewer products are built within
	// milliseconds.
	minSavedProducts = 2_000
	// shutdownSaveTimeout limits the saves at shutdown.
	shutdownSaveTimeout = 10 * time.Second
	// saveAttempts is how often a save is tried if the columns change meanwhile. A save holds the lock of the columns
	// for saveLock at a time. The last attempt keeps it, so that they cannot change, and gives up after maxSaveLock.
	saveAttempts = 3
	saveLock     = 5 * time.Millisecond
	maxSaveLock  = 300 * time.Millisecond
	// minDiskLeft is how many bytes a save leaves free. The database is usually on the same disk.
	minDiskLeft = 256 << 20
	// orphansEvery is the interval at which the files of deleted stores are removed.
	orphansEvery = time.Hour
)

// errColumnsChanged reports that the columns changed while they were written.
var errColumnsChanged = errors.New("the search columns changed while they were written")

// savingLimits has the constants of the same names, unless a test changes them.
type savingLimits struct {
	minSavedProducts      int
	saveLock, maxSaveLock time.Duration
}

// savedColumns describes the file of a store's columns. The zero value stands for no file.
type savedColumns struct {
	state State
	at    time.Time
}

// runSaver writes columns to files, now and then and when ctx ends.
func (s *Service) runSaver(ctx context.Context) error {
	if !s.files.enabled() {
		return nil
	}
	err := periodic.Run(ctx, s.Log,
		periodic.Task{Name: "remove search columns of deleted stores", Every: orphansEvery, Do: s.removeOrphans},
		periodic.Task{Name: "write search columns", Every: saveEvery, Do: func(ctx context.Context) error {
			s.saveIndexes(ctx, (*searchIndex).saveIsDue)
			return nil
		}})
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownSaveTimeout)
	defer cancel()
	s.saveIndexes(limited, func(*searchIndex, time.Time) bool { return true })
	return err
}

// saveIndexes writes the columns for which due reports true, the last used ones first, and records in the files when
// they were last used.
func (s *Service) saveIndexes(ctx context.Context, due func(idx *searchIndex, now time.Time) bool) {
	list := s.storeIndexes()
	slices.SortFunc(list, func(a, b *searchIndex) int { return cmp.Compare(b.lastUse.Load(), a.lastUse.Load()) })
	now := time.Now()
	for i, idx := range list {
		if due(idx, now) && ctx.Err() == nil {
			err := s.saveIndex(ctx, idx)
			switch failed := err != nil && ctx.Err() == nil; {
			case failed && s.saveFailed.CompareAndSwap(false, true):
				s.Log.WarnContext(ctx,
					"cannot write search columns to a file; after a restart they will be built again",
					"store_id", idx.storeID, "error", err)
			case err == nil:
				s.saveFailed.Store(false)
			}
		}

		if use := idx.lastUse.Load(); idx.touched.use != use {
			idx.touched.use, idx.touched.at = use, now.Add(-time.Duration(i)*time.Millisecond)
		}

		s.files.touch(idx.storeID, idx.touched.at) // a save has changed it, too
	}
}

// saveIsDue reports whether the columns should be written.
func (idx *searchIndex) saveIsDue(now time.Time) bool {
	idx.mu.RLock()
	defer idx.mu.RUnlock()
	age := now.Sub(idx.saved.at)
	return idx.cols != nil && (age >= maxSaveAge || (age >= minSaveAge && idx.cols.unsaved >= saveChanges))
}

// saveIndex writes the columns of a store to its file, unless the file shows their state already or the store is small.
func (s *Service) saveIndex(ctx context.Context, idx *searchIndex) error {
	idx.mu.RLock()
	needed := idx.cols != nil && idx.cols.rowCount() >= s.saving.minSavedProducts && idx.cols.state != idx.saved.state
	idx.mu.RUnlock()
	if !needed {
		return nil
	}
	if free := s.freeDisk(); free-idx.bytes() < minDiskLeft {
		return fmt.Errorf("only %d MB of the disk are free", free>>20)
	}

	for attempt := range saveAttempts {
		err := s.trySave(ctx, idx, attempt == saveAttempts-1)
		if !errors.Is(err, errColumnsChanged) {
			return err
		}
	}

	return nil // the columns change all the time; a later save will succeed
}

func (s *Service) freeDisk() int64 {
	if s.FreeDisk == nil {
		return math.MaxInt64
	}
	return s.FreeDisk()
}

// trySave writes the columns of a store to a new file, which replaces the old one if it is complete. It returns
// errColumnsChanged as writeTo does.
func (s *Service) trySave(ctx context.Context, idx *searchIndex, locked bool) error {
	f, err := s.files.createTemp(idx.storeID)
	if err != nil {
		return err
	}

	start := time.Now()
	state, unsaved, err := s.writeTo(ctx, f, idx, locked)
	if err == nil {
		err = f.Sync()
	}

	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.files.path(idx.storeID))
	}

	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}

	s.counters.saves.Add(1)
	s.Log.DebugContext(ctx, "wrote search columns to a file", "store_id", idx.storeID, "bytes", idx.bytes(),
		"duration_ms", time.Since(start).Milliseconds())
	idx.mu.Lock()
	defer idx.mu.Unlock()

	idx.saved = savedColumns{state, time.Now()}
	if idx.cols != nil {
		idx.cols.unsaved -= min(unsaved, idx.cols.unsaved)
	}

	return nil
}

// writeTo writes the columns to a file and returns their state and their number of unsaved changes. Every saveLock it
// lets changes in, and if there are any, it returns errColumnsChanged. If locked is set, it prevents changes, and
// returns that error after maxSaveLock: a request that needs a change waits, and so do those after it.
func (s *Service) writeTo(
	ctx context.Context, f tempFile, idx *searchIndex, locked bool,
) (state State, unsaved int, err error) {
	idx.mu.RLock()
	defer func() { idx.mu.RUnlock() }()

	c := idx.cols
	since := time.Now()
	if c == nil {
		return state, 0, errColumnsChanged
	}

	state, unsaved = c.state, c.unsaved
	header := columnsHeader{database: s.files.database, store: idx.storeID, state: state, memory: idx.bytes(),
		written: since.UnixMicro()}

	err = writeColumns(f, header, c, func() error {
		switch held := time.Since(since); {
		case locked && held > s.saving.maxSaveLock:
			return errColumnsChanged
		case !locked && held > s.saving.saveLock:
			idx.mu.RUnlock()
			idx.mu.RLock()
			since = time.Now()
			if idx.cols != c || c.state != state {
				return errColumnsChanged
			}
		}

		return ctx.Err()
	})

	return state, unsaved, err
}

// removeOrphans removes the files of stores that do not exist in the database, and what killed processes left.
func (s *Service) removeOrphans(ctx context.Context) error {
	if err := s.files.removeTemporary(func(pid int) bool { return !processExists(pid) }); err != nil {
		return err
	}

	files, err := s.files.list()
	if err != nil {
		return err
	}

	for _, file := range files {
		err := s.DB.Read(ctx, func(q database.Querier) error {
			_, err := readVersions(ctx, store.In(q, file.store))
			return err
		})
		if errors.Is(err, database.ErrNoRows) {
			err = s.files.remove(file.store)
		}

		if err != nil {
			return err
		}
	}

	return nil
}
