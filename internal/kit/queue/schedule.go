package queue

import (
	"container/list"
	"context"
	"slices"
	"time"
)

const (
	// usualAhead is how many jobs of a lane are in memory for each of its slots, where its kind does not say.
	usualAhead = 4
	// firstsInTurn is how many first attempts go before a retry that is due, where there are both: the retries of a lane that is always busy
	// have their turn too.
	firstsInTurn = 8
	// reserve is the part of all slots of a kind that is kept for lanes of which nothing runs.
	reserve = 8
)

// laneName names a lane among those of all kinds.
type laneName struct{ kind, lane string }

// lease says who may work on a lane: a node under the number that it gave when it took it.
type lease struct {
	laneName
	node  nodeID
	epoch int64
}

// crew is what this node does of one kind. The caller of its methods holds the queue's lock.
type crew struct {
	Kind
	lanes map[string]*lane
	// ready are the lanes with a job and a free slot, by how many of theirs run.
	ready   []*list.List
	running int
	// buffered is how many jobs are in memory and have not begun.
	buffered int
	count    counters
}

// lane is a lane that this node has.
type lane struct {
	lease
	crew *crew
	// ctx ends when the lane is no longer ours.
	ctx  context.Context
	drop context.CancelCauseFunc

	// first are the jobs that were never tried, retries the others. In order, first is the one job that is next, tried or not.
	first, retries waiting
	// known are the jobs in memory: those above, those that run, and those whose result is not yet written.
	known   map[int64]bool
	running int
	// firsts is how many first attempts went before the retry that is next.
	firsts int
	// place is where the lane stands among the ready ones of which at jobs run; nil if it is not ready.
	place *list.Element
	at    int
	// leaving says since when nothing is begun because the lane is to go to another node; zero if it is not. stays says until when it is
	// not asked for again, because what runs there took too long.
	leaving, stays time.Time
	// rests is until when nothing is begun, see Rest; zero if it may be. careful says that one job is begun at a time until one succeeds.
	rests   time.Time
	careful bool
	// idle says since when there is nothing to do; zero if there is.
	idle time.Time
	gone bool
}

// waiting are jobs of a lane that are in memory and have not begun, in the order in which they are due.
type waiting struct {
	tasks []*Task
	// more says that the database may hold others that are due; they are looked for behind read.
	more bool
	read position
}

// start has them looked for from the first one on: others may have committed jobs that stand before those read.
func (w *waiting) start() { w.more, w.read = true, position{} }

// room returns how many more should be in memory, of so many.
func (w *waiting) room(most int) int {
	if !w.more || 2*len(w.tasks) > most {
		return 0
	}
	return most - len(w.tasks)
}

func newCrew(k Kind) *crew {
	c := &crew{Kind: k, lanes: map[string]*lane{}}
	for range k.Slots {
		c.ready = append(c.ready, list.New())
	}
	return c
}

// take adds a lane that this node has leased.
func (c *crew) take(ctx context.Context, l lease) *lane {
	made := &lane{lease: l, crew: c, known: map[int64]bool{}}
	made.ctx, made.drop = context.WithCancelCause(ctx)
	c.lanes[l.lane] = made
	return made
}

// lose forgets a lane and ends the contexts of its attempts with cause; their slots are free when they return.
func (c *crew) lose(l *lane, cause error) {
	l.gone = true
	l.empty()
	c.position(l)
	l.drop(cause)
	if c.lanes[l.lane] == l {
		delete(c.lanes, l.lane)
	}
}

// empty takes the jobs that have not begun out of memory.
func (l *lane) empty() {
	for _, t := range slices.Concat(l.first.tasks, l.retries.tasks) {
		delete(l.known, t.key)
		l.crew.buffered--
	}
	l.first, l.retries = waiting{}, waiting{}
}

// offer takes a job into memory that was read from the database.
func (l *lane) offer(t *Task) {
	l.known[t.key] = true
	l.crew.buffered++
	part := l.part(t.again)
	part.tasks = append(part.tasks, t)
	l.crew.position(l)
}

// part returns where a job waits that was tried already, or one that was not.
func (l *lane) part(again bool) *waiting {
	if again && !l.crew.InOrder {
		return &l.retries
	}
	return &l.first
}

// room returns how many first attempts and how many retries more should be in memory.
func (l *lane) room() (first, retries int) {
	if !l.leaving.IsZero() {
		return 0, 0
	}
	if l.crew.InOrder {
		return l.roomInOrder(), 0
	}
	most := l.crew.Ahead * l.crew.Slots
	return l.first.room(most), l.retries.room(most)
}

// least is room for a lane where memory is short: enough for its slots if it has nothing in memory, else none.
func (l *lane) least(room int) int {
	if len(l.first.tasks)+len(l.retries.tasks) > 0 {
		return 0
	}
	return min(room, l.crew.Slots)
}

// position puts the lane where it belongs among the ready ones. One that stays keeps its turn.
func (c *crew) position(l *lane) {
	isReady := !l.gone && l.leaving.IsZero() && l.rests.IsZero() && l.running < l.slots() && len(l.first.tasks)+len(l.retries.tasks) > 0
	if l.place != nil && (!isReady || l.at != l.running) {
		c.ready[l.at].Remove(l.place)
		l.place = nil
	}
	if isReady && l.place == nil {
		l.at = l.running
		l.place = c.ready[l.at].PushBack(l)
	}
}

// slots is how many jobs may run at once.
func (l *lane) slots() int {
	if l.careful {
		return 1
	}
	return l.crew.Slots
}

// begin returns the job to start now, or nil: one of the lane with the fewest running, lanes with equally many in turn.
func (c *crew) begin() *Task {
	if c.running >= c.Total {
		return nil
	}
	for n, lanes := range c.ready {
		if n > 0 && c.Slots < c.Total && c.Total-c.running <= (c.Total+reserve-1)/reserve {
			return nil
		}
		if front := lanes.Front(); front != nil {
			l := front.Value.(*lane)
			t := l.pop()
			c.buffered--
			c.running++
			l.running++
			c.position(l)
			return t
		}
	}
	return nil
}

// pop takes the next job out of memory: first attempts before retries, save for every ninth.
func (l *lane) pop() *Task {
	from := &l.first
	if len(l.first.tasks) == 0 || len(l.retries.tasks) > 0 && l.firsts >= firstsInTurn {
		from = &l.retries
		l.firsts = 0
	} else if len(l.retries.tasks) > 0 {
		l.firsts++
	}
	t := from.tasks[0]
	from.tasks = from.tasks[1:]
	return t
}

// end frees the slot of a job that ran. It stays known until its result is written.
func (c *crew) end(l *lane) {
	c.running--
	l.running--
	c.position(l)
}
