package webhook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// hourRetention is how long the counts of attempts are kept, if events expire at all.
const hourRetention = 35 * 24 * time.Hour

// AttemptCounts counts attempts by their outcome.
type AttemptCounts struct{ Delivered, Failed int64 }

// Add adds other counts.
func (c *AttemptCounts) Add(other AttemptCounts) {
	c.Delivered += other.Delivered
	c.Failed += other.Failed
}

// AttemptHour has the counts of one receiver in one hour.
type AttemptHour struct {
	Hour        time.Time // the beginning of the hour
	ReceiverKey int64
	AttemptCounts
}

// AttemptsPerHour returns the counts of attempts since a time, by hour and receiver; hours without attempts are left
// out. The hour of the time since is included as a whole. A receiverKey of 0 selects all receivers, also deleted ones.
func (s *Service) AttemptsPerHour(
	ctx context.Context, tx store.Tx, receiverKey int64, since time.Time,
) (_ []AttemptHour, err error) {
	defer fault.AddContext(&err, "count the attempts of store %s", tx.StoreID())
	return selectAttemptHours(ctx, tx, receiverKey, hourNumber(since))
}

// hourNumber returns the hours since 1970.
func hourNumber(t time.Time) int64 { return t.Unix() / 3600 }

// hourKey identifies a row of attempt_hours.
type hourKey struct {
	storeID     store.ID
	hour        int64
	receiverKey int64
}

// countAttempts adds the attempts of a batch to the counts of their receivers. It is the last statement of
// recordOutcomes, so that other transactions wait for its rows only until the commit. The rows are in a fixed order, so
// that two transactions do not wait for each other.
func countAttempts(ctx context.Context, q database.Querier, states []deliveryState) error {
	counts := map[hourKey]AttemptCounts{}
	for i := range states {
		result := states[i].result
		if !result.requestMade {
			continue
		}

		key := hourKey{result.storeID, hourNumber(result.attempt.StartedAt), result.receiver.Key}
		n := counts[key]
		if result.attempt.Phase == nil {
			n.Delivered++
		} else {
			n.Failed++
		}

		counts[key] = n
	}

	if len(counts) == 0 {
		return nil
	}

	keys := make([]hourKey, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}

	slices.SortFunc(keys, func(a, b hourKey) int {
		return cmp.Or(slices.Compare(a.storeID[:], b.storeID[:]), cmp.Compare(a.hour, b.hour),
			cmp.Compare(a.receiverKey, b.receiverKey))
	})
	return addAttemptCounts(ctx, q, keys, counts)
}
