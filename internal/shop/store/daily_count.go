package store

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
)

const (
	// flushCountsInterval is how long counts stay in memory. A node that crashes loses them.
	flushCountsInterval = 5 * time.Second
	// flushCountsTimeout limits the last flush, when the node stops.
	flushCountsTimeout = 5 * time.Second
)

// DailyCounts counts what happens in stores, by name and by day in the timezone of the store. Add costs no database
// access: the counts are added to the database every few seconds. A nil DailyCounts counts nothing. It is safe for
// concurrent use.
type DailyCounts struct {
	db  *database.DB
	now func() time.Time
	log *slog.Logger

	mu      sync.Mutex
	pending map[dailyCountKey]int64
}

type dailyCountKey struct {
	storeID ID
	name    string
	day     int64
}

// NewDailyCounts returns empty counts. The caller must also call Run, in a goroutine.
func NewDailyCounts(db *database.DB, now func() time.Time, log *slog.Logger) *DailyCounts {
	return &DailyCounts{db: db, now: now, log: log, pending: map[dailyCountKey]int64{}}
}

// Add counts that something happened in a store now. The name is one of a few, such as captcha.refused.
func (c *DailyCounts) Add(shop Store, name string) {
	if c == nil {
		return
	}
	key := dailyCountKey{shop.ID, name, DayNumber(c.now().In(shop.Zone()))}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[key]++
}

// DayNumber returns the number of days from 1 January 1970 to the date of t in its own timezone.
func DayNumber(t time.Time) int64 {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

// DayTime returns the midnight in UTC with which a day begins, the inverse of DayNumber.
func DayTime(day int64) time.Time { return time.Unix(day*24*60*60, 0).UTC() }

// Run adds the counts to the database every few seconds, and once more when ctx ends. Then it returns nil.
func (c *DailyCounts) Run(ctx context.Context) error {
	_ = periodic.Run(ctx, c.log, periodic.Task{ // Run always returns nil
		Name: "store daily counts", Every: flushCountsInterval, Do: c.Flush,
	})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushCountsTimeout)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		c.log.WarnContext(ctx, "the last daily counts are lost", "error", err)
	}
	return nil
}

// Flush adds the counts to the database. If it fails, they are added by the next call.
func (c *DailyCounts) Flush(ctx context.Context) (err error) {
	defer fault.AddContext(&err, "store daily counts")

	taken := c.take()
	if len(taken) == 0 {
		return nil
	}

	keys := make([]dailyCountKey, 0, len(taken))
	for key := range taken {
		keys = append(keys, key)
	}

	// The order is the same on all nodes, so that two transactions do not wait for each other.
	slices.SortFunc(keys, func(a, b dailyCountKey) int {
		return cmp.Or(slices.Compare(a.storeID[:], b.storeID[:]), cmp.Compare(a.name, b.name),
			cmp.Compare(a.day, b.day))
	})
	err = c.db.Write(ctx, func(q database.Querier) error { return addDailyCounts(ctx, q, keys, taken) })
	if err != nil {
		c.putBack(taken)
	}

	return err
}

func (c *DailyCounts) take() map[dailyCountKey]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.pending
	c.pending = map[dailyCountKey]int64{}
	return taken
}

func (c *DailyCounts) putBack(taken map[dailyCountKey]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, n := range taken {
		c.pending[key] += n
	}
}

// DailyCount is how often something happened on a day.
type DailyCount struct {
	Day   int64 // see DayNumber
	Name  string
	Count int64
}

// CountsPerDay returns the counts of a store whose names begin with prefix, from a day to another, both inclusive. Days
// without a count are left out. Counts of the last few seconds may be missing.
func CountsPerDay(ctx context.Context, tx Tx, prefix string, from, to int64) (_ []DailyCount, err error) {
	defer fault.AddContext(&err, "read the daily counts of store %s", tx.StoreID())
	return selectDailyCounts(ctx, tx, prefix, from, to)
}
