package exchange

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	// Each running push gets a heartbeat every heartbeatInterval. A push without a heartbeat for heartbeatTimeout is
	// considered interrupted.
	heartbeatInterval = 10 * time.Second
	heartbeatTimeout  = time.Minute
	// pruneEvery is the interval at which old runs are deleted.
	pruneEvery = time.Hour
	// pruneRunLimit and pruneRowLimit are the maximum numbers of runs, and of other rows, that a transaction deletes.
	pruneRunLimit = 200
	pruneRowLimit = 5000
)

// Run does the periodic work of the gate until ctx ends: it writes the heartbeats of running pushes, ends runs that
// were interrupted, deletes the bodies of finished pushes and old runs, and links references that a crash left pending.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log, s.heartbeats(),
		periodic.Task{Name: "end interrupted pushes", Every: heartbeatInterval, Do: s.Runs.endInterrupted},
		periodic.Task{Name: "delete bodies of finished pushes", Every: heartbeatInterval, Do: s.Bodies.deleteFinished},
		periodic.Task{Name: "delete old runs", Every: pruneEvery, Do: s.Runs.prune},
		periodic.Task{Name: "delete old ids of deleted things", Every: pruneEvery, Do: func(ctx context.Context) error {
			return s.Catalog.Products.PruneDeletedIDs(ctx, s.DB)
		}},
		periodic.Task{Name: "link pending references", Every: pruneEvery, Do: s.Pushes.linkPending},
	)
}

// RunHeartbeats does only the part of Run without which other nodes would end the pushes of this one as interrupted.
func (s *Service) RunHeartbeats(ctx context.Context) error {
	return periodic.Run(ctx, s.Log, s.heartbeats())
}

func (s *Service) heartbeats() periodic.Task {
	return periodic.Task{Name: "write heartbeats of pushes", Every: heartbeatInterval, Do: s.Runs.writeHeartbeats}
}

// writeHeartbeats writes the heartbeats of the pushes that this node is reading or applying.
func (s *Runs) writeHeartbeats(ctx context.Context) error {
	refs := s.running.list()
	if len(refs) == 0 {
		return nil
	}
	return s.write(ctx, func(q querier) error { return updateHeartbeats(ctx, q, refs, s.now()) })
}

// endInterrupted ends the runs of nodes that stopped, and deletes their spooled bodies. It skips background pushes
// whose body is complete, because the queue assigns them to another node.
func (s *Runs) endInterrupted(ctx context.Context) error {
	now := s.now()
	since := now.Add(-heartbeatTimeout)
	var stale []RunRef
	err := s.DB.Read(ctx, func(q querier) (err error) {
		stale, err = staleRuns(ctx, q, since)
		return err
	})
	if stale = s.running.without(stale); err != nil || len(stale) == 0 {
		return err
	}
	for _, ref := range stale {
		err := s.write(ctx, func(q querier) error { return s.endStaleRun(ctx, q, ref, now, since) })
		if err != nil {
			return err
		}
	}

	return s.bodies.Delete(ctx, stale)
}

// prune deletes the finished runs that are older than Retention; a Retention of 0 keeps all runs. It deletes in small
// transactions, so that other writers need not wait for long. The dependent rows of a run are deleted before the run
// itself, since their number has no limit.
func (s *Runs) prune(ctx context.Context) error {
	if s.Retention <= 0 {
		return nil
	}

	before := s.now().Add(-s.Retention)
	for more := true; more; {
		var old []RunRef
		err := s.DB.Read(ctx, func(q querier) (err error) {
			old, err = finishedRunsBefore(ctx, q, before, pruneRunLimit)
			return err
		})
		if err != nil || len(old) == 0 {
			return err
		}

		more = len(old) == pruneRunLimit
		if err := s.bodies.Delete(ctx, old); err != nil {
			return err
		}

		for _, table := range []runTable{notesTable(), rejectsTable(), changesTable(), archivedTable()} {
			if err := s.deleteRunRows(ctx, table, old); err != nil {
				return err
			}
		}

		err = s.write(ctx, func(q querier) error {
			if err := s.cancelParkedRuns(ctx, q, old); err != nil {
				return err
			}
			return deleteRuns(ctx, q, old)
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// deleteRunRows deletes the rows of the runs from one table, up to pruneRowLimit per transaction.
func (s *Runs) deleteRunRows(ctx context.Context, table runTable, runs []RunRef) error {
	for n := int64(pruneRowLimit); n >= pruneRowLimit; {
		err := s.DB.WriteAlone(ctx, func(q querier) (err error) {
			n, err = execRunRefs(ctx, q, table.deleteSQL(), runs, pruneRowLimit)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runSet is the set of runs whose pushes this node is reading or applying. It is safe for concurrent use.
type runSet struct {
	mu   sync.Mutex
	runs map[RunRef]bool
}

// add adds a run to the set. The function that it returns removes the run again.
func (r *runSet) add(storeID store.ID, key int64) (remove func()) {
	ref := RunRef{storeID, key}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil {
		r.runs = map[RunRef]bool{}
	}
	r.runs[ref] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.runs, ref)
	}
}

func (r *runSet) list() []RunRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.runs))
}

// without returns the elements of refs that are not in the set. It reuses refs.
func (r *runSet) without(refs []RunRef) []RunRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(refs, func(ref RunRef) bool { return r.runs[ref] })
}
