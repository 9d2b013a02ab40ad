package queue

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// lanePlan is what a look changes about who has which lanes.
type lanePlan struct {
	// freeOrphans says that lanes of nodes that are gone are to be freed first.
	freeOrphans    bool
	claim, release []laneName
	// epoch is the number under which lanes are taken.
	epoch int64
}

// planLanes decides by what a look has seen, and notes it about the lanes of this node.
func (q *Queue) planLanes(waiting []waitingLane, nodes []registeredNode, now time.Time) lanePlan {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.epoch++
	p := lanePlan{epoch: q.epoch}
	alive := map[nodeID]bool{q.node: true}
	ownedByOthers, owned := 0, 0
	for _, ks := range q.kinds {
		owned += len(ks.lanes)
	}
	for _, n := range nodes {
		switch {
		case n.id == q.node:
		case n.until < now.UnixMicro():
			p.freeOrphans = true
		default:
			alive[n.id] = true
			ownedByOthers += n.lanes
		}
	}
	busy, notOwned := q.markDueLanes(waiting, now)
	var unowned []laneName
	for _, w := range notOwned {
		switch {
		case w.node == nil:
		case *w.node == q.node:
			// Taken or given back by a write of which this node did not learn that it succeeded, or failed.
			p.release = append(p.release, w.laneName)
		case !alive[*w.node]:
			p.freeOrphans = true
		default:
			continue
		}
		unowned = append(unowned, w.laneName)
	}
	share := (ownedByOthers + owned + len(unowned) + len(alive) - 1) / len(alive)
	p.claim = q.chooseClaims(unowned, share-owned, now)
	p.release = append(p.release, q.releaseLanes(busy, owned-share, now)...)
	return p
}

// markDueLanes marks the lanes of this node that have jobs due, and returns those, and the lanes of others that have. The caller holds the lock.
func (q *Queue) markDueLanes(waiting []waitingLane, now time.Time) (busy map[*leasedLane]bool, notOwned []waitingLane) {
	busy = map[*leasedLane]bool{}
	q.nextDue = time.Time{}
	due := func(at *int64) bool {
		if at == nil {
			return false
		}
		if *at > now.UnixMicro() {
			if next := time.UnixMicro(*at); q.nextDue.IsZero() || next.Before(q.nextDue) {
				q.nextDue = next
			}
			return false
		}
		return true
	}
	for _, ks := range q.kinds {
		for _, l := range ks.lanes {
			if !l.pausedUntil.IsZero() {
				due(new(l.pausedUntil.UnixMicro()))
			}
		}
	}
	for _, w := range waiting {
		first, retry := due(w.firstDue), due(w.retryDue)
		if !first && !retry {
			continue
		}
		l := q.kinds[w.kind].lanes[w.lane]
		if l == nil {
			notOwned = append(notOwned, w)
			continue
		}
		busy[l] = true
		if first {
			l.bufferFor(false).rewind()
		}
		if retry {
			l.bufferFor(true).rewind()
		}
	}
	return busy, notOwned
}

// chooseClaims returns the lanes to take: at most as many as this node may have more, for its share, and those that nobody has taken for a
// while though they were left to others. The caller holds the lock.
func (q *Queue) chooseClaims(unowned []laneName, limit int, now time.Time) (claim []laneName) {
	// Nodes that look at the same time try different ones first.
	rand.Shuffle(len(unowned), func(i, j int) { unowned[i], unowned[j] = unowned[j], unowned[i] })
	deferredSince := map[laneName]time.Time{}
	for _, name := range unowned {
		since, deferred := q.deferredSince[name]
		if len(claim) < limit || deferred && now.Sub(since) >= q.timings.handoverTimeout {
			claim = append(claim, name)
			continue
		}
		if !deferred {
			since = now
		}
		deferredSince[name] = since
	}
	q.deferredSince = deferredSince
	return claim
}

// releaseLanes returns the lanes to give back, and forgets them: those that had nothing to do for a while, and those that wait to go to another node.
// If this node has more than its share, it gives back that many: idle ones first, then those in which nothing runs; where something does, it
// begins nothing more, so that they can go soon. The caller holds the lock.
func (q *Queue) releaseLanes(busy map[*leasedLane]bool, surplus int, now time.Time) (names []laneName) {
	var all []*leasedLane
	for _, ks := range q.kinds {
		for _, l := range ks.lanes {
			l.updateIdleAndDraining(busy[l], now, q.timings)
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *leasedLane) int {
		// A lane without either time has the zero one, which comes before all others.
		return cmp.Or(b.idleSince.Compare(a.idleSince), b.drainingSince.Compare(a.drainingSince), cmp.Compare(a.running, b.running))
	})
	for _, l := range all {
		if surplus > 0 && now.After(l.keptUntil) {
			surplus--
			if l.drainingSince.IsZero() {
				l.drainingSince = now
				l.discardBuffered()
				l.kindState.updateReady(l)
			}
		}
		if len(l.inMemory) == 0 && (!l.drainingSince.IsZero() || !l.idleSince.IsZero() && now.Sub(l.idleSince) >= q.timings.idleTimeout) {
			names = append(names, l.laneName)
			l.kindState.dropLane(l, ErrLost)
		}
	}
	return names
}

// updateIdleAndDraining notes since when a lane is idle, and lets one stay that has not come to leave.
func (l *leasedLane) updateIdleAndDraining(busy bool, now time.Time, p timings) {
	switch {
	case busy || len(l.inMemory) > 0:
		l.idleSince = time.Time{}
	case l.idleSince.IsZero():
		l.idleSince = now
	}
	if !l.drainingSince.IsZero() && now.Sub(l.drainingSince) > p.handoverTimeout {
		// What runs there takes long, and what waits behind it has waited enough.
		l.drainingSince, l.keptUntil = time.Time{}, now.Add(p.idleTimeout)
	}
}
