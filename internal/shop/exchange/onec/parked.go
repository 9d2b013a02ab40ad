package onec

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// parkedFileMessage is the problem of a file of 1C whose job is parked.
const parkedFileMessage = "The server stopped unexpectedly several times while it read this file, so the file was " +
	"set aside. It is kept and can be tried again in the administration of the shop."

// discardedFileMessage is the problem of a file of 1C whose parked job was discarded.
const discardedFileMessage = "The server stopped unexpectedly several times while it read this file, and an operator " +
	"has discarded it. Send it again if it is needed."

// parkFile fails a file of 1C whose job is parked, and the runs that it has so far. The full packages to which it may
// belong archive nothing.
func (s *Service) parkFile(ctx context.Context, q querier, ref fileRef) error {
	s.Log.ErrorContext(ctx, "the import of a file was parked", "store_id", ref.storeID, "file", ref.key)
	return s.changeParkedFile(ctx, q, ref, fileParked, parkedFileMessage, func(tx store.Tx, run *exchange.Run) error {
		return s.Exchange.Runs.Park(ctx, tx, run)
	})
}

// unparkFile makes a file whose job is parked wait for its import again. It returns fault.NotFound if the file was
// deleted.
func (s *Service) unparkFile(ctx context.Context, q querier, ref fileRef) error {
	if _, err := fileByKey(ctx, store.In(q, ref.storeID), ref.key); errors.Is(err, database.ErrNoRows) {
		return fault.New(fault.NotFound, "no_such_file", "The file is not there any more; send it again.")
	}
	return s.changeParkedFile(ctx, q, ref, fileQueued, "", func(tx store.Tx, run *exchange.Run) error {
		return s.Exchange.Runs.Reopen(ctx, tx, run)
	})
}

// discardFile gives up a file whose job is parked.
func (s *Service) discardFile(ctx context.Context, q querier, ref fileRef) error {
	discard := func(tx store.Tx, run *exchange.Run) error { return s.Exchange.Runs.Discard(ctx, tx, run) }
	return s.changeParkedFile(ctx, q, ref, fileFailed, discardedFileMessage, discard)
}

// changeParkedFile sets the state of a file and calls change for each of its runs. It does nothing if the file was
// deleted.
func (s *Service) changeParkedFile(
	ctx context.Context, q querier, ref fileRef, state fileState, problem string,
	change func(tx store.Tx, run *exchange.Run) error,
) error {
	tx := store.In(q, ref.storeID)
	file, err := fileByKey(ctx, tx, ref.key)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := setFileState(ctx, tx, file.key, state, problem); err != nil {
		return err
	}

	if state == fileParked {
		if err := failPackages(ctx, tx, file); err != nil {
			return err
		}
	}

	for _, key := range file.runs { // one for each entity of the file
		run, err := s.Exchange.Runs.FindByKey(ctx, tx, key)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if err := change(tx, &run); err != nil {
			return err
		}
	}

	return nil
}

// parkedFileJob returns the name of the parked job that imports the file of a run, or fault.NotFound.
func parkedFileJob(ctx context.Context, tx store.Tx, runKey int64) (name string, err error) {
	files, err := parkedFiles(ctx, tx)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		for _, key := range file.runs {
			if key == runKey {
				return fileJobName(file.key), nil
			}
		}
	}
	return "", fault.New(fault.NotFound, "not_found", "There is no such file.")
}

// cancelParkedFiles deletes the parked jobs of the files of a session that is about to be deleted.
func (s *Service) cancelParkedFiles(ctx context.Context, ref sessionRef) error {
	return s.write(ctx, func(q querier) error {
		files, err := parkedFiles(ctx, store.In(q, ref.storeID))
		files = slices.DeleteFunc(files, func(f sessionFile) bool { return f.sessionKey != ref.key })
		if err != nil || len(files) == 0 {
			return err
		}
		var names []string
		for _, file := range files {
			names = append(names, fileJobName(file.key))
		}
		return s.Queue.CancelParked(ctx, q, jobKind, names)
	})
}
