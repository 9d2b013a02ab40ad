package searchlog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	pruneInterval = time.Hour
	// pruneChunk is how many rows one transaction deletes.
	pruneChunk = 1000
)

// RunRetention deletes expired days periodically until ctx ends. Then it returns nil.
func (l *Log) RunRetention(ctx context.Context) error {
	return periodic.Run(ctx, l.log, periodic.Task{Name: "delete old searches", Every: pruneInterval, Do: l.Prune})
}

// Prune deletes all days that are older than RetentionDays in every timezone.
func (l *Log) Prune(ctx context.Context) (err error) {
	defer fault.AddContext(&err, "delete old searches")
	// The day of a store may be behind that of UTC.
	before := store.DayNumber(l.now().UTC()) - RetentionDays
	for {
		more, err := database.Write(ctx, l.db, func(q database.Querier) (bool, error) {
			return pruneOldest(ctx, q, before, pruneChunk)
		})
		if err != nil || !more {
			return err
		}
	}
}
