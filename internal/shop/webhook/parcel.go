package webhook

import (
	"encoding/binary"
	"errors"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// parcel is what the job of a delivery holds: which one it is, of which store, and the number of its event. The receiver is the job's lane.
type parcel struct {
	storeID  store.ID
	delivery DeliveryID
	sequence int64
}

const parcelSize = 16 + 16 + 8

// job is the background work that sends the delivery. There is one job of it at a time.
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
