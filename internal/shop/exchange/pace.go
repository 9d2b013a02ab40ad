package exchange

import (
	"time"

	"vitrine/internal/kit/database"
)

const (
	// A batch is applied in steps. A transaction ends after the step during which a short write has begun to wait for it.
	// A step takes about busyStep while there are such writes, and quietStep while there are none.
	busyStep  = 4 * time.Millisecond
	quietStep = 25 * time.Millisecond
	// busyTime is how long the steps stay short after a short write has waited.
	busyTime = time.Second
	// minStepItems limits the cost of short steps: with 20 items a push takes about twice as long as with batchItems,
	// with 200 items no longer.
	minStepItems = 20
)

// pace says how many items of a push are applied at a time, so that other writes do not wait for long. It is for SQLite:
// on PostgreSQL no write waits, and all items of a batch are applied at once.
type pace struct {
	db *database.DB
	// perItem is the time that an item took, averaged over the last steps; 0 before the first one.
	perItem time.Duration
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
	wanted := quietStep
	if p.busy() {
		wanted = busyStep
	}
	return int(min(max(wanted/p.perItem, minStepItems), batchItems))
}

// add records how long a step took.
func (p *pace) add(items int, took time.Duration) {
	one := max(1, took/time.Duration(items))
	if p.perItem == 0 {
		p.perItem = one
		return
	}
	p.perItem = max(1, (p.perItem+one)/2)
}
