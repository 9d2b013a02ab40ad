package adminapi

import (
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

const webhooksIntro = "Addresses that are told of what happens in the store. Each event is a `POST` with the JSON " +
	"`{\"id\", \"type\", \"store_id\", \"created_at\", \"sequence\", \"payload\"}`, " +
	"signed as [Standard Webhooks](https://www.standardwebhooks.com) has it: `webhook-id` is the event's `id`, " +
	"the same on every attempt, `webhook-timestamp` the time of the attempt, " +
	"`webhook-signature` what to check with the receiver's secret. An event comes at least once, " +
	"so remember its id; the order is that of `sequence`, not of arrival. " +
	"Answer with 2xx within 15 seconds. Anything else is tried again, 9 times within 75 hours, " +
	"then the delivery is dead until somebody asks for it."

const (
	exampleReceiverID = "019a8269-4400-7d40-8a04-7e8f9a0b1c04"
	exampleEventID    = "019a8269-6600-7f60-8c06-9a0b1c2d3e06"
)

func exampleReceiver() Receiver {
	date := openapi.ExampleDate()
	return Receiver{
		ID: openapi.ExampleID(exampleReceiverID), URL: "https://shop.example/webhooks",
		WebhookTypes: []string{"order.*", "feedback.submitted"}, Enabled: true,
		CreatedAt: date, UpdatedAt: date,
	}
}

func exampleDelivery() Delivery {
	date := openapi.ExampleDate()
	return Delivery{
		ID: openapi.ExampleID("019a8269-5500-7e50-9b05-8f9a0b1c2d05"), EventID: openapi.ExampleID(exampleEventID),
		Type:       "order.submitted",
		ReceiverID: openapi.ExampleID(exampleReceiverID), Status: "pending", AttemptsCount: 1,
		LastStatusCode: schema.NotNull[int64](503),
		NextAttemptAt:  schema.NotNull(date), CreatedAt: date, UpdatedAt: date,
	}
}

func receiverRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "invalid_url", When: "`url` is no https address that can be requested."},
		{Status: 422, Code: "forbidden_address",
			When: "`url` leads into a private or otherwise special network that the operator of the server does not " +
				"allow."},
		{Status: 422, Code: "unknown_type",
			When: "An element of `webhook_types` is no type, and a prefix of none. The message lists the types."},
		{Status: 422, Code: "required", When: "`webhook_types` is empty, or a new receiver lacks a member."},
	}
}

func disabledRefusal() httpapi.Refusal {
	return httpapi.Refusal{Status: 409, Code: "receiver_disabled",
		When: "The receiver is disabled: nothing is sent to it before `enabled` is true."}
}

func receiverDocs() map[string]httpapi.Route {
	one := []httpapi.Example{openapi.ResourceExample("A receiver", exampleReceiver())}
	secret := []httpapi.Example{openapi.ResourceExample("A receiver with its secret",
		ReceiverWithSecret{Receiver: exampleReceiver(), Secret: "whsec_…"})}

	return openapi.Group(webhooksTag, "receiver", map[string]httpapi.Route{
		"GET " + receiversPath: {
			OperationID: "listWebhookReceivers", Summary: "List the receivers", Response: Receiver{}, Paged: true,
			Description:      "All receivers of the store, the oldest first, without their secrets.",
			ResponseExamples: []httpapi.Example{openapi.ListExample("Receivers", exampleReceiver())},
		},
		"POST " + receiversPath: {
			OperationID: "createWebhookReceiver", Summary: "Register a receiver", Status: 201,
			Response: ReceiverWithSecret{}, HasETag: true, Body: NewReceiver{},
			Description: "Registers an address and answers with its `secret`, " +
				"this once: nothing shows it again. What happens from now on is sent there. A key needs the scope of " +
				"what its types hold: " +
				"`orders:read` for `order.*`, `inquiries:read` for feedback and callbacks, " +
				"`catalog:read` for `exchange.completed` and `catalog.changed`, and all of them for `*`.",
			BodyExamples: []httpapi.Example{
				{Name: "All events", JSON: `{"url":"https://shop.example/webhooks","webhook_types":["*"]}`},
				{Name: "Orders and feedback",
					JSON: `{"url":"https://shop.example/webhooks","webhook_types":["order.*","feedback.submitted"]}`},
			},
			ResponseExamples: secret,
			Refusals: slices.Concat(receiverRefusals(), passwordRefusals(), []httpapi.Refusal{payloadRefusal(),
				{Status: 409, Code: "too_many_receivers", When: "The store has 100 receivers."}}),
		},
		"GET " + receiversPath + "/{id}": {
			OperationID: "getWebhookReceiver", Summary: "Read a receiver", Response: Receiver{}, HasETag: true,
			Description:      "Answers with a receiver, without its secret.",
			ResponseExamples: one,
		},
		"PUT " + receiversPath + "/{id}": {
			OperationID: "editWebhookReceiver", Summary: "Change a receiver", Response: Receiver{}, HasETag: true,
			Body: ReceiverEdit{},
			Description: "Changes the members that are sent and leaves the others; `webhook_types` is the full list. " +
				"A receiver that is set to `enabled: false` is sent nothing: what waits and what comes is held. " +
				"Set to `true` again it gets what comes, and what is held when it is asked for by `recover`. A " +
				"session needs the password for another address or more types. A key needs the scopes of the types, " +
				"as for a new receiver, unless it only turns the receiver off; for another address also those of the " +
				"events that are not delivered. Events of types that the receiver does not want any more are held.",
			BodyExamples: []httpapi.Example{
				{Name: "Hold all events", JSON: `{"enabled":false}`},
				{Name: "Other types", JSON: `{"webhook_types":["order.submitted","order.cancelled"],"enabled":true}`},
			},
			ResponseExamples: one,
			Refusals: slices.Concat(receiverRefusals(), passwordRefusals(),
				[]httpapi.Refusal{payloadRefusal()}),
		},
		"DELETE " + receiversPath + "/{id}": {
			OperationID: "deleteWebhookReceiver", Summary: "Delete a receiver",
			Description: "Deletes a receiver with its deliveries, and sends it nothing any more, " +
				"but for requests that are under way.",
		},
		"POST " + receiversPath + "/{id}/test": {
			OperationID: "testWebhookReceiver", Summary: "Try a receiver", Status: 202, Response: Delivery{},
			Body: ReceiverTest{}, BodyOptional: true,
			Description: "Sends the example of a type to this receiver alone, whatever types it wants, " +
				"and answers with the delivery, which tells what becomes of it. It is in no feed. " +
				"The body may be left out.",
			BodyExamples:     jsonExample("As if an order were submitted", `{"type":"order.submitted"}`),
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("A delivery", exampleDelivery())},
			Refusals: []httpapi.Refusal{disabledRefusal(),
				{Status: 422, Code: "unknown_type", When: "There is no such `type`. The message lists them."}},
		},
		"POST " + receiversPath + "/{id}/rotate-secret": {
			OperationID: "rotateWebhookSecret", Summary: "Replace a receiver's secret", Response: ReceiverWithSecret{},
			HasETag: true, Body: Confirmation{}, BodyOptional: true,
			BodyExamples: jsonExample("With a session", `{"password":"correct horse battery"}`),
			Refusals:     passwordRefusals(),
			Description: "Makes a new secret and answers with it, this once. The old one signs along for 24 hours: " +
				"requests carry both signatures, so that the receiver has time to change. " +
				"Rotating again within that time ends the older one.",
			ResponseExamples: secret,
		},
		"POST " + receiversPath + "/{id}/recover": {
			OperationID: "recoverWebhookReceiver", Summary: "Send what was not delivered", Status: 202,
			Response: Recovered{}, Body: Recovery{},
			Description: "Sends at once all that was made for the receiver since then and is not delivered: what " +
				"waits, what is held and what is dead, of the types that the receiver wants. Events keep their ids, " +
				"so a receiver that " +
				"knows one already recognises it. Asking again does no harm.",
			BodyExamples:     jsonExample("Since a day", `{"since":"2026-11-14T00:00:00+03:00"}`),
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("How many", Recovered{Recovered: 7000})},
			Refusals: []httpapi.Refusal{disabledRefusal(),
				{Status: 422, Code: "invalid_date", When: "`since` is no date and time in ISO 8601 with an offset."}},
		},
	})
}

func deliveryDocs() map[string]httpapi.Route {
	return openapi.Group(webhooksTag, "delivery", map[string]httpapi.Route{
		"GET " + deliveriesPath: {
			OperationID: "listWebhookDeliveries", Summary: "List the deliveries", Response: Delivery{},
			CursorPaged: true,
			Description: "What was sent, and what is to be, the newest first.",
			QueryParams: []httpapi.Param{
				{Name: "receiver_id", Example: exampleReceiverID, Description: "Leaves those for this receiver."},
				{Name: "type", Example: "order.submitted", Description: "Leaves those of events of this type."},
				{Name: "status", Example: "dead", Enum: []string{"pending", "delivered", "held", "dead"},
					Description: "Leaves those in this status: `pending`, `delivered`, `held` or `dead`."},
				{Name: "since", Example: "2026-11-14",
					Description: "Leaves those that were made then or later: a date, which is a day of the store, " +
						"or a time with its offset."},
				{Name: "until", Example: "2026-11-14T15:00:05Z",
					Description: "Leaves those that were made then or before, likewise."},
			},
			ResponseExamples: []httpapi.Example{openapi.CursorExample("The last delivery", exampleDelivery())},
		},

		"GET " + deliveriesPath + "/{id}": {
			OperationID: "getWebhookDelivery", Summary: "Read a delivery", Response: DeliveryWithAttempts{},
			HasETag:     true,
			Description: "Answers with a delivery and its attempts.",
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("A delivery that failed once",
				DeliveryWithAttempts{Delivery: exampleDelivery(), Attempts: []Attempt{{
					Number: 1, StartedAt: openapi.ExampleDate(), DurationMS: 41, StatusCode: schema.NotNull[int64](503),
					Phase:           schema.NotNull("status"),
					ResponseExcerpt: "Back in a minute",
				}}})},
		},

		"POST " + deliveriesPath + "/{id}/redeliver": {
			OperationID: "redeliverWebhook", Summary: "Send a delivery again", Status: 202, Response: Delivery{},
			Description:      "Sends it now, whatever became of it before, with all retries. The event keeps its id.",
			ResponseExamples: []httpapi.Example{openapi.ResourceExample("A delivery", exampleDelivery())},
			Refusals: []httpapi.Refusal{disabledRefusal(), {Status: 409, Code: "type_not_wanted",
				When: "The receiver does not want events of this type any more."}},
		},
	})
}

func eventDocs() map[string]httpapi.Route {
	return openapi.Group(webhooksTag, "", map[string]httpapi.Route{
		"GET /api/store/webhook-types": {
			OperationID: "listWebhookTypes", Summary: "List the types of events", Response: WebhookType{}, Paged: true,
			Description: "What receivers can be told of, each with the JSON Schema of its payload and an example. " +
				"Their dates are those of payloads, also with `dates=iso`.",
			ResponseExamples: []httpapi.Example{openapi.ListExample("A type", WebhookType{
				ID: "webhook.test", Description: "Nothing happened: an operator tries a receiver.",
				Schema:  jsonObject(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`),
				Example: jsonObject(`{"message":"This is a test."}`),
			})},
		},

		"GET /api/store/events": {
			OperationID: "listEvents", Summary: "Read the feed of events", Response: Event{}, CursorPaged: true,
			Description: "What happened in the store, the oldest first, as receivers get it, " +
				"to find out whether something was missed. The `cursor` is a `sequence`: the answer begins behind " +
				"it. " +
				"At the end `next_cursor` is null; go on later with the sequence of the last event that you know. " +
				"Nothing is committed behind a sequence that was shown. " +
				"Events whose payload the credential may not read are left out: those of orders need `orders:read`, " +
				"of feedback and callbacks `inquiries:read`, of pushes `catalog:read`. " +
				"`created_at` is always an ISO 8601 string in UTC. The payload is the one that is sent and signed: " +
				"`dates=iso` does not change the dates in it.",
			ResponseExamples: jsonExample("An event",
				`{"data":[{"id":"`+exampleEventID+`","type":"callback.submitted","store_id":"`+exampleStoreID+
					`","created_at":"2026-11-14T12:00:05.123456Z","sequence":4211,`+
					`"payload":{"id":"019a8269-6b00-7e21-9a07-7e8f9a0b1c07","name":"Anna","phone":"+79123456789",`+
					`"comment":null,"preferred_time":null,"created_at":`+exampleDateJSON+
					`}}],"meta":{"per_page":50,"next_cursor":"4211"}}`),
		},
	})
}

// payloadRefusal is the refusal of a key that may not read what it would have sent.
func payloadRefusal() httpapi.Refusal {
	return httpapi.Refusal{Status: 403, Code: "scope_exceeded",
		When: "The key lacks the scope of what an event of the receiver contains."}
}
