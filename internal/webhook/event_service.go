package webhook

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/id"
	"vitrine/internal/store"
)

// Service is what can be done with events. It is safe for concurrent use.
type Service struct {
	now func() time.Time
}

// NewService makes a service; now tells the time of events.
func NewService(now func() time.Time) *Service { return &Service{now: now} }

// Emit adds one event to the store's, in the caller's transaction: it happened if that commits, and not otherwise. The payload is a JSON
// object, kept byte for byte. The store's row of sequences is locked until the commit, so that sequences follow the order of the commits
// and have no gaps: emitting is the last thing a transaction does, but for the note of which products it changed.
func (s *Service) Emit(ctx context.Context, q database.Querier, storeID store.ID, eventType string, payload []byte) error {
	var sequence int64
	if err := database.QueryRow(ctx, q, nextSequenceSQL, []any{storeID}, &sequence); err != nil {
		return fmt.Errorf("emit %s: %w", eventType, err)
	}
	if _, err := q.Exec(ctx, insertEventSQL, storeID, sequence, id.New[Event](), eventType, payload, s.now().UnixMicro()); err != nil {
		return fmt.Errorf("emit %s: %w", eventType, err)
	}
	return nil
}
