package exchange

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// codeParked is the problem code of a run whose job is parked. Its body is kept, so that the run can be tried again.
const codeParked = "parked"

// IsParked reports whether the run failed because too many processes died while they applied it. It can be tried again.
func (r *Run) IsParked() bool { return r.Problem != nil && r.Problem.Code == codeParked }

// parkedProblem is the problem of a run whose job is parked.
func parkedProblem() *RunProblem {
	return &RunProblem{Code: codeParked, Message: "The server stopped unexpectedly several times while it worked on " +
		"this push, so the push was set aside. The items counted above were applied. What was sent is kept: try it " +
		"again in the administration, or push again."}
}

// parkRun fails the run of a parked job. Later pushes of the store go on, as after any push that failed.
func (s *Pushes) parkRun(ctx context.Context, q querier, ref RunRef) error {
	tx := store.In(q, ref.StoreID)
	run, err := selectRunByKey(ctx, tx, ref.Key)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s.Log.ErrorContext(ctx, "a push was parked", "store_id", ref.StoreID, "run_id", run.ID)
	return s.runs.Park(ctx, tx, &run)
}

// unparkRun makes the run of a parked job wait again. It continues after the last batch that was applied.
func (s *Pushes) unparkRun(ctx context.Context, q querier, ref RunRef) error {
	tx := store.In(q, ref.StoreID)
	run, err := selectRunByKey(ctx, tx, ref.Key)
	if err != nil {
		return err
	}
	return s.runs.Reopen(ctx, tx, &run)
}

// discardRun gives up the run of a parked job. Bodies.deleteFinished deletes its body.
func (s *Pushes) discardRun(ctx context.Context, q querier, ref RunRef) error {
	tx := store.In(q, ref.StoreID)
	run, err := selectRunByKey(ctx, tx, ref.Key)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return s.runs.Discard(ctx, tx, &run)
}

// Park fails a run whose job is parked, in the caller's transaction. What was sent is kept.
func (s *Runs) Park(ctx context.Context, tx store.Tx, run *Run) error {
	run.Status = Failed
	run.FinishedAt = new(s.now())
	run.Problem = parkedProblem()
	return s.End(ctx, tx, run)
}

// Reopen makes a parked run wait again, in the caller's transaction.
func (s *Runs) Reopen(ctx context.Context, tx store.Tx, run *Run) error {
	run.Status = Queued
	run.FinishedAt = nil
	run.Problem = nil
	return saveRun(ctx, tx, run)
}

// Discard gives up a parked run, in the caller's transaction.
func (s *Runs) Discard(ctx context.Context, tx store.Tx, run *Run) error {
	run.Problem = &RunProblem{Code: "discarded", Message: "The server stopped unexpectedly several times while it " +
		"worked on this push, and an operator has discarded it. The items counted above were applied."}
	if err := saveRun(ctx, tx, run); err != nil {
		return err
	}
	return releaseFile(ctx, tx, run)
}

// Retry tries a parked run again, in the caller's transaction. It returns fault.NotFound, or fault.Conflict if the
// run is not parked.
func (s *Runs) Retry(ctx context.Context, tx store.Tx, runID RunID) (err error) {
	defer fault.AddContext(&err, "retry run %s", runID)

	run, err := lockRun(ctx, tx, runID)
	if err != nil {
		return err
	}

	job, err := s.Queue.FindParked(ctx, tx.Unscoped(), runKind, runID.String())
	if fault.KindOf(err) == fault.NotFound && run.IsParked() {
		var name string
		if name, err = s.Importer.ParkedJob(ctx, tx, run.Key); err == nil {
			job, err = s.Queue.FindParked(ctx, tx.Unscoped(), s.Importer.JobKind, name)
		}
	}

	if fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.Conflict, "not_parked", "This push is not set aside, so there is nothing to try again.")
	}
	if err != nil {
		return err
	}
	if _, err = s.Queue.Unpark(ctx, tx.Unscoped(), tx.StoreID().String(), job.Key); err != nil {
		return err
	}

	return audit.Record(ctx, tx, run.Entry(audit.RunRetried))
}

// HasParked reports whether a push or a file of 1C of the store is parked.
func (s *Runs) HasParked(ctx context.Context, tx store.Tx) (bool, error) {
	for _, kind := range []string{runKind, s.Importer.JobKind} {
		parked, err := s.Queue.Parked(ctx, tx.Unscoped(), tx.StoreID().String(), kind, 1)
		if err != nil || len(parked) > 0 {
			return len(parked) > 0, err
		}
	}
	return false, nil
}

// cancelParkedRuns deletes the parked jobs of runs that are about to be deleted.
func (s *Runs) cancelParkedRuns(ctx context.Context, q querier, runs []RunRef) error {
	names, err := parkedRunIDs(ctx, q, runs)
	if err != nil || len(names) == 0 {
		return err
	}
	return s.Queue.CancelParked(ctx, q, runKind, names)
}
