package exchange

import (
	"context"
	"runtime"
	"time"

	"vitrine/internal/kit/database"
)

const (
	// A batch is applied in steps. A transaction ends after the step during which a short write has begun to wait for
	// it. A step takes about busyStep while there are such writes, and quietStep while there are none.
	busyStep  = 4 * time.Millisecond
	quietStep = 25 * time.Millisecond
	// busyTime is how long the steps stay short after a short write has waited.
	busyTime = time.Second
	// minStepItems and minQuietItems limit the cost of short steps: with 20 items a push takes about twice as long as
	// with batchItems, with 200 items no longer.
	minStepItems  = 20
	minQuietItems = 100
	// processorWait is how long a goroutine that yields its processor is away if others are waiting for it. Without
	// others it is back after about a microsecond.
	processorWait = 50 * time.Microsecond
	// The steps of at least pauseInterval decide whether the push makes a pause, which takes at most maxPause.
	pauseInterval = 100 * time.Millisecond
	maxPause      = 250 * time.Millisecond
)

// pace says how many items of a push are applied at a time, so that other writes do not wait for long, and how long the
// push pauses for the sake of reads. It is for SQLite: on PostgreSQL no write waits, and another process does the work.
type pace struct {
	db *database.DB
	// perItem is the time that an item took, averaged over the last steps; 0 before the first one.
	perItem time.Duration
	// steps and crowded count the steps since the last pause, and those after which other goroutines waited for a
	// processor. took is their time.
	steps, crowded int
	took           time.Duration
}

// busy reports whether short writes have waited for a long write recently.
func (p *pace) busy() bool { return p.db.ShortWritesWaited(busyTime) }

// step returns the number of items to apply in the next step.
func (p *pace) step() int {
	if p.db.Engine() != database.SQLite {
		return batchItems
	}
	if p.perItem == 0 {
		return minStepItems
	}
	items := max(quietStep/p.perItem, minQuietItems)
	if p.busy() {
		items = max(busyStep/p.perItem, minStepItems)
	}
	return int(min(items, batchItems))
}

// pause is called between two transactions. If requests wait for a processor, it waits for one and a half times as long
// as the last steps took, times the share of steps after which they did so. A push would otherwise take most of two
// processors from the requests that read. Up to a quarter of the steps may be the push itself, which decodes in another
// goroutine.
func (p *pace) pause(ctx context.Context) {
	if p.took < pauseInterval {
		return
	}
	wait := time.Duration(0)
	if 4*p.crowded > p.steps {
		wait = min(maxPause, p.took*3/2*time.Duration(p.crowded)/time.Duration(p.steps))
	}
	p.steps, p.crowded, p.took = 0, 0, 0
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}

// processorsCrowded yields the processor and reports whether other goroutines were waiting for it. With a single
// processor these may be goroutines of the push itself, so it reports false.
func processorsCrowded() bool {
	if runtime.GOMAXPROCS(0) == 1 {
		return false
	}
	began := time.Now()
	runtime.Gosched()
	return time.Since(began) > processorWait
}

// add records how long a step took.
func (p *pace) add(items int, took time.Duration) {
	if p.db.Engine() != database.SQLite {
		return
	}
	p.steps++
	p.took += took
	if processorsCrowded() {
		p.crowded++
	}
	one := max(1, took/time.Duration(items))
	if p.perItem == 0 {
		p.perItem = one
		return
	}
	p.perItem = max(1, (p.perItem+one)/2)
}
