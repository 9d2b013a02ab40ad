package webhook

import (
	"slices"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
)

// DeliveryID is the public id of a delivery.
type DeliveryID = id.Of[Delivery]

// Delivery is one event for one receiver.
type Delivery struct {
	Key        int64
	ID         DeliveryID
	EventID    event.ID
	Sequence   int64
	Type       string
	ReceiverID ReceiverID
	Status     Status
	// Attempts is the number of requests made, including those before a redelivery.
	Attempts int64
	// LastStatusCode is the HTTP status of the last attempt; nil if there was no response.
	LastStatusCode *int64
	// NextAttemptAt is the earliest time of the next attempt; nil if none is scheduled.
	NextAttemptAt        *time.Time
	CreatedAt, UpdatedAt time.Time
}

// Status is the state of a delivery.
type Status string

// The statuses. A pending delivery has a job in the queue. A held one was not sent because its receiver was disabled, a
// dead one used up all its attempts: both are sent only by Redeliver or Recover.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Held      Status = "held"
	Dead      Status = "dead"
)

// Statuses returns all statuses.
func Statuses() []Status { return []Status{Pending, Delivered, Held, Dead} }

// Valid reports whether s is one of the statuses.
func (s Status) Valid() bool { return slices.Contains(Statuses(), s) }

// Attempt is one request of a delivery.
type Attempt struct {
	Number    int64
	StartedAt time.Time
	Duration  time.Duration
	// StatusCode is the HTTP status of the response; nil if there was no response.
	StatusCode *int64
	// Phase is where the attempt failed: dns, connect, tls, timeout, status or blocked; nil if it succeeded.
	Phase *string
	// Excerpt is the beginning of the response body, up to 4 KiB.
	Excerpt string
}
