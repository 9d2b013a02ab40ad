package event

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/shop/store"
)

// Emitter adds events to stores. It is safe for concurrent use.
type Emitter struct {
	now  func() time.Time
	wake func(storeID store.ID)
}

// NewEmitter returns an emitter. After each commit that added events it calls wake with their store, in the goroutine
// that committed. wake may be nil.
func NewEmitter(now func() time.Time, wake func(storeID store.ID)) *Emitter { return &Emitter{now: now, wake: wake} }

// Emit adds one event in the caller's transaction: the event exists if and only if the transaction commits. The payload
// is a JSON object, stored byte for byte. Emit locks the store's row of event_sequences until the commit, so sequences
// have no gaps and follow the order of the commits. Because of this lock, Emit must be the last write of a transaction,
// except for the record of which products it changed.
func (e *Emitter) Emit(ctx context.Context, tx store.Tx, eventType string, payload []byte) error {
	if _, err := Insert(ctx, tx, eventType, payload, nil, e.now()); err != nil {
		return err
	}
	if e.wake != nil {
		tx.Unscoped().AfterCommit(func() { e.wake(tx.StoreID()) })
	}
	return nil
}

// Insert adds one event and returns its sequence. If receiver is not nil, it is the key of the only receiver that the
// event is for, and the feed does not list the event. Insert does not call wake.
func Insert(
	ctx context.Context, tx store.Tx, eventType string, payload []byte, receiver *int64, now time.Time,
) (sequence int64, err error) {
	if sequence, err = insertEvent(ctx, tx, eventType, payload, receiver, now); err != nil {
		return 0, fmt.Errorf("emit %s: %w", eventType, err)
	}
	return sequence, nil
}
