// Package event owns the events of a store: what happened, in the order of the commits. The package that emits an event
// decides what it means and what its payload holds. Who is told of it is package webhook's.
package event

import (
	"time"

	"vitrine/internal/kit/id"
)

// ID names an event.
type ID = id.Of[Event]

// Event is something that happened in a store. It never changes.
type Event struct {
	ID ID
	// Sequence grows by one with every event of the store, in the order of the commits.
	Sequence int64
	Type     string // one of the constants below
	Payload  []byte // a JSON object
	// CreatedAt is when it was committed, or shortly before.
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
	Test              = "webhook.test" // nothing happened: somebody tries a receiver
)
