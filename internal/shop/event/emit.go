package event

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of an Emitter.
type Deps struct {
	Now func() time.Time
	// Wake, if not nil, is called with the store's id after each commit that added events, in the committing goroutine.
	Wake func(storeID store.ID)
	// Emitted, if not nil, is called like Wake for each event, with its type.
	Emitted func(storeID store.ID, eventType string)
}

// Emitter adds events to stores. It is safe for concurrent use.
type Emitter struct{ Deps }

// New returns an emitter.
func New(d Deps) *Emitter { return &Emitter{d} }

// Emit adds one event in the caller's transaction: the event exists if and only if the transaction commits. The payload
// is a JSON object, stored byte for byte. Emit locks the store's row of event_sequences until the commit, so sequences
// have no gaps and follow the order of the commits. Because of this lock, Emit must be the last write of a use case.
// Only the list of changed products and the record of an Idempotency-Key are written after it.
func (e *Emitter) Emit(ctx context.Context, tx store.Tx, eventType string, payload []byte) error {
	return e.EmitAs(ctx, tx, id.New[Event](), eventType, payload)
}

// EmitAs is like Emit, but the caller chooses the id of the event. So the caller can store the id with its own rows,
// which it must write before.
func (e *Emitter) EmitAs(ctx context.Context, tx store.Tx, eventID ID, eventType string, payload []byte) error {
	if _, err := Insert(ctx, tx, eventID, eventType, payload, nil, e.Now()); err != nil {
		return err
	}
	if span := trace.Current(ctx); span.Recording() {
		span.Event(eventType, "vitrine.event_id", eventID.String())
	}
	if e.Wake != nil {
		tx.Unscoped().AfterCommit(func() { e.Wake(tx.StoreID()) })
	}
	if e.Emitted != nil {
		tx.Unscoped().AfterCommit(func() { e.Emitted(tx.StoreID(), eventType) })
	}
	return nil
}

// Feed returns up to limit events of a store in the order of their sequences, without test events. It starts with the
// first sequence that is greater than the parameter after. The result next is the sequence of the last returned event
// if more events follow, and 0 otherwise. Later commits get higher sequences, so a client that continues from the last
// sequence it has read misses no event.
func Feed(ctx context.Context, tx store.Tx, after, limit int64) (list []Event, next int64, err error) {
	defer fault.AddContext(&err, "list the events of store %s", tx.StoreID())
	list, err = selectFeed(ctx, tx, after, limit+1)
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Sequence, nil
}
