package openapi

import (
	"encoding/json"
	"strings"

	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event"
)

// webhooks describes the requests that receivers of events get, by the type of the event.
func webhooks() orderedObject {
	var list orderedObject
	text := func(name, description string) orderedObject {
		return orderedObject{{"name", name}, {"in", "header"}, {"required", true}, {"description", description},
			{"schema", orderedObject{{"type", "string"}}}}
	}
	for _, t := range event.Types() {
		body := orderedObject{{"type", "object"},
			{"required", []string{"id", "type", "store_id", "created_at", "sequence", "payload"}},
			{"properties", orderedObject{
				{"id", orderedObject{{"type", "string"}, {"format", "uuid"},
					{"description",
						"The id of the event, the same on every attempt: a receiver recognises repetitions by it."}}},
				{"type", orderedObject{{"type", "string"}, {"enum", []string{t.ID}}}},
				{"store_id", orderedObject{{"type", "string"}, {"format", "uuid"}}},
				{"created_at", orderedObject{{"type", "string"}, {"format", "date-time"}, {"description", "In UTC."}}},
				{"sequence", orderedObject{{"type", "integer"},
					{"description", "Counts the events of the store."}}},
				{"payload", payloadSchema(t)},
			}}}

		example := orderedObject{{"id", schema.ExampleID}, {"type", t.ID}, {"store_id", schema.ExampleID},
			{"created_at", "2026-11-14T12:00:05Z"}, {"sequence", 7}, {"payload", t.Example}}

		list.set(t.ID, orderedObject{{"post", orderedObject{
			{"summary", t.ID}, {"description", t.Description}, {"operationId", "on" + camelCase(t.ID)},
			{"parameters", []orderedObject{
				text("webhook-id", "The `id` of the event."),
				text("webhook-timestamp", "When this attempt was made, in Unix seconds."),
				text("webhook-signature",
					"Signatures of Standard Webhooks: `v1,` and a base64 HMAC-SHA-256, separated by spaces."),
			}},
			{"requestBody", orderedObject{{"required", true}, {"content", orderedObject{
				{"application/json", orderedObject{{"schema", body}, {"example", example}}}}}}},
			{"responses", orderedObject{
				{"2XX", orderedObject{{"description", "The event is delivered."}}},
				{"410", orderedObject{{"description", "The receiver is gone; it gets no further events."}}},
				{"default", orderedObject{{"description", "The event is sent again later, for about three days."}}},
			}},
		}}})
	}

	return list
}

// payloadSchema returns the schema of an event's payload. Its dates refer to the schema of the document.
func payloadSchema(t event.Type) map[string]any {
	text := strings.ReplaceAll(string(t.Schema), `"#/$defs/date"`, `"`+schema.Prefix+`DateObject"`)
	var payload map[string]any
	if err := json.Unmarshal([]byte(text), &payload); err != nil {
		panic("openapi: the schema of " + t.ID + ": " + err.Error())
	}
	delete(payload, "$schema")
	delete(payload, "$defs")
	return payload
}

// camelCase turns a type such as order.submitted into OrderSubmitted.
func camelCase(id string) string {
	b := []byte{}
	upper := true
	for _, c := range []byte(id) {
		switch {
		case c == '.':
			upper = true
		case upper:
			b = append(b, c-'a'+'A')
			upper = false
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
