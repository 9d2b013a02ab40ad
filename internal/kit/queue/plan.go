package queue

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// lanePlan holds the changes of lane ownership that a poll makes.
type lanePlan struct {
	// freeOrphans says that the lanes of dead nodes must be freed first.
	freeOrphans    bool
	claim, release []laneName
	// leftToOthers says that there are lanes that other nodes should claim, and that they were not told yet.
	leftToOthers bool
	// epoch is stored in the leases of the claimed lanes.
	epoch int64
}

// planLanes decides which lanes to claim and to release, from the lanes with jobs and the registered nodes. Each node
// should lease an equal share of all lanes. planLanes also updates the state of this node's lanes.
func (p *poller) planLanes(waiting []waitingLane, nodes []registeredNode, now time.Time) lanePlan {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.epoch++
	plan := lanePlan{epoch: p.epoch}
	alive := map[nodeID]bool{p.membership.node: true}
	ownedByOthers, owned := 0, 0

	for _, ks := range p.kinds {
		owned += len(ks.lanes)
	}

	for _, n := range nodes {
		switch {
		case n.id == p.membership.node:
		case n.until < now.UnixMicro():
			plan.freeOrphans = true
		default:
			alive[n.id] = true
			ownedByOthers += n.lanes
		}
	}

	busy, notOwned := p.markDueLanes(waiting, now)
	var unowned []laneName
	for _, w := range notOwned {
		switch {
		case w.node == nil:
		case *w.node == p.membership.node:
			// The row names this node, but the lane is not in memory: a commit that claimed or released it had an
			// unknown outcome. Release and claim it again.
			plan.release = append(plan.release, w.laneName)
		case !alive[*w.node]:
			plan.freeOrphans = true
		default:
			continue
		}

		unowned = append(unowned, w.laneName)
	}

	share := (ownedByOthers + owned + len(unowned) + len(alive) - 1) / len(alive)
	plan.claim, plan.leftToOthers = p.chooseClaims(unowned, share-owned, now)
	plan.release = append(plan.release, p.releaseLanes(busy, owned-share, now)...)

	return plan
}

// markDueLanes rewinds the buffers of this node's lanes that have due jobs, so that they are read again. It returns
// these lanes (busy), and the lanes with due jobs that this node does not lease. It also updates nextDue. The caller
// holds mu.
func (p *poller) markDueLanes(
	waiting []waitingLane, now time.Time,
) (busy map[*leasedLane]bool, notOwned []waitingLane) {
	busy = map[*leasedLane]bool{}
	p.nextDue = time.Time{}

	due := func(at *int64) bool {
		if at == nil {
			return false
		}

		if *at > now.UnixMicro() {
			if next := time.UnixMicro(*at); p.nextDue.IsZero() || next.Before(p.nextDue) {
				p.nextDue = next
			}
			return false
		}

		return true
	}
	for l := range p.leasedLanes() {
		if !l.pausedUntil.IsZero() {
			due(new(l.pausedUntil.UnixMicro()))
		}
	}

	for _, w := range waiting {
		first, retry := due(w.firstDue), due(w.retryDue)
		if !first && !retry {
			continue
		}

		l := p.kinds[w.kind].lanes[w.lane]
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

// chooseClaims returns the lanes to claim: up to limit lanes for this node's share, and all lanes that no other node
// has claimed within the handover timeout. newlyLeft says that it leaves a lane to other nodes for the first time. The
// caller holds mu.
func (p *poller) chooseClaims(
	unowned []laneName, limit int, now time.Time,
) (claim []laneName, newlyLeft bool) {
	// Nodes that poll at the same time try to claim different lanes, because the order is random.
	rand.Shuffle(len(unowned), func(i, j int) { unowned[i], unowned[j] = unowned[j], unowned[i] })
	deferredSince := map[laneName]time.Time{}
	for _, name := range unowned {
		since, deferred := p.deferredSince[name]
		if len(claim) < limit || deferred && now.Sub(since) >= p.timings.handoverTimeout {
			claim = append(claim, name)
			continue
		}

		if !deferred {
			since = now
			newlyLeft = true
		}

		deferredSince[name] = since
	}

	p.deferredSince = deferredSince
	return claim, newlyLeft
}

// releaseLanes returns the lanes to release and drops them: idle lanes after the idle timeout, and draining lanes that
// have no job in memory any more. If this node exceeds its share, surplus lanes start draining: idle lanes first, then
// lanes with no running job, then the others. A draining lane starts no more jobs. The caller holds mu.
func (p *poller) releaseLanes(busy map[*leasedLane]bool, surplus int, now time.Time) (names []laneName) {
	var all []*leasedLane
	for l := range p.leasedLanes() {
		l.updateIdleAndDraining(busy[l], now, p.timings)
		all = append(all, l)
	}

	slices.SortFunc(all, func(a, b *leasedLane) int {
		// The order is descending: the zero time of lanes that are not idle or not draining comes last.
		return cmp.Or(b.idleSince.Compare(a.idleSince), b.drainingSince.Compare(a.drainingSince),
			cmp.Compare(a.running, b.running))
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

		if len(l.inMemory) == 0 && (!l.drainingSince.IsZero() || !l.idleSince.IsZero() &&
			now.Sub(l.idleSince) >= p.timings.idleTimeout) {
			names = append(names, l.laneName)
			l.kindState.dropLane(l, ErrLost)
		}
	}

	return names
}

// updateIdleAndDraining records since when the lane has been idle. It also ends draining that exceeds the handover
// timeout.
func (l *leasedLane) updateIdleAndDraining(busy bool, now time.Time, p timings) {
	switch {
	case busy || len(l.inMemory) > 0:
		l.idleSince = time.Time{}
	case l.idleSince.IsZero():
		l.idleSince = now
	}
	if !l.drainingSince.IsZero() && now.Sub(l.drainingSince) > p.handoverTimeout {
		// The running jobs take too long, and the waiting jobs have been held back long enough. The lane is not drained
		// again for a while.
		l.drainingSince, l.keptUntil = time.Time{}, now.Add(p.idleTimeout)
	}
}
