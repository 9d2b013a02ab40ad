package event

import (
	"strconv"
	"time"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// AppendEnvelope appends the JSON of an event, as it is sent to receivers and listed in the feed. Its bytes are the
// same every time.
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
