package database

import "sync"

// writeQueue has the writes that wait for the SQLite writer. Long writes, which run alone, have a queue of their own:
// if both kinds wait, they take turns, so a short write waits for at most one long write, however many of them are
// queued. In each queue the owners take turns.
type writeQueue struct {
	mu          sync.Mutex
	short, long ownerQueue
	// lastLong is true if the last write taken by next was a long one.
	lastLong bool
	closed   bool
	// ready has an element if a write was added, or the queue was closed, since the last wait.
	ready chan struct{}
}

func newWriteQueue() *writeQueue { return &writeQueue{ready: make(chan struct{}, 1)} }

// add appends a write. It returns false if the queue is closed.
func (q *writeQueue) add(job *writeJob) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if job.alone {
		q.long.add(job)
	} else {
		q.short.add(job)
	}
	q.wake()
	return true
}

// close refuses further writes. The writer still gets those that are queued.
func (q *writeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

func (q *writeQueue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// next waits for a write and takes it. It returns nil when the queue is closed and empty.
func (q *writeQueue) next() *writeJob {
	for {
		job, closed := q.take()
		if job != nil || closed {
			return job
		}
		<-q.ready
	}
}

func (q *writeQueue) take() (job *writeJob, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	from := &q.long
	if q.long.size == 0 || q.lastLong && q.short.size > 0 {
		from = &q.short
	}
	q.lastLong = from == &q.long
	return from.take(), q.closed
}

// nextShort takes a short write. It returns nil if none is queued.
func (q *writeQueue) nextShort() *writeJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.short.take()
}

// len returns the number of queued writes, including those that were abandoned.
func (q *writeQueue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.short.size + q.long.size
}

// ownerQueue is a queue in which the owners of writes take turns. Writes without an owner have one turn together.
type ownerQueue struct {
	jobs  map[any][]*writeJob // by owner; no list is empty
	turns []any               // the keys of jobs
	size  int
}

func (q *ownerQueue) add(job *writeJob) {
	if q.jobs == nil {
		q.jobs = map[any][]*writeJob{}
	}
	list := q.jobs[job.owner]
	if len(list) == 0 {
		q.turns = append(q.turns, job.owner)
	}
	q.jobs[job.owner] = append(list, job)
	q.size++
}

// take removes and returns the next write, or nil if there is none.
func (q *ownerQueue) take() *writeJob {
	if q.size == 0 {
		return nil
	}
	owner := q.turns[0]
	q.turns = q.turns[1:]
	list := q.jobs[owner]
	if len(list) > 1 {
		q.jobs[owner] = list[1:]
		q.turns = append(q.turns, owner)
	} else {
		delete(q.jobs, owner)
	}
	q.size--
	return list[0]
}
