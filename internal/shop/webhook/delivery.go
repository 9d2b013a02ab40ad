package webhook

import (
	"slices"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
)

// DeliveryID names a delivery.
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
	// Attempts is how many requests were made, over all times that it was sent again.
	Attempts int64
	// LastStatusCode is that of the last answer; nil if there was none.
	LastStatusCode *int64
	// NextAttemptAt is when it is sent, at the earliest; nil if it is not.
	NextAttemptAt        *time.Time
	CreatedAt, UpdatedAt time.Time
}

// Status is what has become of a delivery.
type Status string

// The statuses. What is held waits for nobody but whoever asks for it: its receiver was disabled.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Held      Status = "held"
	Dead      Status = "dead"
)

// Statuses lists all of them.
func Statuses() []Status { return []Status{Pending, Delivered, Held, Dead} }

// Known reports whether there is such a status.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Attempt is one request of a delivery.
type Attempt struct {
	Number    int64
	StartedAt time.Time
	Duration  time.Duration
	// StatusCode is that of the answer; nil if there was none.
	StatusCode *int64
	// Phase is where it failed: dns, connect, tls, timeout, status or blocked; nil if it succeeded.
	Phase *string
	// Excerpt is the beginning of the answer, of 4 KiB at most.
	Excerpt string
}
