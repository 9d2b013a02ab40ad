package event

import (
	"bytes"
	"embed"
	"encoding/json"
	"slices"
	"sync"
)

//go:embed types/*.json
var typeFiles embed.FS

// Type documents an event type for the authors of receivers.
type Type struct {
	ID          string
	Description string
	// Schema is the JSON Schema (draft 2020-12) of the payload. Example is a sample payload.
	Schema, Example json.RawMessage
}

// typeTable returns the id, the schema file's name without extension, and the description of each event type.
func typeTable() [][3]string {
	return [][3]string{
		{OrderSubmitted, "order",
			"A customer submitted an order: its stock is reserved, its names and prices are frozen. The payload is " +
				"the order."},

		{OrderConfirmed, "order", "The shop took an order on. The payload is the order."},
		{OrderCompleted, "order",
			"An order is done, and what it reserved is taken out of the stocks. The payload is the order."},
		{OrderCancelled, "order", "An order was cancelled, and its stock is free again. The payload is the order."},
		{OrderUpdated, "order",
			"The shop changed a submitted order without a new state: its lines, contact, tracking, payment or tags. " +
				"Or it returned the order to an earlier state: it undid a confirmation, or reopened a completed or " +
				"cancelled order, whose stock is reserved again. The payload is the order."},
		{CallbackSubmitted, "callback",
			"A visitor asks to be called back. The payload is the request as it is stored."},
		{FeedbackSubmitted, "feedback",
			"A visitor wrote to the shop. The payload is the feedback as it is stored, " +
				"with whatever else the form had."},

		{ExchangeCompleted, "run",
			"A push of the accounting system came to its end, in whichever way; dry runs change nothing and are not " +
				"told of. " +
				"The payload is the run, without its errors and warnings."},

		{CatalogChanged, "catalog",
			"Products or categories are new, changed or deleted: at most one event a second tells of all changes " +
				"since the last one. The payload is what GET /v2/changes answers; ask there for what is not listed, " +
				"and for what you have missed."},

		{Test, "test", "Nothing happened: somebody tries a receiver. It is sent whatever types the receiver has."},
	}
}

// Types returns all event types. The caller owns the slice, but must not change the schemas and examples.
func Types() []Type { return slices.Clone(allTypes()) }

// allTypes reads the embedded files once.
var allTypes = sync.OnceValue(func() (types []Type) {
	for _, s := range typeTable() {
		types = append(types, Type{ID: s[0], Description: s[2], Schema: eventTypeFile(s[1] + ".schema.json"),
			Example: eventTypeFile(s[0] + ".example.json")})
	}
	return types
})

// eventTypeFile returns an embedded JSON file in compact form. It panics if the file is missing or is not JSON.
func eventTypeFile(name string) json.RawMessage {
	content, err := typeFiles.ReadFile("types/" + name)
	var b bytes.Buffer
	if err == nil {
		err = json.Compact(&b, content)
	}
	if err != nil {
		panic("event: " + name + ": " + err.Error())
	}
	return b.Bytes()
}

// TypeIDs returns the ids of all event types.
func TypeIDs() (ids []string) {
	for _, s := range typeTable() {
		ids = append(ids, s[0])
	}
	return ids
}

// FindType returns the event type with the given id and reports whether it exists.
func FindType(id string) (Type, bool) {
	for _, t := range Types() {
		if t.ID == id {
			return t, true
		}
	}
	return Type{}, false
}
