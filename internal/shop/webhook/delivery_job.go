package webhook

import (
	"encoding/binary"
	"errors"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

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
