package queue

import (
	"container/list"
	"context"
	"slices"
	"time"
)

const (
	// defaultPrefetch is how many jobs of a lane are in memory for each of its slots, where its kind does not say.
	defaultPrefetch = 4
	// firstsPerRetry is how many first attempts go before a retry that is due, where there are both: the retries of a lane that is always busy
	// have their turn too.
	firstsPerRetry = 8
	// reserveDivisor is the part of all slots of a kind that is kept for lanes of which nothing runs.
	reserveDivisor = 8
)

// laneName names a lane among those of all kinds.
type laneName struct{ kind, lane string }

// lease says who may work on a lane: a node under the number that it gave when it took it.
type lease struct {
	laneName
	node  nodeID
	epoch int64
}

// kindState is what this node does of one kind. The caller of its methods holds the queue's lock.
type kindState struct {
	Kind
	lanes map[string]*leasedLane
	// ready are the lanes with a job and a free slot, by how many of theirs run.
	ready   []*list.List
	running int
	// buffered is how many jobs are in memory and have not begun.
	buffered int
	count    counters
}

// leasedLane is a lane that this node has.
type leasedLane struct {
	lease
	kindState *kindState
	// ctx ends when the lane is no longer ours.
	ctx    context.Context
	cancel context.CancelCauseFunc

	// first are the jobs that were never tried, retries the others. In order, first is the one job that is next, tried or not.
	first, retries taskBuffer
	// inMemory are the jobs in memory: those above, those that run, and those whose result is not yet written.
	inMemory map[int64]bool
	running  int
	// firstsSinceRetry is how many first attempts went before the retry that is next.
	firstsSinceRetry int
	// readyElem is where the lane stands among the ready ones of which at jobs run; nil if it is not ready.
	readyElem  *list.Element
	readyIndex int
	// drainingSince says since when nothing is begun because the lane is to go to another node; zero if it is not. stays says until when it is
	// not asked for again, because what runs there took too long.
	drainingSince, keptUntil time.Time
	// pausedUntil is until when nothing is begun, see Rest; zero if it may be. careful says that one job is begun at a time until one succeeds.
	pausedUntil time.Time
	probing     bool
	// idleSince says since when there is nothing to do; zero if there is.
	idleSince time.Time
	dropped   bool
}

// taskBuffer are jobs of a lane that are in memory and have not begun, in the order in which they are due.
type taskBuffer struct {
	tasks []*Task
	// mayHaveMore says that the database may hold others that are due; they are looked for behind read.
	mayHaveMore bool
	cursor      jobPosition
}

// rewind has them looked for from the first one on: others may have committed jobs that stand before those read.
func (b *taskBuffer) rewind() { b.mayHaveMore, b.cursor = true, jobPosition{} }

// refillCount returns how many more should be in memory, of so many.
func (b *taskBuffer) refillCount(limit int) int {
	if !b.mayHaveMore || 2*len(b.tasks) > limit {
		return 0
	}
	return limit - len(b.tasks)
}

func newKindState(k Kind) *kindState {
	ks := &kindState{Kind: k, lanes: map[string]*leasedLane{}}
	for range k.Slots {
		ks.ready = append(ks.ready, list.New())
	}
	return ks
}

// addLane adds a lane that this node has leased.
func (ks *kindState) addLane(ctx context.Context, l lease) *leasedLane {
	added := &leasedLane{lease: l, kindState: ks, inMemory: map[int64]bool{}}
	added.ctx, added.cancel = context.WithCancelCause(ctx)
	ks.lanes[l.lane] = added
	return added
}

// dropLane forgets a lane and ends the contexts of its attempts with cause; their slots are free when they return.
func (ks *kindState) dropLane(l *leasedLane, cause error) {
	l.dropped = true
	l.discardBuffered()
	ks.updateReady(l)
	l.cancel(cause)
	if ks.lanes[l.lane] == l {
		delete(ks.lanes, l.lane)
	}
}

// discardBuffered takes the jobs that have not begun out of memory.
func (l *leasedLane) discardBuffered() {
	for _, t := range slices.Concat(l.first.tasks, l.retries.tasks) {
		delete(l.inMemory, t.key)
		l.kindState.buffered--
	}
	l.first, l.retries = taskBuffer{}, taskBuffer{}
}

// addTask takes a job into memory that was read from the database.
func (l *leasedLane) addTask(t *Task) {
	l.inMemory[t.key] = true
	l.kindState.buffered++
	buffer := l.bufferFor(t.isRetry)
	buffer.tasks = append(buffer.tasks, t)
	l.kindState.updateReady(l)
}

// bufferFor returns where a job waits that was tried already, or one that was not.
func (l *leasedLane) bufferFor(isRetry bool) *taskBuffer {
	if isRetry && !l.kindState.InOrder {
		return &l.retries
	}
	return &l.first
}

// refillCounts returns how many first attempts and how many retries more should be in memory.
func (l *leasedLane) refillCounts() (first, retries int) {
	if !l.drainingSince.IsZero() {
		return 0, 0
	}
	if l.kindState.InOrder {
		return l.refillCountInOrder(), 0
	}
	limit := l.kindState.Ahead * l.kindState.Slots
	return l.first.refillCount(limit), l.retries.refillCount(limit)
}

// minRefill is room for a lane where memory is short: enough for its slots if it has nothing in memory, else none.
func (l *leasedLane) minRefill(count int) int {
	if len(l.first.tasks)+len(l.retries.tasks) > 0 {
		return 0
	}
	return min(count, l.kindState.Slots)
}

// updateReady puts the lane where it belongs among the ready ones. One that stays keeps its turn.
func (ks *kindState) updateReady(l *leasedLane) {
	isReady := !l.dropped && l.drainingSince.IsZero() && l.pausedUntil.IsZero() && l.running < l.maxRunning() && len(l.first.tasks)+len(l.retries.tasks) > 0
	if l.readyElem != nil && (!isReady || l.readyIndex != l.running) {
		ks.ready[l.readyIndex].Remove(l.readyElem)
		l.readyElem = nil
	}
	if isReady && l.readyElem == nil {
		l.readyIndex = l.running
		l.readyElem = ks.ready[l.readyIndex].PushBack(l)
	}
}

// maxRunning is how many jobs may run at once.
func (l *leasedLane) maxRunning() int {
	if l.probing {
		return 1
	}
	return l.kindState.Slots
}

// startNext returns the job to start now, or nil: one of the lane with the fewest running, lanes with equally many in turn.
func (ks *kindState) startNext() *Task {
	if ks.running >= ks.Total {
		return nil
	}
	for n, lanes := range ks.ready {
		if n > 0 && ks.Slots < ks.Total && ks.Total-ks.running <= (ks.Total+reserveDivisor-1)/reserveDivisor {
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

// popTask takes the next job out of memory: first attempts before retries, save for every ninth.
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

// releaseSlot frees the slot of a job that ran. It stays known until its result is written.
func (ks *kindState) releaseSlot(l *leasedLane) {
	ks.running--
	l.running--
	ks.updateReady(l)
}
