package event

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// replacement has the new values of members of a payload; nil keeps a value.
type replacement map[string]jsontext.Value

// orderReplacement has the members of an order that hold personal data, and what stands in their place.
func orderReplacement(name string) replacement {
	quoted := quote(name)
	return replacement{
		"contact":     jsontext.Value(`{"name":` + quoted + `,"phone":null,"email":null}`),
		"delivery":    jsontext.Value(`{"address":null,"comment":null}`),
		"comment":     jsontext.Value("null"),
		"customer_id": jsontext.Value("null"),
		"tracking":    jsontext.Value("null"),
		"tags":        jsontext.Value("[]"),
	}
}

// inquiryReplacement has the members of feedback and of callback requests that stay, and what they become. Other
// members of feedback, which a form may have had, are removed.
func inquiryReplacement(eventType, name string) replacement {
	null := jsontext.Value("null")
	quoted := jsontext.Value(quote(name))
	if eventType == CallbackSubmitted {
		return replacement{"id": nil, "name": quoted, "phone": jsontext.Value(`""`), "comment": null,
			"preferred_time": null, "created_at": nil}
	}
	return replacement{"id": nil, "name": quoted, "email": null, "phone": null, "message": quoted, "created_at": nil}
}

func quote(text string) string {
	b, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic("event: " + err.Error()) // the text is a constant
	}
	return string(b)
}

// RedactOrders replaces the personal data in the payloads of the events of orders with these ids. name stands in place
// of the name. It returns the sequences of the events. Deliveries that are pending send the new payload.
func RedactOrders(ctx context.Context, tx store.Tx, ids []ID, name string) (sequences []int64, err error) {
	defer fault.AddContext(&err, "redact events of store %s", tx.StoreID())
	list, err := selectByIDs(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Payload, err = redact(list[i].Payload, orderReplacement(name), false)
		if err != nil {
			return nil, err
		}
	}
	return updatePayloads(ctx, tx, list)
}

// RedactInquiries is like RedactOrders, for the events that announced the feedback and the callback requests with these
// ids. Names and messages become name.
func RedactInquiries[T any](
	ctx context.Context, tx store.Tx, inquiries []T, idOf func(T) [16]byte, name string,
) (sequences []int64, err error) {
	defer fault.AddContext(&err, "redact events of store %s", tx.StoreID())

	about := make([][16]byte, len(inquiries))
	for i, inquiry := range inquiries {
		about[i] = idOf(inquiry)
	}

	list, err := selectInquiryEvents(ctx, tx, about)
	if err != nil {
		return nil, err
	}

	for i := range list {
		list[i].Payload, err = redact(list[i].Payload, inquiryReplacement(list[i].Type, name), true)
		if err != nil {
			return nil, err
		}
	}

	return updatePayloads(ctx, tx, list)
}

// redact replaces members of a JSON object. A nil value keeps the member. If only is true, members that the replacement
// does not have are removed.
func redact(payload []byte, r replacement, only bool) ([]byte, error) {
	var b bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(payload))
	out := jsontext.NewEncoder(&b)
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}

	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, err
		}

		member := name.String()
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}

		replaced, known := r[member]
		switch {
		case !known && only:
			continue
		case replaced != nil:
			value = replaced
		}

		if err := out.WriteToken(jsontext.String(member)); err != nil {
			return nil, err
		}
		if err := out.WriteValue(value); err != nil {
			return nil, err
		}
	}

	if err := out.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}

	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// eventDelay is the longest time between the creation of the id of an inquiry and the creation of its event.
const eventDelay = 2 * time.Minute

// idRange returns the ids that were created at the same time as a given one or up to eventDelay later. The first 48
// bits of an id are the time in milliseconds.
func idRange(about [16]byte) (first, last ID) {
	var millis uint64
	for _, b := range about[:6] {
		millis = millis<<8 | uint64(b)
	}
	end := millis + uint64(eventDelay.Milliseconds())
	for i := range 6 {
		first[i] = about[i]
		last[i] = byte(end >> (8 * (5 - i)))
	}
	return first, last
}
