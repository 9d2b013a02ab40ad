package webhook

import (
	"encoding/binary"
	"errors"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// parcel is the payload of a job that sends a delivery. The job's lane names the receiver.
type parcel struct {
	storeID  store.ID
	delivery DeliveryID
	sequence int64
}

const parcelSize = 16 + 16 + 8

// job returns the queue job that sends the delivery. Its unique name ensures that a delivery has at most one job.
func (p parcel) job(receiver ReceiverID) queue.Job {
	payload := make([]byte, 0, parcelSize)
	payload = append(payload, p.storeID[:]...)
	payload = append(payload, p.delivery[:]...)
	payload = binary.BigEndian.AppendUint64(payload, uint64(p.sequence))
	return queue.Job{Kind: deliverKind, Lane: receiver.String(), UniqueName: p.delivery.String(), Payload: payload}
}

func readParcel(payload []byte) (p parcel, err error) {
	if len(payload) != parcelSize {
		return p, errors.New("this is not the job of a delivery")
	}
	copy(p.storeID[:], payload)
	copy(p.delivery[:], payload[16:])
	p.sequence = int64(binary.BigEndian.Uint64(payload[32:]))
	return p, nil
}
