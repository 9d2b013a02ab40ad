// Package event owns the events of a store: a numbered log of what happened, in the order of the commits. The package
// that emits an event defines its payload. Sending events to receivers belongs to package webhook.
package event

import (
	"time"

	"vitrine/internal/kit/id"
)

// ID is the public id of an event.
type ID = id.Of[Event]

// Event records a change in a store. It is immutable.
type Event struct {
	ID ID
	// Sequence grows by one with every event of the store, in the order of the commits.
	Sequence int64
	Type     string // one of the constants below
	Payload  []byte // a JSON object
	// CreatedAt is the time of the call of Emit, shortly before the commit.
	CreatedAt time.Time
}

// The types of events.
const (
	OrderSubmitted    = "order.submitted"
	OrderConfirmed    = "order.confirmed"
	OrderCompleted    = "order.completed"
	OrderCancelled    = "order.cancelled"
	CallbackSubmitted = "callback.submitted"
	FeedbackSubmitted = "feedback.submitted"
	ExchangeCompleted = "exchange.completed"
	Test              = "webhook.test" // sent by an operator to test a receiver
)
