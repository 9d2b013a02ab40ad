package exchange

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// codeParked is the problem code of a run whose job is parked. Its body is kept, so that the run can be tried again.
const codeParked = "parked"

// IsParked reports whether the run failed because too many processes died while they applied it. It can be tried again.
func (r *Run) IsParked() bool { return r.Problem != nil && r.Problem.Code == codeParked }

// parkedProblem is the problem of a run whose job is parked.
func parkedProblem() *RunProblem {
	return &RunProblem{Code: codeParked, Message: "The server stopped unexpectedly several times while it worked on this " +
		"push, so the push was set aside. The items counted above were applied. What was sent is kept: try it again in " +
		"the administration, or push again."}
}

// parkedFileMessage is the problem of a file of 1C whose job is parked.
const parkedFileMessage = "The server stopped unexpectedly several times while it read this file, so the file was set " +
	"aside. It is kept and can be tried again in the administration of the shop."

// discardedFileMessage is the problem of a file of 1C whose parked job was discarded.
const discardedFileMessage = "The server stopped unexpectedly several times while it read this file, and an operator " +
	"has discarded it. Send it again if it is needed."

// parkRun fails the run of a parked job. Later pushes of the store go on, as after any push that failed.
func (s *Service) parkRun(ctx context.Context, q querier, ref spooledRun) error {
	tx := store.In(q, ref.storeID)
	run, err := selectRunByKey(ctx, tx, ref.key)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s.Log.ErrorContext(ctx, "a push was parked", "store_id", ref.storeID, "run_id", run.ID)
	return s.endParkedRun(ctx, tx, &run)
}

func (s *Service) endParkedRun(ctx context.Context, tx store.Tx, run *Run) error {
	run.Status = Failed
	run.FinishedAt = new(s.now())
	run.Problem = parkedProblem()
	return s.endRun(ctx, tx, run)
}

// unparkRun makes the run of a parked job wait again. It continues after the last batch that was applied.
func (s *Service) unparkRun(ctx context.Context, q querier, ref spooledRun) error {
	tx := store.In(q, ref.storeID)
	run, err := selectRunByKey(ctx, tx, ref.key)
	if err != nil {
		return err
	}
	return reopenRun(ctx, tx, &run)
}

func reopenRun(ctx context.Context, tx store.Tx, run *Run) error {
	run.Status = Queued
	run.FinishedAt = nil
	run.Problem = nil
	return saveRun(ctx, tx, run)
}

// discardRun gives up the run of a parked job. deleteFinishedBodies deletes its body.
func (s *Service) discardRun(ctx context.Context, q querier, ref spooledRun) error {
	tx := store.In(q, ref.storeID)
	run, err := selectRunByKey(ctx, tx, ref.key)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return discardParkedRun(ctx, tx, &run)
}

func discardParkedRun(ctx context.Context, tx store.Tx, run *Run) error {
	run.Problem = &RunProblem{Code: "discarded", Message: "The server stopped unexpectedly several times while it " +
		"worked on this push, and an operator has discarded it. The items counted above were applied."}
	if err := saveRun(ctx, tx, run); err != nil {
		return err
	}
	return releaseFile(ctx, tx, run)
}

// parkFile fails a file of 1C whose job is parked, and the runs that it has so far. The full packages to which it may
// belong archive nothing.
func (s *Service) parkFile(ctx context.Context, q querier, ref fileRef) error {
	s.Log.ErrorContext(ctx, "the import of a file was parked", "store_id", ref.storeID, "file", ref.key)
	return s.changeParkedFile(ctx, q, ref, fileParked, parkedFileMessage, func(tx store.Tx, run *Run) error {
		return s.endParkedRun(ctx, tx, run)
	})
}

// unparkFile makes a file whose job is parked wait for its import again. It returns fault.NotFound if the file was
// deleted.
func (s *Service) unparkFile(ctx context.Context, q querier, ref fileRef) error {
	if _, err := fileByKey(ctx, store.In(q, ref.storeID), ref.key); errors.Is(err, database.ErrNoRows) {
		return fault.New(fault.NotFound, "no_such_file", "The file is not there any more; send it again.")
	}
	return s.changeParkedFile(ctx, q, ref, fileQueued, "", func(tx store.Tx, run *Run) error {
		return reopenRun(ctx, tx, run)
	})
}

// discardFile gives up a file whose job is parked.
func (s *Service) discardFile(ctx context.Context, q querier, ref fileRef) error {
	return s.changeParkedFile(ctx, q, ref, fileFailed, discardedFileMessage, func(tx store.Tx, run *Run) error {
		return discardParkedRun(ctx, tx, run)
	})
}

// changeParkedFile sets the state of a file and calls change for each of its runs. It does nothing if the file was
// deleted.
func (s *Service) changeParkedFile(
	ctx context.Context, q querier, ref fileRef, state fileState, problem string,
	change func(tx store.Tx, run *Run) error,
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
		if err := s.failPackages(ctx, tx, file); err != nil {
			return err
		}
	}
	for _, key := range file.runs { // one for each entity of the file
		run, err := selectRunByKey(ctx, tx, key)
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

// RetryRun tries a parked run again, in the caller's transaction. It returns fault.NotFound, or fault.Conflict if the
// run is not parked.
func (s *Service) RetryRun(ctx context.Context, tx store.Tx, runID RunID) (err error) {
	defer fault.AddContext(&err, "retry run %s", runID)
	run, err := lockRun(ctx, tx, runID)
	if err != nil {
		return err
	}
	job, err := s.Queue.FindParked(ctx, tx.Unscoped(), runKind, runID.String())
	if fault.KindOf(err) == fault.NotFound && run.IsParked() {
		var file int64
		if file, err = s.parkedFileOf(ctx, tx, run.Key); err == nil {
			job, err = s.Queue.FindParked(ctx, tx.Unscoped(), oneCKind, fileJobName(file))
		}
	}
	if fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.Conflict, "not_parked", "This push is not set aside, so there is nothing to try again.")
	}
	if err != nil {
		return err
	}
	_, err = s.Queue.Unpark(ctx, tx.Unscoped(), tx.StoreID().String(), job.Key)
	return err
}

// HasParked reports whether a push or a file of 1C of the store is parked.
func (s *Service) HasParked(ctx context.Context, tx store.Tx) (bool, error) {
	for _, kind := range []string{runKind, oneCKind} {
		parked, err := s.Queue.Parked(ctx, tx.Unscoped(), tx.StoreID().String(), kind, 1)
		if err != nil || len(parked) > 0 {
			return len(parked) > 0, err
		}
	}
	return false, nil
}

// parkedFileOf returns the key of the parked file that has a run, or fault.NotFound.
func (s *Service) parkedFileOf(ctx context.Context, tx store.Tx, runKey int64) (int64, error) {
	files, err := parkedFiles(ctx, tx)
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		for _, key := range file.runs {
			if key == runKey {
				return file.key, nil
			}
		}
	}
	return 0, fault.New(fault.NotFound, "not_found", "There is no such file.")
}

// cancelParkedRuns deletes the parked jobs of runs that are about to be deleted.
func (s *Service) cancelParkedRuns(ctx context.Context, q querier, runs []runRef) error {
	names, err := parkedRunIDs(ctx, q, runs)
	if err != nil || len(names) == 0 {
		return err
	}
	return s.Queue.CancelParked(ctx, q, runKind, names)
}

// cancelParkedFiles deletes the parked jobs of the files of a session that is about to be deleted.
func (s *Service) cancelParkedFiles(ctx context.Context, ref runRef) error {
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
		return s.Queue.CancelParked(ctx, q, oneCKind, names)
	})
}
