package queue

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// plan is what a look changes about who has which lanes.
type plan struct {
	// free says that lanes of nodes that are gone are to be freed first.
	free          bool
	take, release []laneName
	// epoch is the number under which lanes are taken.
	epoch int64
}

// plan decides by what a look has seen, and notes it about the lanes of this node.
func (q *Queue) plan(waiting []waitingLane, nodes []registeredNode, now time.Time) plan {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.epoch++
	p := plan{epoch: q.epoch}
	alive := map[nodeID]bool{q.node: true}
	leased, mine := 0, 0
	for _, c := range q.crews {
		mine += len(c.lanes)
	}
	for _, n := range nodes {
		switch {
		case n.id == q.node:
		case n.until < now.UnixMicro():
			p.free = true
		default:
			alive[n.id] = true
			leased += n.lanes
		}
	}
	busy, open := q.note(waiting, now)
	var nobodys []laneName
	for _, w := range open {
		switch {
		case w.node == nil:
		case *w.node == q.node:
			// Taken or given back by a write of which this node did not learn that it succeeded, or failed.
			p.release = append(p.release, w.laneName)
		case !alive[*w.node]:
			p.free = true
		default:
			continue
		}
		nobodys = append(nobodys, w.laneName)
	}
	share := (leased + mine + len(nobodys) + len(alive) - 1) / len(alive)
	p.take = q.choose(nobodys, share-mine, now)
	p.release = append(p.release, q.release(busy, mine-share, now)...)
	return p
}

// note marks the lanes of this node that have jobs due, and returns those, and the lanes of others that have. The caller holds the lock.
func (q *Queue) note(waiting []waitingLane, now time.Time) (busy map[*lane]bool, open []waitingLane) {
	busy = map[*lane]bool{}
	q.next = time.Time{}
	due := func(at *int64) bool {
		if at == nil {
			return false
		}
		if *at > now.UnixMicro() {
			if next := time.UnixMicro(*at); q.next.IsZero() || next.Before(q.next) {
				q.next = next
			}
			return false
		}
		return true
	}
	for _, c := range q.crews {
		for _, l := range c.lanes {
			if !l.rests.IsZero() {
				due(new(l.rests.UnixMicro()))
			}
		}
	}
	for _, w := range waiting {
		first, retry := due(w.first), due(w.retry)
		if !first && !retry {
			continue
		}
		l := q.crews[w.kind].lanes[w.lane]
		if l == nil {
			open = append(open, w)
			continue
		}
		busy[l] = true
		if first {
			l.part(false).start()
		}
		if retry {
			l.part(true).start()
		}
	}
	return busy, open
}

// choose returns the lanes to take: at most as many as this node may have more, for its share, and those that nobody has taken for a
// while though they were left to others. The caller holds the lock.
func (q *Queue) choose(nobodys []laneName, most int, now time.Time) (take []laneName) {
	// Nodes that look at the same time try different ones first.
	rand.Shuffle(len(nobodys), func(i, j int) { nobodys[i], nobodys[j] = nobodys[j], nobodys[i] })
	passed := map[laneName]time.Time{}
	for _, name := range nobodys {
		since, before := q.passed[name]
		if len(take) < most || before && now.Sub(since) >= q.pace.patience {
			take = append(take, name)
			continue
		}
		if !before {
			since = now
		}
		passed[name] = since
	}
	q.passed = passed
	return take
}

// release returns the lanes to give back, and forgets them: those that had nothing to do for a while, and those that wait to go to another node.
// If this node has more than its share, it gives back that many: idle ones first, then those in which nothing runs; where something does, it
// begins nothing more, so that they can go soon. The caller holds the lock.
func (q *Queue) release(busy map[*lane]bool, surplus int, now time.Time) (names []laneName) {
	var all []*lane
	for _, c := range q.crews {
		for _, l := range c.lanes {
			l.rest(busy[l], now, q.pace)
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *lane) int {
		// A lane without either time has the zero one, which comes before all others.
		return cmp.Or(b.idle.Compare(a.idle), b.leaving.Compare(a.leaving), cmp.Compare(a.running, b.running))
	})
	for _, l := range all {
		if surplus > 0 && now.After(l.stays) {
			surplus--
			if l.leaving.IsZero() {
				l.leaving = now
				l.empty()
				l.crew.position(l)
			}
		}
		if len(l.known) == 0 && (!l.leaving.IsZero() || !l.idle.IsZero() && now.Sub(l.idle) >= q.pace.idle) {
			names = append(names, l.laneName)
			l.crew.lose(l, ErrLost)
		}
	}
	return names
}

// rest notes since when a lane is idle, and lets one stay that has not come to leave.
func (l *lane) rest(busy bool, now time.Time, p pace) {
	switch {
	case busy || len(l.known) > 0:
		l.idle = time.Time{}
	case l.idle.IsZero():
		l.idle = now
	}
	if !l.leaving.IsZero() && now.Sub(l.leaving) > p.patience {
		// What runs there takes long, and what waits behind it has waited enough.
		l.leaving, l.stays = time.Time{}, now.Add(p.idle)
	}
}
