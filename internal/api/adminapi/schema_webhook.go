package adminapi

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Receiver is a webhook receiver in a response, without its secret.
type Receiver struct {
	_ struct{} `doc:"An address that events are sent to. Its secret is not shown again."`

	ID             schema.ID               `json:"id"`
	URL            string                  `json:"url" doc:"Where events are posted to, as it is requested." example:"https://shop.example/webhooks"`
	WebhookTypes   []string                `json:"webhook_types" doc:"What it is told of: ids of types, prefixes such as order.*, or * alone for all, those of later versions too."`
	Enabled        bool                    `json:"enabled" doc:"Whether events are sent. While it is false, they are held for recover."`
	DisabledReason schema.Nullable[string] `json:"disabled_reason" doc:"Why the program disabled it: gone (it answered 410) or failing (nothing but failures for 5 days); null if it did not." example:"failing"`
	CreatedAt      schema.Date             `json:"created_at"`
	UpdatedAt      schema.Date             `json:"updated_at"`
}

// ReceiverWithSecret is a receiver in the response to a request that registers it or rotates its secret.
type ReceiverWithSecret struct {
	_ struct{} `doc:"A receiver with its new secret, which is shown here and never again."`

	Receiver
	Secret string `json:"secret" doc:"What requests are signed with: whsec_ and 32 bytes in base64, as Standard Webhooks has it. Keep it: it cannot be read again."`
}

// TransformSchema implements huma.SchemaTransformer. It removes the example of disabled_reason, since a receiver that
// was just registered is not disabled.
func (ReceiverWithSecret) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["disabled_reason"].Examples = nil
	return openapi.WithoutDocs[Receiver](r, s)
}

// NewReceiver is the body of a request that registers a receiver.
type NewReceiver struct {
	URL          string   `json:"url" doc:"An https address; http only where the operator of the server allows it. Never one in a private network, unless the operator allows that too." example:"https://shop.example/webhooks"`
	WebhookTypes []string `json:"webhook_types" doc:"Ids of types, prefixes such as order.*, or * for all. Not empty; repeated ones count once." minItems:"1"`
	Enabled      bool     `json:"enabled,omitempty" default:"true"`
	Password     string   `json:"password,omitempty" doc:"The operator's password. Required with a session, ignored with a key."`
}

// ReceiverEdit is the body of a request that changes a receiver.
type ReceiverEdit struct {
	Password     string   `json:"password,omitempty" doc:"The operator's password. Required with a session for another address or more types, ignored with a key."`
	URL          string   `json:"url,omitempty" doc:"What waits is sent to the new address." example:"https://shop.example/webhooks"`
	WebhookTypes []string `json:"webhook_types,omitempty" doc:"The full list." minItems:"1"`
	Enabled      bool     `json:"enabled,omitempty" doc:"false holds what waits; true begins with a clean record, and leaves what is held to recover."`
}

// ReceiverTest is the body of a request that sends a test event.
type ReceiverTest struct {
	Type string `json:"type,omitempty" doc:"The type whose example is sent." default:"webhook.test" example:"order.submitted"`
}

// Recovery is the body of a request that recovers deliveries.
type Recovery struct {
	Since openapi.OneOf[openapi.ISOTime,
		openapi.MomentObject] `json:"since" doc:"From when on: deliveries that were made then or later."`
}

// Recovered is the response to a request that recovers deliveries.
type Recovered struct {
	Recovered int64 `json:"recovered" doc:"How many deliveries are sent at once." example:"7000"`
}

// Delivery is the delivery of one event to one receiver, in a response.
type Delivery struct {
	_ struct{} `doc:"One event for one receiver."`

	ID             schema.ID                    `json:"id"`
	EventID        schema.ID                    `json:"event_id" doc:"The event, and the webhook-id of every request."`
	Type           string                       `json:"type" example:"order.submitted"`
	ReceiverID     schema.ID                    `json:"receiver_id"`
	Status         string                       `json:"status" doc:"pending waits for its next attempt, delivered was answered with 2xx, held waits for recover since its receiver is disabled, dead failed for the last time." enum:"pending,delivered,held,dead" example:"delivered"`
	AttemptsCount  int64                        `json:"attempts_count" doc:"How many requests were made."`
	LastStatusCode schema.Nullable[int64]       `json:"last_status_code" doc:"Of the last answer; null if there was none."`
	NextAttemptAt  schema.Nullable[schema.Date] `json:"next_attempt_at" doc:"Null unless it is pending."`
	CreatedAt      schema.Date                  `json:"created_at"`
	UpdatedAt      schema.Date                  `json:"updated_at"`
}

// DeliveryWithAttempts is the response for a single delivery.
type DeliveryWithAttempts struct {
	_ struct{} `doc:"One event for one receiver, with the requests that were made."`

	Delivery
	Attempts []Attempt `json:"attempts" doc:"In their order."`
}

// TransformSchema implements huma.SchemaTransformer.
func (DeliveryWithAttempts) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return openapi.WithoutDocs[Delivery](r, s)
}

// Attempt is one HTTP request to a receiver.
type Attempt struct {
	_ struct{} `doc:"One request."`

	Number          int64                   `json:"number" doc:"From 1."`
	StartedAt       schema.Date             `json:"started_at"`
	DurationMS      int64                   `json:"duration_ms"`
	StatusCode      schema.Nullable[int64]  `json:"status_code" doc:"Of the answer; null if there was none."`
	Phase           schema.Nullable[string] `json:"phase" doc:"Where it failed: dns, connect, tls, timeout, status (any but 2xx) or blocked (the address is not for us to reach); null if it succeeded." example:"status"`
	ResponseExcerpt string                  `json:"response_excerpt" doc:"The first 4 KiB of the answer."`
}

// WebhookType is an event type that receivers can subscribe to.
type WebhookType struct {
	_ struct{} `doc:"A sort of events."`

	ID          string     `json:"id" example:"order.submitted"`
	Description string     `json:"description"`
	Schema      jsonObject `json:"schema" doc:"The JSON Schema (draft 2020-12) of the payload."`
	Example     jsonObject `json:"example" doc:"A payload."`
}

// Event is the schema of an event in the feed. The JSON is written by AppendEnvelope of package event, not from this
// type.
type Event struct {
	_ struct{} `doc:"Something that happened in the store, as receivers get it."`

	ID        schema.ID       `json:"id"`
	Type      string          `json:"type" example:"order.submitted"`
	StoreID   schema.ID       `json:"store_id"`
	CreatedAt openapi.ISOTime `json:"created_at"`
	Sequence  int64           `json:"sequence" doc:"Grows with every event of the store, in the order in which they were committed." example:"4211"`
	Payload   jsonObject      `json:"payload" doc:"As the schema of the type says."`
}

// jsonObject is a JSON object whose members depend on the event type.
type jsonObject []byte

// Schema implements huma.SchemaProvider.
func (jsonObject) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeObject} }

// MarshalJSONTo implements json.MarshalerTo.
func (o jsonObject) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(jsontext.Value(o)) }
