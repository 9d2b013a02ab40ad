package change

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	// Retention is how long the changes since a version are known at least.
	Retention  = 7 * 24 * time.Hour
	pruneEvery = time.Hour
	// pruneChunk is how many rows one transaction deletes.
	pruneChunk = 1000
)

// Prune deletes the history that is older than Retention: the versions, and the things that were deleted. First it
// raises the floor of each store, the oldest version since which changes can be read, so that no client gets an
// incomplete list.
func (s *Service) Prune(ctx context.Context) (err error) {
	defer fault.AddContext(&err, "delete old changes of catalogues")

	// The last day that ended at least Retention ago.
	day := store.DayNumber(s.Now().Add(-Retention).UTC()) - 1
	for {
		n, err := database.Write(ctx, s.DB, func(q database.Querier) (int64, error) { return raiseFloors(ctx, q, day) })
		if err != nil {
			return err
		}
		if n < pruneChunk {
			break
		}
	}

	before := store.DayTime(day + 1).UnixMicro()
	for more := true; more; {
		err := s.DB.WriteAlone(ctx, func(q database.Querier) (err error) {
			more, err = pruneRows(ctx, q, before)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
