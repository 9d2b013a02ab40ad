package exchange

import (
	"context"
	"slices"
	"time"
)

const (
	// aliveEvery is the interval of the heartbeats of running pushes. A push without a heartbeat for aliveFor counts as
	// interrupted.
	aliveEvery = 10 * time.Second
	aliveFor   = time.Minute
	// pruneEvery is the interval at which old runs are deleted.
	pruneEvery = time.Hour
	// pruneRuns is the number of runs that are deleted in one transaction, pruneRows that of the rows of their notes,
	// rejects, archived products and bodies.
	pruneRuns = 200
	pruneRows = 5000
)

// interrupted returns the problem of a run whose node stopped.
func interrupted() *RunProblem {
	return &RunProblem{Code: "interrupted", Message: "The server stopped while this push was running; what its counts say was applied. Send it again."}
}

// alive writes the heartbeats of the pushes that this node is reading or applying.
func (s *Service) alive(ctx context.Context) error {
	refs := s.running.list()
	if len(refs) == 0 {
		return nil
	}
	return s.write(ctx, func(q querier) error { return setAlive(ctx, q, refs, s.now()) })
}

// others removes the runs in the set from refs, and returns what is left.
func (r *running) others(refs []runRef) []runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(refs, func(ref runRef) bool { return r.runs[ref] })
}

// endInterrupted ends the runs of nodes that stopped and deletes their spooled bodies. It leaves out background pushes
// whose body is complete: the queue gives those to another node.
func (s *Service) endInterrupted(ctx context.Context) error {
	now := s.now()
	var silent []runRef
	err := s.DB.Read(ctx, func(q querier) (err error) {
		silent, err = silentRuns(ctx, q, now.Add(-aliveFor))
		return err
	})
	if silent = s.running.others(silent); err != nil || len(silent) == 0 {
		return err
	}
	for _, ref := range silent {
		err := s.write(ctx, func(q querier) error { return s.endSilent(ctx, q, ref, now, now.Add(-aliveFor)) })
		if err != nil {
			return err
		}
	}
	return s.deleteOf(ctx, bodiesOfRuns(), silent)
}

// prune deletes the finished runs that are older than Retention; a Retention of 0 keeps all runs. It deletes in small
// transactions, so that other writers need not wait for long. The dependent rows of a run are deleted before the run
// itself, since their number has no limit.
func (s *Service) prune(ctx context.Context) error {
	if s.Retention <= 0 {
		return nil
	}
	before := s.now().Add(-s.Retention)
	for more := true; more; {
		var old []runRef
		err := s.DB.Read(ctx, func(q querier) (err error) {
			old, err = runsOlder(ctx, q, before, pruneRuns)
			return err
		})
		if err != nil || len(old) == 0 {
			return err
		}
		more = len(old) == pruneRuns
		for _, of := range []ofRuns{notesOfRuns(), rejectsOfRuns(), archivedOfRuns(), bodiesOfRuns()} {
			if err := s.deleteOf(ctx, of, old); err != nil {
				return err
			}
		}
		if err := s.write(ctx, func(q querier) error { return deleteRuns(ctx, q, old) }); err != nil {
			return err
		}
	}
	return nil
}

// deleteOf deletes the rows of the runs from one table, at most pruneRows in one transaction.
func (s *Service) deleteOf(ctx context.Context, of ofRuns, runs []runRef) error {
	for n := int64(pruneRows); n >= pruneRows; {
		err := s.DB.WriteAlone(ctx, func(q querier) (err error) {
			n, err = deleteSome(ctx, q, of, runs, pruneRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
