package adminapi

import (
	"net/http"
	"slices"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/webhook"
)

// readReceiver reads the body of a request that registers or changes a receiver. It ignores other members, so that a
// client can send back a receiver that it has read.
func readReceiver(body *httpapi.Body) (edit webhook.ReceiverEdit, err error) {
	r := wire.NewReader(body.Reader())
	err = r.Document(func(name string) {
		switch name {
		case "url":
			if s, ok := r.String(); ok {
				edit.URL = &s
			}
		case "webhook_types":
			if list, ok := readStrings(r); ok {
				edit.Types = &list
			}
		case "enabled":
			if enabled, ok := r.Bool(); ok {
				edit.Enabled = &enabled
			}
		}
	})
	return edit, err
}

// readTest reads the optional body of a request that sends a test event and returns the event type. The caller closes
// the body.
func readTest(r *httpapi.Request) (*httpapi.Body, string, error) {
	eventType := event.Test
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return r.NoBody(), eventType, nil
	}
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return nil, "", err
	}
	in := wire.NewReader(body.Reader())
	err = in.Document(func(name string) {
		if name != "type" || in.Null() {
			return
		}
		eventType, _ = in.String()
	})
	if err != nil {
		body.Close()
		return nil, "", err
	}
	return body, eventType, nil
}

// readSince reads the body of a request that recovers deliveries and returns its start time.
func readSince(body *httpapi.Body) (since time.Time, err error) {
	r := wire.NewReader(body.Reader())
	hasSince := false
	err = r.Document(func(name string) {
		if name == "since" {
			hasSince = true
			since, _ = readTime(r)
		}
	})
	if err == nil && !hasSince {
		err = fault.OneField("since", "required",
			"Say from when on: a date and time in ISO 8601 with an offset, such as 2026-11-14T12:00:00+00:00.")
	}
	return since, err
}

// deliveryFilter reads the filter of a list of deliveries from the query.
func deliveryFilter(r *httpapi.Request) (f webhook.DeliveryFilter, err error) {
	period, err := r.Period()
	if err != nil {
		return f, err
	}
	f.From, f.Before = period.From, period.Before
	text, err := r.Param("receiver_id")
	if err != nil {
		return f, err
	}
	if r.HasParam("receiver_id") {
		receiverID, err := id.Parse[webhook.Receiver](text)
		if err != nil {
			return f, httpapi.BadParam("receiver_id", "must be the id of a receiver")
		}
		f.ReceiverID = &receiverID
	}
	if f.Type, err = readChoice(r, "type", eventTypeIDs()); err != nil {
		return f, err
	}
	status, err := readChoice(r, "status", webhook.Statuses())
	f.Status = webhook.Status(status)
	return f, err
}

// readChoice reads a query parameter that must be one of words. It returns "" if the parameter is absent.
func readChoice[T ~string](r *httpapi.Request, name string, words []T) (string, error) {
	text, err := r.Param(name)
	if err != nil || !r.HasParam(name) {
		return "", err
	}
	if !slices.Contains(words, T(text)) {
		return "", httpapi.BadParam(name, "must be one of %s", joinWords(words))
	}
	return text, nil
}

func joinWords[T ~string](words []T) (text string) {
	for i, word := range words {
		if i > 0 {
			text += ", "
		}
		text += string(word)
	}
	return text
}

func eventTypeIDs() (ids []string) {
	for _, t := range event.Types() {
		ids = append(ids, t.ID)
	}
	return ids
}
