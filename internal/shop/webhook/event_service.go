package webhook

import (
	"context"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// Emit adds one event to the store's, in the caller's transaction: it happened if that commits, and not otherwise. The payload is a JSON
// object, kept byte for byte. The store's row of sequences is locked until the commit, so that sequences follow the order of the commits
// and have no gaps: emitting is the last thing a transaction does, but for the note of which products it changed.
func (s *Service) Emit(ctx context.Context, q database.Querier, storeID store.ID, eventType string, payload []byte) error {
	if _, err := s.insertEvent(ctx, q, storeID, eventType, payload, nil); err != nil {
		return err
	}
	q.AfterCommit(func() { s.emitted.note(storeID) })
	return nil
}

// insertEvent adds an event, for one receiver if that is not nil, and returns its number.
func (s *Service) insertEvent(ctx context.Context, q database.Querier, storeID store.ID, eventType string, payload []byte, receiver *int64) (sequence int64, err error) {
	if err := database.QueryRow(ctx, q, nextSequenceSQL, []any{storeID}, &sequence); err != nil {
		return 0, fmt.Errorf("emit %s: %w", eventType, err)
	}
	if _, err := q.Exec(ctx, insertEventSQL, storeID, sequence, id.New[Event](), eventType, payload, receiver, s.Now().UnixMicro()); err != nil {
		return 0, fmt.Errorf("emit %s: %w", eventType, err)
	}
	return sequence, nil
}
