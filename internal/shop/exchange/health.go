package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// maxHealthRuns is how many of the newest runs Health looks at.
const maxHealthRuns = 1000

// Health summarizes the 1,000 newest runs of all stores, without dry runs and those that have not ended.
type Health struct {
	// LastCompleted is when the last run of each entity was completed. Entities without such a run are missing.
	LastCompleted map[string]time.Time
	// Stores is the number of stores that pushed, FailingStores of how many the newest run failed.
	Stores, FailingStores int
}

// Health returns the summary of the newest runs.
func (s *Runs) Health(ctx context.Context) (h Health, err error) {
	defer fault.AddContext(&err, "summarize the newest runs")

	h.LastCompleted = map[string]time.Time{}
	runs, err := database.ReadShort(ctx, s.DB, func(q querier) ([]endedRun, error) {
		return newestRuns(ctx, q, maxHealthRuns)
	})
	seen := map[store.ID]bool{}
	for _, r := range runs {
		if r.status == Completed && h.LastCompleted[r.entity].Before(r.finishedAt) {
			h.LastCompleted[r.entity] = r.finishedAt
		}

		if !seen[r.storeID] {
			seen[r.storeID] = true
			h.Stores++
			if r.status == Failed {
				h.FailingStores++
			}
		}
	}

	return h, err
}
