package queue

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
)

// poller claims and releases lanes, and reads the jobs of the lanes that this node leases.
type poller struct {
	*core
	membership *membership
	peers      *peers
	suspects   *suspectQueue
	workers    *workers
	// epoch is increased with each lane plan; leases carry the epoch in which they were claimed.
	epoch int64
	// deferredSince holds the lanes that this node did not claim because they exceed its share, with the time at which
	// it first passed them over.
	deferredSince map[laneName]time.Time
}

// loop polls for jobs until ctx ends: when it is woken, when a known job becomes due, when a buffer runs low, and
// at least once per poll interval. After each poll it sleeps for as long as the poll took. So polls occupy a connection
// for at most half of the time, even with frequent wakes and many lanes.
func (p *poller) loop(ctx context.Context) {
	var failures failureLog
	for full := true; ; {
		began := time.Now()
		err := p.poll(ctx, full)
		failures.report(ctx, p.Log, "cannot poll for background jobs; retrying", err)
		pause := min(time.Since(began), p.timings.pollInterval)
		if err != nil {
			pause = p.timings.pollInterval
		}

		if !waitInQueueLoop(ctx, pause) {
			return
		}

		timer := time.NewTimer(p.nextPollDelay())
		full = true
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-p.wake:
		case <-timer.C:
		case <-p.refill:
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
func (p *poller) nextPollDelay() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nextDue.IsZero() {
		return p.timings.pollInterval
	}
	return max(0, min(p.timings.pollInterval, p.nextDue.Sub(p.Now())))
}

// noteDue records the due time of a job. The caller holds mu.
func (c *core) noteDue(due time.Time) {
	if c.nextDue.IsZero() || due.Before(c.nextDue) {
		c.nextDue = due
		wakeQueueLoop(c.refill) // poller.loop must set an earlier timer
	}
}

// poll fetches jobs of the lanes that this node leases. If full is set, or a known job is due, it first claims lanes
// with jobs that no node leases.
func (p *poller) poll(ctx context.Context, full bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()

	p.mu.Lock()
	node := p.membership.node
	now := p.Now()
	full = full || !p.nextDue.IsZero() && !p.nextDue.After(now)
	p.resumePaused(now)
	p.peers.rewindNotified()
	p.mu.Unlock()

	if node.IsZero() {
		return nil
	}

	if full {
		if err := p.claimLanes(ctx, node, now); err != nil {
			return err
		}
	}

	return p.fetchJobs(ctx, now)
}

// claimLanes reads all lanes with jobs, plans which to claim and which to release, and commits the plan.
func (p *poller) claimLanes(ctx context.Context, node nodeID, now time.Time) error {
	var waiting []waitingLane
	var nodes []registeredNode

	err := p.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		if waiting, err = lanesWithJobs(ctx, tx, p.kindNames()); err != nil {
			return err
		}
		nodes, err = listNodes(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}

	plan := p.planLanes(waiting, nodes, now)
	if plan.leftToOthers {
		p.peers.notifyUnleased()
	}

	if !plan.freeOrphans && len(plan.claim) == 0 && len(plan.release) == 0 {
		return nil
	}

	var claimed []lease
	var suspicions map[int64]suspicion
	var lastDeath time.Time

	err = p.DB.Write(ctx, func(tx database.Querier) (err error) {
		if plan.freeOrphans {
			if err := p.membership.freeOrphanLanes(ctx, tx, node, now); err != nil {
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
		p.peers.notifyUnleased()
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if p.membership.node != node || p.workers.attemptCtx == nil {
		return nil // the registration was lost since; these leases are never used
	}

	p.suspects.suspicions, p.suspects.lastDeath = suspicions, lastDeath

	for _, l := range claimed {
		lane := p.kinds[l.kind].addLane(p.workers.attemptCtx, l)
		lane.bufferFor(false).rewind()
		lane.bufferFor(true).rewind()
	}

	return nil
}

// kindNames returns the names of the registered kinds, sorted.
func (c *core) kindNames() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.kinds))
}

// fetchJobs reads due jobs into the buffers that have room, and starts jobs in free slots.
func (p *poller) fetchJobs(ctx context.Context, now time.Time) error {
	p.mu.Lock()
	requests, lanes := p.jobRequests()
	clear(p.workers.endedSinceFetch)
	p.mu.Unlock()
	if len(requests) == 0 {
		return nil
	}

	var found []*Task
	err := p.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		found, err = dueJobs(ctx, tx, requests, now)
		return err
	})
	if err != nil {
		return err
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	p.enqueue(requests, lanes, found)
	p.workers.dispatch()
	return nil
}

// jobRequests returns requests for the lanes whose buffers have room, and these lanes by name. The caller holds mu.
func (p *poller) jobRequests() (requests []jobRequest, lanes map[laneName]*leasedLane) {
	lanes = map[laneName]*leasedLane{}
	for _, ks := range p.kinds {
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
// since the fetch began. The caller holds mu.
func (p *poller) enqueue(requests []jobRequest, lanes map[laneName]*leasedLane, found []*Task) {
	read := map[*taskBuffer]int{}
	for _, t := range found {
		l := lanes[laneName{t.Kind, t.Lane}]
		if l.dropped || !l.drainingSince.IsZero() {
			continue
		}

		buffer := l.bufferFor(t.isRetry)
		read[buffer]++
		buffer.cursor = jobPosition{t.due, t.key}

		if l.inMemory[t.key] || p.workers.endedSinceFetch[t.key] {
			continue
		}

		t.lane = l
		t.lease = l.lease
		t.now = p.Now
		t.isSuspect = p.suspects.suspicions[t.key].isSuspect(l.kindState.light)
		l.addTask(t)
	}

	for _, r := range requests {
		buffer := lanes[r.laneName].bufferFor(r.isRetry)
		buffer.mayHaveMore = read[buffer] >= r.limit
	}
}
