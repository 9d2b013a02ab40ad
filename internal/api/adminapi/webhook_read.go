package adminapi

import (
	"slices"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/webhook"
)

// readReceiver reads the body of a request that registers or changes a receiver. It ignores other members, so that a
// client can send back a receiver that it has read. The password goes to where password points.
func readReceiver(r *wire.Reader, password *string) (e webhook.ReceiverEdit) {
	r.Object(func(name string) {
		switch name {
		case "password":
			if !r.Null() {
				*password, _ = r.String()
			}
		case "url":
			e.URL = wire.OrNil(r.String())
		case "webhook_types":
			e.Types = wire.OrNil(readStrings(r))
		case "enabled":
			e.Enabled = wire.OrNil(r.Bool())
		}
	})
	return e
}

// readRecovery reads the body of a request that recovers deliveries and returns its start time.
func readRecovery(r *wire.Reader) (since time.Time) {
	r.ObjectWith(func(name string) {
		if name == "since" {
			since, _ = wire.Moment(r)
		}
	}, wire.Required{Member: "since",
		Message: "Say from when on: a date and time in ISO 8601 with an offset, such as 2026-11-14T12:00:00+00:00."})
	return since
}

// deliveryFilter reads the filter of a list of deliveries from the query.
func deliveryFilter(r *httpapi.Request) webhook.DeliveryFilter {
	period := r.Query.Period()
	f := webhook.DeliveryFilter{From: period.From, Before: period.Before}
	if text, given := r.Query.Param("receiver_id"); given {
		receiverID, err := id.Parse[webhook.Receiver](text)
		if err != nil {
			r.Query.BadParam("receiver_id", "must be the id of a receiver")
		}
		f.ReceiverID = &receiverID
	}
	f.Type = readEnumParam(r, "type", eventTypeIDs())
	f.Status = readEnumParam(r, "status", webhook.Statuses())
	return f
}

// readEnumParam reads a query parameter whose value must be one of allowed. It returns "" if the parameter is absent.
func readEnumParam[T ~string](r *httpapi.Request, name string, allowed []T) T {
	text, given := r.Query.Param(name)
	if given && !slices.Contains(allowed, T(text)) {
		r.Query.BadParam(name, "must be one of %s", joinEnumValues(allowed))
	}
	return T(text)
}

func joinEnumValues[T ~string](values []T) (text string) {
	for i, value := range values {
		if i > 0 {
			text += ", "
		}
		text += string(value)
	}
	return text
}

func eventTypeIDs() (ids []string) {
	for _, t := range event.Types() {
		ids = append(ids, t.ID)
	}
	return ids
}
