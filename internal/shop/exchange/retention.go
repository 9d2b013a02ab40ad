package exchange

import (
	"context"
	"slices"
	"time"
)

const (
	// aliveEvery is how often a node says which pushes it is at; a push of which nobody has said so for aliveFor was interrupted.
	aliveEvery = 10 * time.Second
	aliveFor   = time.Minute
	// pruneEvery is how often old runs are looked for.
	pruneEvery = time.Hour
	// pruneRuns is how many runs are deleted in one transaction, pruneRows how many rows of what is kept of them.
	pruneRuns = 200
	pruneRows = 5000
)

// interrupted is why a run failed whose node is no more.
func interrupted() *RunProblem {
	return &RunProblem{Code: "interrupted", Message: "The server stopped while this push was running; what its counts say was applied. Send it again."}
}

// alive says that the pushes of this node go on.
func (s *Service) alive(ctx context.Context) error {
	refs := s.running.list()
	if len(refs) == 0 {
		return nil
	}
	return s.write(ctx, func(q querier) error { return setAlive(ctx, q, refs, s.now()) })
}

// others leaves out the pushes that this node is at.
func (r *running) others(refs []runRef) []runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(refs, func(ref runRef) bool { return r.runs[ref] })
}

// endInterrupted ends the runs of nodes that are no more, with what was spooled of them. One that is complete and in the background is
// taken over instead, by the queue.
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
		if err := s.write(ctx, func(q querier) error { return s.endSilent(ctx, q, ref, now, now.Add(-aliveFor)) }); err != nil {
			return err
		}
	}
	return s.deleteOf(ctx, bodiesOfRuns(), silent)
}

// prune deletes the runs that are over and older than Retention (0 keeps them), in pieces between which others write. What is kept of a run goes before
// it, since there is no limit to how much that is.
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

// deleteOf deletes the rows that one table has of runs, piece by piece.
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
