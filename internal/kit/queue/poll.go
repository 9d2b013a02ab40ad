package queue

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
)

// pollLoop looks for work until ctx ends: whenever it is woken, when something known of is due, when memory runs low, and each second.
// After a look it rests for as long as that took, so that many wakes over many lanes take no more than half of one connection.
func (q *Queue) pollLoop(ctx context.Context) {
	var failures failureLog
	for full := true; ; {
		began := time.Now()
		err := q.poll(ctx, full)
		failures.report(ctx, q.Log, "cannot poll for background jobs; retrying", err)
		pause := min(time.Since(began), q.timings.pollInterval)
		if err != nil {
			pause = q.timings.pollInterval
		}
		if !sleep(ctx, pause) {
			return
		}
		timer := time.NewTimer(q.nextPollDelay())
		full = true
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-q.wake:
		case <-timer.C:
		case <-q.refill:
			full = false
		}
		timer.Stop()
	}
}

// sleep returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// nextPollDelay is how long nothing is to be done, as far as is known.
func (q *Queue) nextPollDelay() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.nextDue.IsZero() {
		return q.timings.pollInterval
	}
	return max(0, min(q.timings.pollInterval, q.nextDue.Sub(q.Now())))
}

// noteDue notes that a job is due at that time; the caller holds the lock.
func (q *Queue) noteDue(due time.Time) {
	if q.nextDue.IsZero() || due.Before(q.nextDue) {
		q.nextDue = due
		signal(q.refill) // who waits for a later one looks at the clock again
	}
}

// poll takes lanes that have work and are nobody's, if it is a full one, and then jobs of the lanes that this node has.
func (q *Queue) poll(ctx context.Context, full bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	q.mu.Lock()
	node, now := q.node, q.Now()
	full = full || !q.nextDue.IsZero() && !q.nextDue.After(now)
	q.resumePaused(now)
	q.mu.Unlock()
	if node.IsZero() {
		return nil
	}
	if full {
		if err := q.claimLanes(ctx, node, now); err != nil {
			return err
		}
	}
	return q.fetchJobs(ctx, now)
}

// claimLanes looks at all lanes that have jobs, and takes and gives back lanes by what it sees.
func (q *Queue) claimLanes(ctx context.Context, node nodeID, now time.Time) error {
	var waiting []waitingLane
	var nodes []registeredNode
	err := q.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		if waiting, err = lanesWithJobs(ctx, tx, q.kindNames()); err != nil {
			return err
		}
		nodes, err = listNodes(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	plan := q.planLanes(waiting, nodes, now)
	if !plan.freeOrphans && len(plan.claim) == 0 && len(plan.release) == 0 {
		return nil
	}
	var claimed []lease
	err = q.DB.Write(ctx, func(tx database.Querier) (err error) {
		if plan.freeOrphans {
			if err := freeOrphanLanes(ctx, tx, node, now); err != nil {
				return err
			}
		}
		if err := deleteLanes(ctx, tx, plan.release, node); err != nil {
			return err
		}
		claimed, err = insertLanes(ctx, tx, plan.claim, node, plan.epoch)
		return err
	})
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.node != node || q.attemptCtx == nil {
		return nil // lost in between; nobody works under these leases
	}
	for _, l := range claimed {
		lane := q.kinds[l.kind].addLane(q.attemptCtx, l)
		lane.bufferFor(false).rewind()
		lane.bufferFor(true).rewind()
	}
	return nil
}

// kindNames returns the names of those registered.
func (q *Queue) kindNames() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.kinds))
}

// fetchJobs reads jobs that are due into memory, as many as there is room for, and starts what can be started.
func (q *Queue) fetchJobs(ctx context.Context, now time.Time) error {
	q.mu.Lock()
	requests, lanes := q.jobRequests()
	clear(q.endedSinceFetch)
	q.mu.Unlock()
	if len(requests) == 0 {
		return nil
	}
	var found []*Task
	err := q.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		found, err = dueJobs(ctx, tx, requests, now)
		return err
	})
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.enqueue(requests, lanes, found)
	q.dispatch()
	return nil
}

// jobRequests asks for jobs for the lanes that have room for more; the lanes come beside. The caller holds the lock.
func (q *Queue) jobRequests() (requests []jobRequest, lanes map[laneName]*leasedLane) {
	lanes = map[laneName]*leasedLane{}
	for _, ks := range q.kinds {
		budget := ks.Ahead*ks.Total - ks.buffered
		for _, l := range ks.lanes {
			first, retries := l.refillCounts()
			if budget <= 0 {
				// The backlogs of others fill the memory; whoever has nothing there gets a little all the same.
				first, retries = l.minRefill(first), l.minRefill(retries)
			}
			if first+retries == 0 {
				continue
			}
			budget -= first + retries
			lanes[l.laneName] = l
			if first > 0 {
				requests = append(requests, l.jobRequest(false, first))
			}
			if retries > 0 {
				requests = append(requests, l.jobRequest(true, retries))
			}
		}
	}
	return requests, lanes
}

// jobRequest asks for that many more jobs. From the first one on, those in memory are found once more.
func (l *leasedLane) jobRequest(isRetry bool, count int) jobRequest {
	r := jobRequest{laneName: l.laneName, inOrder: l.kindState.InOrder, isRetry: isRetry, after: l.bufferFor(isRetry).cursor, limit: count}
	if r.after == (jobPosition{}) {
		r.limit += len(l.inMemory)
	}
	return r
}

// enqueue takes the jobs that were found into memory, unless they are there or have ended meanwhile. The caller holds the lock.
func (q *Queue) enqueue(requests []jobRequest, lanes map[laneName]*leasedLane, found []*Task) {
	read := map[*taskBuffer]int{}
	for _, t := range found {
		l := lanes[laneName{t.Kind, t.Lane}]
		if l.dropped || !l.drainingSince.IsZero() {
			continue
		}
		buffer := l.bufferFor(t.isRetry)
		read[buffer]++
		buffer.cursor = jobPosition{t.due, t.key}
		if l.inMemory[t.key] || q.endedSinceFetch[t.key] {
			continue
		}
		t.lane, t.lease, t.now, t.last = l, l.lease, q.Now, t.Attempt > len(l.kindState.Retries)
		l.addTask(t)
	}
	for _, r := range requests {
		buffer := lanes[r.laneName].bufferFor(r.isRetry)
		buffer.mayHaveMore = read[buffer] >= r.limit
	}
}
