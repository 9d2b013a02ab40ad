package queue

import (
	"container/list"
	"context"
	"iter"
	"slices"
	"time"
)

const (
	// defaultPrefetch is the default of Kind.Prefetch.
	defaultPrefetch = 4
	// firstsPerRetry is how many first attempts of a lane may precede a due retry: a lane with a constant stream of new
	// jobs must not starve its retries.
	firstsPerRetry = 8
	// reserveDivisor sets the reserve of slots for lanes with no running job: one in reserveDivisor slots of a node.
	reserveDivisor = 8
)

// laneName identifies a lane among the lanes of all kinds.
type laneName struct{ kind, lane string }

// lease is the right of a node to work on a lane. The epoch distinguishes it from an earlier lease of the same node on
// the same lane.
type lease struct {
	laneName
	node  nodeID
	epoch int64
}

// kindState is the scheduler's state for one kind on this node. The caller of its methods holds Queue.mu.
type kindState struct {
	kindConfig
	lanes map[string]*leasedLane
	// ready[n] lists the lanes that have a job to start, a free slot, and n running jobs.
	ready   []*list.List
	running int
	// buffered is the number of jobs in memory that have not started.
	buffered int
	// suspects are the jobs in memory that have not started and were running when a node died. They are in no buffer of
	// their lane, so that the other jobs of the lane need not wait for them.
	suspects []*Task
	count    counters
}

// leasedLane is a lane that this node leases.
type leasedLane struct {
	lease
	kindState *kindState
	// ctx is the context of the lane's attempts. It ends when the node loses the lease, or at shutdown.
	ctx    context.Context
	cancel context.CancelCauseFunc

	// The buffer first holds jobs that were never tried, and the buffer retries holds jobs that were. In an ordered
	// lane, first holds the next job, whether it was tried or not, and retries is empty.
	first, retries taskBuffer
	// inMemory holds the keys of the buffered jobs, of the running jobs, and of those whose result is not yet written.
	inMemory map[int64]bool
	running  int
	// firstsSinceRetry counts the first attempts started while a retry was due.
	firstsSinceRetry int
	// readyElem is the element of the lane in ready[readyIndex]; nil if the lane is not ready.
	readyElem  *list.Element
	readyIndex int
	// drainingSince is set while the lane starts no more jobs because it will be released to another node. keptUntil is
	// the time before which the lane may not drain again, because its running jobs took too long.
	drainingSince, keptUntil time.Time
	// pausedUntil is set while the lane is paused; see PauseLane. probing says that only one job of the lane runs at a
	// time until an attempt succeeds.
	pausedUntil time.Time
	probing     bool
	// idleSince is the time since which the lane has had no jobs; zero if it has jobs.
	idleSince time.Time
	dropped   bool
}

// taskBuffer holds jobs of a lane that are in memory and have not started, in order of due time.
type taskBuffer struct {
	tasks []*Task
	// mayHaveMore says that the database may have further due jobs after cursor.
	mayHaveMore bool
	cursor      jobPosition
}

// rewind makes the next fetch start at the first job: other transactions may have committed jobs that precede the
// cursor.
func (b *taskBuffer) rewind() {
	b.mayHaveMore = true
	b.cursor = jobPosition{}
}

// refillCount returns how many more jobs to read into the buffer, which should hold at most limit jobs. It is 0 until
// half of the buffer is free.
func (b *taskBuffer) refillCount(limit int) int {
	if !b.mayHaveMore || 2*len(b.tasks) > limit {
		return 0
	}
	return limit - len(b.tasks)
}

func newKindState(k kindConfig) *kindState {
	ks := &kindState{kindConfig: k, lanes: map[string]*leasedLane{}}
	for range k.laneSlots {
		ks.ready = append(ks.ready, list.New())
	}
	return ks
}

// leasedLanes returns all lanes that this node leases. The caller holds mu.
func (c *core) leasedLanes() iter.Seq[*leasedLane] {
	return func(yield func(*leasedLane) bool) {
		for _, ks := range c.kinds {
			for _, l := range ks.lanes {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// addLane adds a lane that this node has leased.
func (ks *kindState) addLane(ctx context.Context, l lease) *leasedLane {
	added := &leasedLane{lease: l, kindState: ks, inMemory: map[int64]bool{}}
	added.ctx, added.cancel = context.WithCancelCause(ctx)
	ks.lanes[l.lane] = added
	return added
}

// dropLane removes a lane and cancels its attempts with the given cause. Their slots become free when the attempts
// return.
func (ks *kindState) dropLane(l *leasedLane, cause error) {
	l.dropped = true
	l.discardBuffered()
	ks.updateReady(l)
	l.cancel(cause)
	if ks.lanes[l.lane] == l {
		delete(ks.lanes, l.lane)
	}
}

// discardBuffered removes the jobs that have not started from memory.
func (l *leasedLane) discardBuffered() {
	for _, t := range slices.Concat(l.first.tasks, l.retries.tasks) {
		delete(l.inMemory, t.key)
		l.kindState.buffered--
	}
	l.first, l.retries = taskBuffer{}, taskBuffer{}
	l.kindState.suspects = slices.DeleteFunc(l.kindState.suspects, func(t *Task) bool {
		if t.lane == l {
			delete(l.inMemory, t.key)
			l.kindState.buffered--
		}
		return t.lane == l
	})
}

// addTask buffers a job that was read from the database.
func (l *leasedLane) addTask(t *Task) {
	l.inMemory[t.key] = true
	l.kindState.buffered++
	if t.isSuspect {
		l.kindState.suspects = append(l.kindState.suspects, t)
		return
	}
	buffer := l.bufferFor(t.isRetry)
	buffer.tasks = append(buffer.tasks, t)
	l.kindState.updateReady(l)
}

// bufferFor returns the buffer for retries or the one for first attempts.
func (l *leasedLane) bufferFor(isRetry bool) *taskBuffer {
	if isRetry && !l.kindState.inOrder {
		return &l.retries
	}
	return &l.first
}

// refillCounts returns how many more first attempts and retries to read from the database.
func (l *leasedLane) refillCounts() (first, retries int) {
	if !l.drainingSince.IsZero() {
		return 0, 0
	}
	if l.kindState.inOrder {
		return l.refillCountInOrder(), 0
	}
	limit := l.kindState.prefetch * l.kindState.laneSlots
	return l.first.refillCount(limit), l.retries.refillCount(limit)
}

// minRefill limits count when memory is short: to the number of slots if the lane has no buffered job, otherwise to 0.
func (l *leasedLane) minRefill(count int) int {
	if len(l.first.tasks)+len(l.retries.tasks) > 0 {
		return 0
	}
	return min(count, l.kindState.laneSlots)
}

// updateReady moves the lane to the ready list for its number of running jobs, or removes it if it is not ready. A lane
// that stays in its list keeps its position.
func (ks *kindState) updateReady(l *leasedLane) {
	isReady := !l.dropped && l.drainingSince.IsZero() && l.pausedUntil.IsZero() && l.running < l.maxRunning() &&
		len(l.first.tasks)+len(l.retries.tasks) > 0
	if l.readyElem != nil && (!isReady || l.readyIndex != l.running) {
		ks.ready[l.readyIndex].Remove(l.readyElem)
		l.readyElem = nil
	}
	if isReady && l.readyElem == nil {
		l.readyIndex = l.running
		l.readyElem = ks.ready[l.readyIndex].PushBack(l)
	}
}

// maxRunning returns how many jobs of the lane may run at once.
func (l *leasedLane) maxRunning() int {
	if l.probing {
		return 1
	}
	return l.kindState.laneSlots
}

// startNext returns the job to start now, or nil. It picks the lane with the fewest running jobs, and takes turns among
// equal lanes.
func (ks *kindState) startNext() *Task {
	if ks.running >= ks.nodeSlots {
		return nil
	}

	for n, lanes := range ks.ready {
		if n > 0 && ks.laneSlots < ks.nodeSlots &&
			ks.nodeSlots-ks.running <= (ks.nodeSlots+reserveDivisor-1)/reserveDivisor {
			return nil
		}

		if front := lanes.Front(); front != nil {
			l := front.Value.(*leasedLane)
			t := l.popTask()
			ks.buffered--
			ks.running++
			l.running++
			ks.updateReady(l)
			return t
		}
	}

	return nil
}

// mayStartSuspect reports whether a suspect of the lane may start: the lane has a free slot and is not paused.
func (l *leasedLane) mayStartSuspect() bool {
	return !l.dropped && l.drainingSince.IsZero() && l.pausedUntil.IsZero() && l.running < l.maxRunning()
}

// startSuspect removes a suspect from those that have not started, and takes a slot for it.
func (ks *kindState) startSuspect(t *Task) {
	ks.suspects = slices.DeleteFunc(ks.suspects, func(other *Task) bool { return other == t })
	ks.buffered--
	ks.running++
	t.lane.running++
	ks.updateReady(t.lane)
}

// popTask removes and returns the next job. First attempts precede retries, but at most firstsPerRetry in a row.
func (l *leasedLane) popTask() *Task {
	from := &l.first
	if len(l.first.tasks) == 0 || len(l.retries.tasks) > 0 && l.firstsSinceRetry >= firstsPerRetry {
		from = &l.retries
		l.firstsSinceRetry = 0
	} else if len(l.retries.tasks) > 0 {
		l.firstsSinceRetry++
	}
	t := from.tasks[0]
	from.tasks = from.tasks[1:]
	return t
}

// releaseSlot frees the slot of an attempt that has returned. Its job stays inMemory until its result is written.
func (ks *kindState) releaseSlot(l *leasedLane) {
	ks.running--
	l.running--
	ks.updateReady(l)
}

// Ordered kinds (InOrder) order jobs by key, which the database assigns on insertion, and not by time: the clocks of
// the nodes that add jobs may differ. All jobs that were never tried have the same due time, and at most the first job
// of a lane has been tried. Only the first job is read; the next job is read after the result of the first is written.
// So the database alone decides which job is next.

// dueNow returns the due time of a job that may start at once: the Unix epoch for an ordered kind, else now.
func (ks *kindState) dueNow(now time.Time) time.Time {
	if ks.inOrder {
		return time.UnixMicro(0)
	}
	return now
}

// refillCountInOrder returns 1 if the lane may read its next job, and 0 while a job of the lane is in memory.
func (l *leasedLane) refillCountInOrder() int {
	if len(l.inMemory) > 0 {
		return 0
	}
	return l.first.refillCount(1)
}
