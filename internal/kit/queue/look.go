package queue

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
)

// looks looks for work until ctx ends: whenever it is woken, when something known of is due, when memory runs low, and each second.
// After a look it rests for as long as that took, so that many wakes over many lanes take no more than half of one connection.
func (q *Queue) looks(ctx context.Context) {
	var trouble trouble
	for full := true; ; {
		began := time.Now()
		err := q.look(ctx, full)
		trouble.note(ctx, q.Log, "background work could not be looked for; trying again", err)
		rest := min(time.Since(began), q.pace.poll)
		if err != nil {
			rest = q.pace.poll
		}
		if !wait(ctx, rest) {
			return
		}
		poll := time.NewTimer(q.untilNext())
		full = true
		select {
		case <-ctx.Done():
			poll.Stop()
			return
		case <-q.wake:
		case <-poll.C:
		case <-q.refill:
			full = false
		}
		poll.Stop()
	}
}

// wait returns false if ctx ends first.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// untilNext is how long nothing is to be done, as far as is known.
func (q *Queue) untilNext() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next.IsZero() {
		return q.pace.poll
	}
	return max(0, min(q.pace.poll, q.next.Sub(q.Now())))
}

// dueAt notes that a job is due at that time; the caller holds the lock.
func (q *Queue) dueAt(due time.Time) {
	if q.next.IsZero() || due.Before(q.next) {
		q.next = due
		signal(q.refill) // who waits for a later one looks at the clock again
	}
}

// look takes lanes that have work and are nobody's, if it is a full one, and then jobs of the lanes that this node has.
func (q *Queue) look(ctx context.Context, full bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	q.mu.Lock()
	node, now := q.node, q.Now()
	full = full || !q.next.IsZero() && !q.next.After(now)
	q.rouseRested(now)
	q.mu.Unlock()
	if node.IsZero() {
		return nil
	}
	if full {
		if err := q.survey(ctx, node, now); err != nil {
			return err
		}
	}
	return q.fetch(ctx, now)
}

// survey looks at all lanes that have jobs, and takes and gives back lanes by what it sees.
func (q *Queue) survey(ctx context.Context, node nodeID, now time.Time) error {
	var waiting []waitingLane
	var nodes []registeredNode
	err := q.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if err := planAnew(ctx, tx); err != nil {
			return err
		}
		if waiting, err = lanesWithJobs(ctx, tx, q.kinds()); err != nil {
			return err
		}
		nodes, err = listNodes(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	plan := q.plan(waiting, nodes, now)
	if !plan.free && len(plan.take) == 0 && len(plan.release) == 0 {
		return nil
	}
	var got []lease
	err = q.DB.Write(ctx, func(tx database.Querier) (err error) {
		if plan.free {
			if err := freeLanes(ctx, tx, node, now); err != nil {
				return err
			}
		}
		if err := deleteLanes(ctx, tx, plan.release, node); err != nil {
			return err
		}
		got, err = insertLanes(ctx, tx, plan.take, node, plan.epoch)
		return err
	})
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.node != node || q.working == nil {
		return nil // lost in between; nobody works under these leases
	}
	for _, l := range got {
		made := q.crews[l.kind].take(q.working, l)
		made.part(false).start()
		made.part(true).start()
	}
	return nil
}

// kinds returns the names of those registered.
func (q *Queue) kinds() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.crews))
}

// fetch reads jobs that are due into memory, as many as there is room for, and starts what can be started.
func (q *Queue) fetch(ctx context.Context, now time.Time) error {
	q.mu.Lock()
	requests, asked := q.requests()
	clear(q.settled)
	q.mu.Unlock()
	if len(requests) == 0 {
		return nil
	}
	var found []*Task
	err := q.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if err := planAnew(ctx, tx); err != nil {
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
	q.enlist(requests, asked, found)
	q.dispatch()
	return nil
}

// requests asks for jobs for the lanes that have room for more; the lanes come beside. The caller holds the lock.
func (q *Queue) requests() (requests []request, lanes map[laneName]*lane) {
	lanes = map[laneName]*lane{}
	for _, c := range q.crews {
		budget := c.Ahead*c.Total - c.buffered
		for _, l := range c.lanes {
			first, retries := l.room()
			if budget <= 0 {
				// The backlogs of others fill the memory; whoever has nothing there gets a little all the same.
				first, retries = l.least(first), l.least(retries)
			}
			if first+retries == 0 {
				continue
			}
			budget -= first + retries
			lanes[l.laneName] = l
			if first > 0 {
				requests = append(requests, l.request(false, first))
			}
			if retries > 0 {
				requests = append(requests, l.request(true, retries))
			}
		}
	}
	return requests, lanes
}

// request asks for that many more jobs. From the first one on, those in memory are found once more.
func (l *lane) request(again bool, room int) request {
	r := request{laneName: l.laneName, inOrder: l.crew.InOrder, again: again, after: l.part(again).read, most: room}
	if r.after == (position{}) {
		r.most += len(l.known)
	}
	return r
}

// enlist takes the jobs that were found into memory, unless they are there or have ended meanwhile. The caller holds the lock.
func (q *Queue) enlist(requests []request, lanes map[laneName]*lane, found []*Task) {
	read := map[*waiting]int{}
	for _, t := range found {
		l := lanes[laneName{t.Kind, t.Lane}]
		if l.gone || !l.leaving.IsZero() {
			continue
		}
		part := l.part(t.again)
		read[part]++
		part.read = position{t.due, t.key}
		if l.known[t.key] || q.settled[t.key] {
			continue
		}
		t.lane, t.lease, t.now, t.last = l, l.lease, q.Now, t.Attempt > len(l.crew.Retries)
		l.offer(t)
	}
	for _, r := range requests {
		part := lanes[r.laneName].part(r.again)
		part.more = read[part] >= r.most
	}
}
