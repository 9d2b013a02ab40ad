package event_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
)

// schemas returns the schemas of all event types by type id, compiled by an independent validator.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	compiled := map[string]*jsonschema.Schema{}
	for _, kind := range event.Types() {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(kind.ID, decodeJSON(t, kind.Schema)); err != nil {
			t.Fatal(err)
		}
		schema, err := c.Compile(kind.ID)
		if err != nil {
			t.Fatal(err)
		}
		compiled[kind.ID] = schema
	}
	return compiled
}

// decodeJSON decodes JSON into the types that the validator expects.
func decodeJSON(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func TestTypes_schemasMatchExamples(t *testing.T) {
	for id, schema := range schemas(t) {
		var kind event.Type
		for _, known := range event.Types() {
			if known.ID == id {
				kind = known
			}
		}

		if err := schema.Validate(decodeJSON(t, kind.Example)); err != nil ||
			!strings.HasSuffix(kind.Description, ".") {
			t.Errorf("%s: %v", id, err)
		}

		// A schema rejects an example that lacks a member or has an unknown one. Only the schema of feedback allows
		// unknown members. Its example has one, topic, which may therefore be missing.
		example := decodeJSON(t, kind.Example).(map[string]any)
		for member := range example {
			less := maps.Clone(example)
			delete(less, member)
			if schema.Validate(less) == nil && member != "topic" {
				t.Errorf("%s: the schema accepts an example without %s", id, member)
			}
		}

		more := maps.Clone(example)
		more["surprise"] = true
		if noticed := schema.Validate(more) != nil; noticed == (id == event.FeedbackSubmitted) {
			t.Errorf("%s: the schema rejects an unknown member: %v", id, noticed)
		}
	}
}

// The events that real operations emit match the schemas.
func TestTypes_schemasMatchEmittedEvents(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		size := s.OK(201, "POST", "/v2/variant-options?with=values", `{"name":"Size","values":[{"name":"M"}]}`)
		product := s.OK(201, "POST", "/v2/products",
			`{"name":"Shirt","variants":[{"sku":"S","price":49.9,"options":[{"option_id":"`+size.Text("data.id")+
				`","value_id":"`+size.Text("data.values.0.id")+`"}]}]}`)

		order := func(submission string, steps ...string) {
			r := s.OK(201, "POST", "/v2/orders",
				`{"items":[{"variant_id":"`+product.Text("data.variants.0.id")+`","quantity":1.5}]}`)
			path := "/v2/orders/" + r.Text("data.id")
			s.OK(200, "POST", path+"/submit", submission)
			for _, step := range steps {
				s.OK(200, "POST", path+"/"+step, nil)
			}
			s.OK(200, "PUT", path, `{"paid_at":"2026-11-14T12:00:05+00:00","tags":["gift"],"tracking":{"number":`+
				`"RB1"}}`)
		}

		order(`{"contact":{"name":"Anna","phone":"+79123456789","email":"anna@example.com"},"delivery":{"address":"1 `+
			`Road","comment":"Ring"},"comment":"Soon"}`, "confirm", "complete")
		order(`{"contact":{"name":"Anna","phone":"+79123456789"}}`, "cancel")

		for _, body := range []string{`{"phone":"+79123456789"}`,
			`{"phone":"+79123456789","name":"Anna","comment":"About it","preferred_time":"now"}`} {
			s.OK(201, "POST", "/v2/interactions/callback", body)
		}

		for _, body := range []string{`{"name":"Anna","message":"Hello"}`,
			`{"name":"Anna","message":"Hello","email":"anna@example.com","phone":"+79123456789","rating":5}`} {
			s.OK(201, "POST", "/v2/feedback", body)
		}

		s.OK(200, "POST", "/v2/sync-gate/stocks", `{"payload":[{"id":1,"name":"Main","weigth":1},{"id":2}]}`,
			apitest.As(s.Exchange))
		s.Do("POST", "/v2/sync-gate/stocks", `{"payload":[`, apitest.As(s.Exchange))

		var feed struct {
			Data []struct {
				Type    string
				Payload json.RawMessage
			}
		}
		if err := json.Unmarshal(s.DoAdmin("GET", "/api/store/events", nil).Body, &feed); err != nil {
			t.Fatal(err)
		}

		described := schemas(t)
		happened := map[string]int{}
		for _, e := range feed.Data {
			happened[e.Type]++
			if err := described[e.Type].Validate(decodeJSON(t, e.Payload)); err != nil {
				t.Errorf("%s: %v: %s", e.Type, err, e.Payload)
			}
		}

		want := map[string]int{
			event.OrderSubmitted: 2, event.OrderConfirmed: 1, event.OrderCompleted: 1, event.OrderCancelled: 1,
			event.OrderUpdated:      2,
			event.CallbackSubmitted: 2,
			event.FeedbackSubmitted: 2, event.ExchangeCompleted: 2,
		}
		// The worker of package change emits catalog.changed to receivers; its tests compare payloads with the schema.
		delete(happened, event.CatalogChanged)
		if !maps.Equal(happened, want) || !slices.Equal(slices.Sorted(maps.Keys(described)),
			slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(want)), event.Test,
				event.CatalogChanged)))) {
			t.Errorf("events by type are %v", happened)
		}
	})
}
