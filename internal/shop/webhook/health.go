package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// maxStranded is how many stranded deliveries Health counts.
const maxStranded = 10_000

// Health says how the deliveries of all stores go.
type Health struct {
	// Receivers is the number of all receivers. Failing is the number of enabled ones whose last attempt failed.
	// Disabled has the number of disabled ones by reason: DisabledGone, DisabledFailing, or "" for those that an
	// operator disabled.
	Receivers, Failing int64
	Disabled           map[string]int64
	// Held and Dead are the numbers of deliveries that wait for an operator to send them again. Together they are at
	// most 10,000: no more are counted.
	Held, Dead int64
}

// Health returns how the deliveries go.
func (s *Service) Health(ctx context.Context) (h Health, err error) {
	defer fault.AddContext(&err, "summarize the receivers")
	err = s.DB.ReadWith(ctx, database.Short, false, func(q database.Querier) error {
		h = Health{Disabled: map[string]int64{}}
		if err := countReceiverStates(ctx, q, &h); err != nil {
			return err
		}
		return countAllStranded(ctx, q, maxStranded, &h)
	})
	return h, err
}

// Backlog is a receiver with the time since which its oldest undelivered event waits.
type Backlog struct {
	ReceiverID string
	Since      time.Time
}

// Backlogs returns the receivers whose oldest undelivered events have waited longest, the oldest first, and no more
// than limit. The events of disabled receivers do not count: they are held. The result is up to 15 seconds old.
func (s *Service) Backlogs(limit int) []Backlog {
	lanes := s.Queue.OldestLanes(deliveryKind)
	list := make([]Backlog, 0, min(limit, len(lanes)))
	for _, lane := range lanes[:min(limit, len(lanes))] {
		list = append(list, Backlog{lane.Lane, lane.Since})
	}
	return list
}
