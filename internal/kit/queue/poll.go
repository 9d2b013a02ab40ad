package queue

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
)

// pollLoop polls for jobs until ctx ends: when it is woken, when a known job becomes due, when a buffer runs low, and
// at least once per poll interval. After each poll it sleeps for as long as the poll took. So polls occupy a connection
// for at most half of the time, even with frequent wakes and many lanes.
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

		if !waitInQueueLoop(ctx, pause) {
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

// waitInQueueLoop waits for d. It returns false if ctx ends first.
func waitInQueueLoop(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// nextPollDelay returns the time until the next known job is due, at most the poll interval.
func (q *Queue) nextPollDelay() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.nextDue.IsZero() {
		return q.timings.pollInterval
	}
	return max(0, min(q.timings.pollInterval, q.nextDue.Sub(q.Now())))
}

// noteDue records the due time of a job. The caller holds q.mu.
func (q *Queue) noteDue(due time.Time) {
	if q.nextDue.IsZero() || due.Before(q.nextDue) {
		q.nextDue = due
		wakeQueueLoop(q.refill) // pollLoop must set an earlier timer
	}
}

// poll fetches jobs of the lanes that this node leases. If full is set, or a known job is due, it first claims lanes
// with jobs that no node leases.
func (q *Queue) poll(ctx context.Context, full bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()

	q.mu.Lock()
	node := q.node
	now := q.Now()
	full = full || !q.nextDue.IsZero() && !q.nextDue.After(now)
	q.resumePaused(now)
	q.rewindNotified()
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

// claimLanes reads all lanes with jobs, plans which to claim and which to release, and commits the plan.
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
	if plan.leftToOthers {
		q.notifyUnleased()
	}

	if !plan.freeOrphans && len(plan.claim) == 0 && len(plan.release) == 0 {
		return nil
	}

	var claimed []lease
	var suspicions map[int64]suspicion
	var lastDeath time.Time

	err = q.DB.Write(ctx, func(tx database.Querier) (err error) {
		if plan.freeOrphans {
			if err := q.freeOrphanLanes(ctx, tx, node, now); err != nil {
				return err
			}
		}

		if err := deleteLanes(ctx, tx, plan.release, node); err != nil {
			return err
		}
		if claimed, err = insertLanes(ctx, tx, plan.claim, node, plan.epoch); err != nil {
			return err
		}

		suspicions, lastDeath, err = readDeaths(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}

	if len(plan.release) > 0 {
		q.notifyUnleased()
	}

	q.mu.Lock()
	defer q.mu.Unlock()

	if q.node != node || q.attemptCtx == nil {
		return nil // the registration was lost since; these leases are never used
	}

	q.suspicions, q.lastDeath = suspicions, lastDeath

	for _, l := range claimed {
		lane := q.kinds[l.kind].addLane(q.attemptCtx, l)
		lane.bufferFor(false).rewind()
		lane.bufferFor(true).rewind()
	}

	return nil
}

// kindNames returns the names of the registered kinds, sorted.
func (q *Queue) kindNames() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.kinds))
}

// fetchJobs reads due jobs into the buffers that have room, and starts jobs in free slots.
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

// jobRequests returns requests for the lanes whose buffers have room, and these lanes by name. The caller holds q.mu.
func (q *Queue) jobRequests() (requests []jobRequest, lanes map[laneName]*leasedLane) {
	lanes = map[laneName]*leasedLane{}
	for _, ks := range q.kinds {
		budget := ks.prefetch*ks.nodeSlots - ks.buffered
		for _, l := range ks.lanes {
			first, retries := l.refillCounts()
			if budget <= 0 {
				// Backlogs of other lanes fill the memory budget. A lane with nothing in memory still gets enough for
				// its slots.
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

// jobRequest returns a request for more jobs of the lane; count is their number. A request that starts at the first job
// also returns the jobs that are already in memory, so its limit is larger than count.
func (l *leasedLane) jobRequest(isRetry bool, count int) jobRequest {
	r := jobRequest{laneName: l.laneName, inOrder: l.kindState.inOrder, isRetry: isRetry,
		after: l.bufferFor(isRetry).cursor, limit: count}
	if r.after == (jobPosition{}) {
		r.limit += len(l.inMemory)
	}
	return r
}

// enqueue adds the fetched jobs to the buffers of their lanes. It skips jobs that are already in memory or have ended
// since the fetch began. The caller holds q.mu.
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

		t.lane = l
		t.lease = l.lease
		t.now = q.Now
		t.isSuspect = q.suspicions[t.key].isSuspect(l.kindState.light)
		l.addTask(t)
	}

	for _, r := range requests {
		buffer := lanes[r.laneName].bufferFor(r.isRetry)
		buffer.mayHaveMore = read[buffer] >= r.limit
	}
}
