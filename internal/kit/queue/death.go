package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

// A job whose process dies is an attempt, although nobody is left to write a result. So a start is recorded before the
// job runs (the table job_starts, see start.go) and deleted with its result. A start whose node is gone is a death of
// the job. After maxDeaths deaths the job is parked (see park.go).
//
// Most jobs that were running when a process died are innocent. A job with a death is a suspect, a light job with two:
// on each node one suspect runs at a time, the one with the fewest deaths first, so that the next death tells which of
// them it was.
// In its last chance nothing else of its weight runs beside it, for a limited time: other stores must not wait for an
// hour. A heavy job is parked only if it was the only one in its last chance, or after many deaths. A job that ends in
// any way is cleared; one whose attempt was postponed is not.
//
// Kinds have one of two weights. The starts of heavy jobs are always recorded. Those of light jobs, which are frequent
// and whose memory and time are bounded, are recorded only for cautionPeriod after the death of a node. If a heavy job
// was running, light jobs are not suspected. And of a light job only those deaths count that it is blamed for alone.

const (
	// maxDeaths is after how many deaths a job is parked.
	maxDeaths = 3
	// maxLightDeaths is the largest number of deaths after which a light job is parked. If several light jobs have died
	// alone, something else may be killing the processes, and each of them needs more deaths; see deathLimit.
	maxLightDeaths = 10
	// maxHeavyDeaths is after how many deaths a heavy job is parked that was never the only one in its last chance.
	maxHeavyDeaths = 10
	// cautionPeriod is for how long the starts of light jobs are recorded after the death of a node.
	cautionPeriod = time.Hour
	// nodeDeathRetention is for how long the deaths of nodes are kept.
	nodeDeathRetention = 24 * time.Hour
)

// suspicion is what is known of a job that was running when a node died.
type suspicion struct {
	kind string
	// deaths counts all such nodes, alone those for whose death only this job is blamed. Of a heavy job these are the
	// nodes that died in its last chance, while no other heavy job was running.
	deaths, alone int
	// last is when the last of these deaths was found.
	last time.Time
}

// weightState is the scheduler's state for the heavy or for the light jobs of this node.
type weightState struct {
	// open counts the jobs that were started and whose results are not written yet.
	open int
	// suspect is the suspect that is running; nil if none is. Until aloneUntil nothing may start beside it.
	suspect    *Task
	aloneUntil time.Time
	// waitingSince is set while a suspect waits for all other jobs to end, because it must run alone.
	waitingSince time.Time
}

// mayStart reports whether a job that is no suspect may start now.
func (w *weightState) mayStart(now time.Time) bool {
	return w.waitingSince.IsZero() && !now.Before(w.aloneUntil)
}

// suspectQueue starts the suspects of this node, one of each weight at a time.
type suspectQueue struct {
	*core
	// suspicions are the jobs that were running when a node died, by key, and lastDeath is when a node was last found
	// dead; both as of the last claim of lanes. heavy and light are the states of the jobs of each weight.
	suspicions   map[int64]suspicion
	lastDeath    time.Time
	heavy, light weightState
}

// weightOf returns the state for the weight of a kind. The caller holds mu.
func (s *suspectQueue) weightOf(ks *kindState) *weightState {
	if ks.light {
		return &s.light
	}
	return &s.heavy
}

// isSuspect reports whether the job may be the cause of the deaths. Many light jobs run at once, so one that was
// running once among others is not suspected yet.
func (s suspicion) isSuspect(light bool) bool {
	if light {
		return s.alone > 0 || s.deaths > 1
	}
	return s.deaths > 0
}

// counted returns how many of the deaths count against a job.
func (s suspicion) counted(light bool) int {
	switch {
	case light:
		return s.alone
	case s.alone == 0 && s.deaths < maxHeavyDeaths:
		return min(s.deaths, maxDeaths-1) // its last chance is still to come
	}
	return s.deaths
}

// deathLimit returns the number of counted deaths after which a job is parked. If several light jobs have died alone,
// then either all of them kill processes or something else does, such as an operator or the memory of a request. The
// more there are, the more deaths are needed. The caller holds mu.
func (s *suspectQueue) deathLimit(light bool) int {
	if !light {
		return maxDeaths
	}
	diedAlone := 0
	for _, job := range s.suspicions {
		if ks := s.kinds[job.kind]; ks != nil && ks.light && job.alone > 0 {
			diedAlone++
		}
	}
	return min(maxDeaths*max(1, diedAlone), maxLightDeaths)
}

// start returns a suspect to start now, or nil. The caller holds mu.
func (s *suspectQueue) start() *Task {
	for _, light := range []bool{true, false} {
		if t := s.startOf(light); t != nil {
			return t
		}
	}
	return nil
}

// startOf returns a suspect of one weight to start now, or nil. Suspects with fewer deaths come first: those that are
// innocent end, and the others are left.
func (s *suspectQueue) startOf(light bool) *Task {
	weight := &s.heavy
	if light {
		weight = &s.light
	}

	waitingSince := weight.waitingSince
	weight.waitingSince = time.Time{}

	if weight.suspect != nil {
		return nil
	}

	limit := s.deathLimit(light)
	next := s.next(light, limit)
	if next == nil {
		return nil
	}

	next.deaths = s.suspicions[next.key].counted(light)
	next.mustPark = next.deaths >= limit
	mustBeAlone := !next.mustPark && next.deaths == limit-1
	now := s.Now()
	if mustBeAlone && weight.open > 0 {
		if waitingSince.IsZero() {
			waitingSince = now
		}
		if now.Sub(waitingSince) < s.timings.aloneWait {
			weight.waitingSince = waitingSince
			return nil
		}
		mustBeAlone = false // the others take too long; it runs beside them
	}

	next.lane.kindState.startSuspect(next)
	weight.open++
	weight.suspect = next

	if mustBeAlone {
		weight.aloneUntil = now.Add(s.timings.aloneTime)
	}

	return next
}

// next returns the suspect of one weight with the fewest deaths whose lane has a free slot, or nil.
func (s *suspectQueue) next(light bool, limit int) (next *Task) {
	fewest := 0
	for _, ks := range s.kinds {
		if ks.light != light || ks.running >= ks.nodeSlots {
			continue
		}

		for _, t := range ks.suspects {
			job := s.suspicions[t.key]
			deaths := job.counted(light)
			if !t.lane.mayStartSuspect() || deaths >= limit && !s.isCertain(job) {
				continue
			}
			if next == nil || deaths < fewest || deaths == fewest && t.key < next.key {
				next, fewest = t, deaths
			}
		}
	}

	return next
}

// isCertain reports whether the last death is so old that its node cannot turn out to be alive any more. On PostgreSQL
// a node that could not reach the database for a while retracts its death when it is back.
func (s *suspectQueue) isCertain(job suspicion) bool {
	certain := job.last.Add(s.timings.deathGrace)
	if s.DB.Engine() == database.SQLite || !certain.After(s.Now()) {
		return true
	}
	s.noteDue(certain)
	return false
}

// end notes that the attempt of a suspect has ended or was not made. It ignores other attempts. The caller holds mu.
func (s *suspectQueue) end(t *Task) {
	if weight := s.weightOf(t.lane.kindState); weight.suspect == t {
		weight.suspect = nil
		weight.aloneUntil = time.Time{}
	}
}

// isCautious reports whether the starts of light jobs are recorded. The caller holds mu.
func (s *suspectQueue) isCautious() bool {
	return !s.lastDeath.IsZero() && s.Now().Sub(s.lastDeath) < cautionPeriod
}

// buryNodes records the deaths of nodes and of the jobs that they were running, in the transaction that removes the
// nodes. remove deletes the rows of the nodes, and may delete their lanes.
func (m *membership) buryNodes(
	ctx context.Context, tx database.Querier, dead []nodeID, now time.Time, remove func() error,
) error {
	if err := setPlannerOptions(ctx, tx); err != nil {
		return err
	}

	onlyJob, err := m.onlyLightJob(ctx, tx, dead, now)
	if err != nil {
		return err
	}
	recorded, err := insertNodeDeaths(ctx, tx, dead, now)
	if err != nil {
		return err
	}

	if recorded == 0 {
		onlyJob = 0 // another node has recorded these deaths meanwhile, and blamed jobs for them
	}

	if err := remove(); err != nil {
		return err
	}

	interrupted, err := interruptedStarts(ctx, tx)
	if err != nil {
		return err
	}

	suspects, alone := m.assignBlame(interrupted)
	if err := setDied(ctx, tx, suspects, alone, now); err != nil {
		return err
	}

	if len(interrupted) == 0 && onlyJob != 0 {
		if err := insertDied(ctx, tx, onlyJob, dead[0], now); err != nil {
			return err
		}
	}

	return deleteStale(ctx, tx, now)
}

// onlyLightJob returns the light job that must have been running on a dead node although its start was not recorded,
// because it was the only one that was due; 0 if there is no such job.
func (m *membership) onlyLightJob(
	ctx context.Context, tx database.Querier, dead []nodeID, now time.Time,
) (int64, error) {
	last, err := lastNodeDeath(ctx, tx)
	if err != nil || len(dead) != 1 || !last.IsZero() && now.Sub(last) < cautionPeriod {
		return 0, err // starts of light jobs were recorded
	}
	due, err := dueInLanes(ctx, tx, dead[0], m.lightKinds(), now)
	if err != nil || len(due) != 1 {
		return 0, err
	}
	return due[0], nil
}

// assignBlame returns which of the jobs that were running on dead nodes are suspects now, and which of these are blamed
// alone. If heavy jobs were running, only they are suspects. A light job is blamed alone if it was the only one, or the
// only one that was a suspect before. A heavy job is blamed alone if it was the only heavy one in its last chance.
func (m *membership) assignBlame(interrupted []interruptedStart) (suspects []interruptedStart, alone map[int64]bool) {
	light := map[string]bool{}
	for _, kind := range m.lightKinds() {
		light[kind] = true
	}

	type ofNode struct{ heavy, all, before []interruptedStart }
	nodes := map[nodeID]*ofNode{}
	for _, s := range interrupted {
		n := nodes[s.node]
		if n == nil {
			n = &ofNode{}
			nodes[s.node] = n
		}

		n.all = append(n.all, s)
		if !light[s.kind] {
			n.heavy = append(n.heavy, s)
		}
	}

	alone = map[int64]bool{}
	for _, n := range nodes {
		blamed := n.heavy
		if len(blamed) == 0 {
			blamed = n.all
		}

		for _, s := range blamed {
			if s.before.isSuspect(light[s.kind]) {
				n.before = append(n.before, s)
			}
		}

		switch {
		case len(n.heavy) > 0:
			alone[n.heavy[0].key] = len(n.heavy) == 1 && n.heavy[0].before.deaths >= maxDeaths-1
		case len(blamed) == 1:
			alone[blamed[0].key] = true
		case len(n.before) == 1:
			alone[n.before[0].key] = true
		}

		suspects = append(suspects, blamed...)
	}

	return suspects, alone
}

// lightKinds returns the names of the light kinds.
func (c *core) lightKinds() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, ks := range c.kinds {
		if ks.light {
			names = append(names, name)
		}
	}
	return names
}

// readDeaths reads what is known of deaths. It is called in the transaction that claims lanes, so that this node knows
// every suspect among the jobs that it is about to read.
func readDeaths(ctx context.Context, tx database.Querier) (found map[int64]suspicion, last time.Time, err error) {
	if found, err = selectSuspicions(ctx, tx); err != nil {
		return nil, time.Time{}, err
	}
	last, err = lastNodeDeath(ctx, tx)
	return found, last, err
}
