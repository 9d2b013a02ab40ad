package webhook

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
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

// The statuses. A pending delivery has a job in the queue. A held one was not sent because its receiver was disabled. A
// dead one used up all its attempts. Held and dead deliveries are sent only by Redeliver or Recover.
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

// deliveryJob is the payload of a job that sends a delivery. The job's lane names the receiver.
type deliveryJob struct {
	storeID  store.ID
	delivery DeliveryID
	sequence int64
}

const deliveryJobSize = 16 + 16 + 8

// queueJob returns the queue job that sends the delivery. Its unique name ensures that a delivery has at most one job.
func (j deliveryJob) queueJob(receiver ReceiverID) queue.Job {
	payload := make([]byte, 0, deliveryJobSize)
	payload = append(payload, j.storeID[:]...)
	payload = append(payload, j.delivery[:]...)
	payload = binary.BigEndian.AppendUint64(payload, uint64(j.sequence))
	return queue.Job{Kind: deliveryKind, Lane: receiver.String(), UniqueName: j.delivery.String(), Payload: payload}
}

func parseDeliveryJob(payload []byte) (j deliveryJob, err error) {
	if len(payload) != deliveryJobSize {
		return j, errors.New("the payload of a delivery job has the wrong length")
	}
	copy(j.storeID[:], payload)
	copy(j.delivery[:], payload[16:])
	j.sequence = int64(binary.BigEndian.Uint64(payload[32:]))
	return j, nil
}
