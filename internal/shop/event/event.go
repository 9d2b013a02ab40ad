// Package event owns the events of a store: a numbered log of what happened, in the order of the commits. The package
// that emits an event defines its payload. Package webhook sends events to receivers.
package event

import (
	"strconv"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// ID is the public id of an event.
type ID = id.Of[Event]

// Event records a change in a store. It is immutable, except that RedactOrders and RedactInquiries replace personal
// data in the payload.
type Event struct {
	ID ID
	// Sequence grows by one with every event of the store, in the order of the commits.
	Sequence int64
	Type     string // one of the constants below
	Payload  []byte // a JSON object
	// CreatedAt is the time at which Emit was called, shortly before the commit.
	CreatedAt time.Time
	// ForOneReceiver says that the event is an example, which is sent to one receiver whatever types it wants.
	ForOneReceiver bool
}

// The types of events.
const (
	OrderSubmitted    = "order.submitted"
	OrderConfirmed    = "order.confirmed"
	OrderCompleted    = "order.completed"
	OrderCancelled    = "order.cancelled"
	OrderUpdated      = "order.updated"
	CallbackSubmitted = "callback.submitted"
	FeedbackSubmitted = "feedback.submitted"
	ExchangeCompleted = "exchange.completed"
	CatalogChanged    = "catalog.changed"
	Test              = "webhook.test" // sent by an operator to test a receiver
)

// AppendEnvelope appends the event as JSON, as it is sent to receivers and listed in the feed. Every call for an event
// appends the same bytes, unless its personal data was erased in between.
func (e *Event) AppendEnvelope(b []byte, storeID store.ID) []byte {
	b = append(b, `{"id":"`...)
	b = e.ID.Append(b)
	b = append(b, `","type":`...)
	b = wire.AppendString(b, e.Type)
	b = append(b, `,"store_id":"`...)
	b = storeID.Append(b)
	b = append(b, `","created_at":"`...)
	b = e.CreatedAt.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","sequence":`...)
	b = strconv.AppendInt(b, e.Sequence, 10)
	b = append(b, `,"payload":`...)
	b = append(b, e.Payload...)
	return append(b, '}')
}
