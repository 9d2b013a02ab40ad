package event_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
)

// The files in types/ are generated from the Go types of the payloads: a schema from the type and the notes below, an
// example from a value.
func TestTypeFiles_followTheTypesOfPayloads(t *testing.T) {
	files := map[string][]byte{
		"order.schema.json": schemaFile(t, "Order", payload.Order{}, map[string]schemaNote{
			"number":          {doc: "Counts the store's orders.", minimum: new(1), notNull: true},
			"state":           {enum: []string{"submitted", "confirmed", "completed", "cancelled"}},
			"items":           {minItems: 1},
			"items.options":   {doc: "What tells the variant from others of its product."},
			"items.modifiers": {doc: "What was added to one piece or chosen in it."},
			"items.modifiers.price": {doc: "Of one, with at most 4 decimals; 0 if it has no price. The price of the " +
				"item includes it."},
			"items.modifiers.quantity": {doc: "For one piece of the item.", minimum: new(1)},
			"items.price": {doc: "Of one piece with its modifiers, with at most 4 decimals.",
				notNull: true},
			"items.price_list_id": {doc: "The price list that gave the price; null if the variant itself did."},
			"items.total":         {notNull: true},
			"items.quantity":      {doc: "With at most 3 decimals."},
			"currency":            {doc: "ISO 4217."},
			"customer_id":         {doc: "Null for a guest."},
			"tags":                {doc: "The shop's words for groups of orders."},
			"submitted_at":        {notNull: true},
		}),
		"callback.schema.json": schemaFile(t, "Request for a call", payload.Callback{}, map[string]schemaNote{
			"preferred_time": {doc: "In the visitor's own words."},
		}),
		"feedback.schema.json": schemaFile(t, "Feedback", payload.Feedback{}, map[string]schemaNote{
			"": {doc: "Members beside these are what else the form had, as it was sent.", open: true},
		}),
		"run.schema.json": schemaFile(t, "Run", exchange.RunJSON{}, map[string]schemaNote{
			"status": {doc: "A failed one has applied what its counts say.",
				enum: []string{"completed", "failed"}},
			"outcome": {doc: "How it ended. nothing_applied if all items failed, " +
				"or if it was rejected or broke off before " +
				"anything was applied.", notNull: true},
			"received":       {doc: "How many items were read.", minimum: new(0)},
			"created":        {minimum: new(0)},
			"updated":        {minimum: new(0)},
			"unchanged":      {minimum: new(0)},
			"failed":         {doc: "Items of which nothing was applied.", minimum: new(0)},
			"warnings":       {minimum: new(0)},
			"started_at":     {doc: "Null for one that was never begun."},
			"finished_at":    {notNull: true},
			"duration_ms":    {minimum: new(0)},
			"ignored_fields": {doc: "Members that nobody here knows, each once."},
			"ignored":        {doc: "The same members, with what is known of each."},
			"ignored.count":  {doc: "How many items have it.", minimum: new(1)},
			"ignored.first_index": {doc: "The first item that has it, from 0; null if it is beside the payload.",
				minimum: new(0)},
			"ignored.did_you_mean": {doc: "The known member that was probably meant; null if none is similar."},
			"images_pending":       {doc: "Images that were still to be downloaded when it ended.", minimum: new(0)},
			"archived":             {doc: "Products that were archived because they were missing.", minimum: new(0)},
			"reverted":             {minimum: new(0)},
			"dry_run":              {constant: new(false)},
			"problem":              {doc: "Why it failed; null if it did not."},
		}),
		"catalog.schema.json": schemaFile(t, "Changes of the catalogue", payload.CatalogChange{}, map[string]schemaNote{
			"version":          {minimum: new(1)},
			"products.count":   {minimum: new(0)},
			"categories.count": {minimum: new(0)},
		}),
		"catalog.changed.example.json": indentJSON(t, wire.AppendJSON(nil, payload.CatalogChange{Version: 184,
			Products: payload.ChangedThings{Count: 1, IDs: []schema.ID{
				schema.ID(parseID[catalog.Product](t, "019a8269-6b00-7e21-9a07-7e8f9a0b1c07"))}},
			Categories: payload.ChangedThings{IDs: []schema.ID{}}, PricesOnly: true,
			Tags: []string{"product-019a8269-6b00-7e21-9a07-7e8f9a0b1c07", "list"}})),
		"test.schema.json":                schemaFile(t, "Test", testPayload{}, nil),
		"order.submitted.example.json":    exampleOrder(t, order.Submitted),
		"order.confirmed.example.json":    exampleOrder(t, order.Confirmed),
		"order.completed.example.json":    exampleOrder(t, order.Completed),
		"order.cancelled.example.json":    exampleOrder(t, order.Cancelled),
		"order.updated.example.json":      exampleOrder(t, order.Confirmed, shipAndPay),
		"exchange.completed.example.json": exampleRun(t),
		"callback.submitted.example.json": indentJSON(t, (&inquiry.Callback{
			ID: parseID[inquiry.Callback](t, "019a8269-6b00-7e21-9a07-7e8f9a0b1c07"), Name: "Anna",
			Phone: "+79123456789", Comment: "About the size of a shirt", PreferredTime: "tomorrow after ten",
			CreatedAt: exampleTime(0),
		}).AppendJSON(nil, eventDates(t, exampleTime(0)))),
		"feedback.submitted.example.json": indentJSON(t, (&inquiry.Feedback{
			ID: parseID[inquiry.Feedback](t, "019a8269-7c00-7f31-8b08-8f9a0b1c2d08"), Name: "Anna",
			Email: "anna@example.com", Message: "The shirts fit well. Will there be blue ones?",
			Extra: `"topic":"Assortment"`, CreatedAt: exampleTime(0),
		}).AppendJSON(nil, eventDates(t, exampleTime(0)))),
		"webhook.test.example.json": indentJSON(t,
			wire.AppendJSON(nil, testPayload{"This is a test. Nothing happened in the store."})),
	}

	present, err := filepath.Glob("types/*.json")
	if err != nil || len(present) != len(files) {
		t.Errorf("types/ has %d files (%v), want %d", len(present), err, len(files))
	}

	for name, want := range files {
		path := filepath.Join("types", name)
		if flag.Lookup("update").Value.String() == "true" { // package apitest defines this flag
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}

		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale (%v): run the test with -update; it should be\n%s", path, err, want)
		}
	}
}

// testPayload is the payload of webhook.test.
type testPayload struct {
	Message string `json:"message"`
}

// schemaNote has what a member's schema says in addition to what follows from the member's Go type.
type schemaNote struct {
	doc      string
	enum     []string
	constant *bool
	minimum  *int
	minItems int
	notNull  bool // the member is never null in an event, although its Go type is nullable
	open     bool // the object may have other members
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, m.name), ':')
		v, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// schemaFile returns the JSON Schema of a payload. The keys of notes are paths of members, such as items.price.
func schemaFile(t *testing.T, title string, v any, notes map[string]schemaNote) []byte {
	t.Helper()
	s := append(object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}},
		describeSchema(t, reflect.TypeOf(v), "", notes)...)
	if v != (testPayload{}) { // testPayload is the only payload without dates
		s = append(s, member{"$defs", object{{"date",
			describeSchema(t, reflect.TypeFor[schema.DateObject](), "", map[string]schemaNote{
				"": {doc: "An instant in the timezone and the language that the store had when the event " +
					"happened."},
				"timezone":  {doc: "IANA name of the store's timezone."},
				"diff":      {doc: "How long before the event, in words of the store's language."},
				"timestamp": {doc: "Seconds since 1970."},
			})}}})
	}

	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}

	return indentJSON(t, text)
}

// describeSchema returns the JSON Schema of goType, the type of the payload's member at path.
func describeSchema(t *testing.T, goType reflect.Type, path string, notes map[string]schemaNote) object {
	t.Helper()
	n := notes[path]
	nullable := false
	if strings.HasPrefix(goType.Name(), "Nullable[") {
		goType = goType.Field(0).Type.Elem()
		nullable = !n.notNull
	} else if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
		nullable = !n.notNull
	}

	scalar := func(name string, more ...member) object {
		var kind any = name
		if nullable {
			kind = []string{name, "null"}
		}
		return append(object{{"type", kind}}, more...)
	}
	var s object
	switch {
	case n.enum != nil:
		s = object{{"enum", n.enum}}
	case n.constant != nil:
		s = object{{"const", *n.constant}}
	case goType == reflect.TypeFor[schema.Encoded[[]payload.VariantOptionValue]]():
		s = object{{"type", "array"},
			{"items", describeSchema(t, reflect.TypeFor[payload.VariantOptionValue](), path, nil)}}
	case goType == reflect.TypeFor[schema.Encoded[[]payload.OrderModifier]]():
		s = object{{"type", "array"},
			{"items", describeSchema(t, reflect.TypeFor[payload.OrderModifier](), path+".", notes)}}
	case goType == reflect.TypeFor[schema.Money]() || goType == reflect.TypeFor[schema.Decimal]():
		s = scalar("number")
	case goType == reflect.TypeFor[schema.Date]() || goType == reflect.TypeFor[locale.Date]():
		s = object{{"$ref", "#/$defs/date"}}
	case goType.Kind() == reflect.Array: // an id
		s = scalar("string", member{"format", "uuid"})
	case goType.Kind() == reflect.String:
		s = scalar("string")
	case goType.Kind() == reflect.Int64:
		s = scalar("integer")
	case goType.Kind() == reflect.Bool:
		s = scalar("boolean")
	case goType.Kind() == reflect.Slice:
		s = object{{"type", "array"}}
		if n.minItems > 0 {
			s = append(s, member{"minItems", n.minItems})
		}
		s = append(s, member{"items", describeSchema(t, goType.Elem(), path+".", notes)})
	case goType.Kind() == reflect.Struct:
		s = describeStructSchema(t, goType, path, notes)
	default:
		t.Fatalf("%s: no schema for %s", path, goType)
	}

	if n.minimum != nil {
		s = append(s, member{"minimum", *n.minimum})
	}

	if nullable && s[0].name != "type" || nullable && s[0].value == "object" {
		s = object{{"anyOf", []object{s, {{"type", "null"}}}}}
	}

	switch {
	case n.doc == "":
	case s[0].value == "object":
		s = slices.Insert(s, 1, member{"description", n.doc})
	default:
		s = append(s, member{"description", n.doc})
	}

	return s
}

func describeStructSchema(t *testing.T, goType reflect.Type, path string, notes map[string]schemaNote) object {
	t.Helper()
	var properties object
	var required []string
	for _, f := range reflect.VisibleFields(goType) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		// The field _ has no name. Members that may be left out never occur in events, but pointers, which only
		// shoppers do not get, always do.
		if name == "" || options != "" && f.Type.Kind() != reflect.Pointer {
			continue
		}

		within := strings.TrimPrefix(strings.TrimSuffix(path, ".")+"."+name, ".")
		fieldType := f.Type
		if options != "" {
			fieldType = fieldType.Elem()
		}
		s := describeSchema(t, fieldType, within, notes)
		if words := f.Tag.Get("enum"); words != "" && notes[within].enum == nil {
			s = object{{"enum", strings.Split(words, ",")}}
		}

		if format := f.Tag.Get("format"); format != "" {
			s = append(s, member{"format", format})
		}

		properties = append(properties, member{name, s})
		required = append(required, name)
	}

	s := object{{"type", "object"}}
	return append(s, object{{"properties", properties}, {"required", required},
		{"additionalProperties", notes[path].open}}...)
}

// exampleTime returns the time at which the events of the examples were created, plus d.
func exampleTime(d time.Duration) time.Time {
	return time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC).Add(d)
}

// eventDates returns a renderer for the dates in an event. The parameter now is the time of the event.
func eventDates(t *testing.T, now time.Time) *locale.Dates {
	t.Helper()
	language, err := locale.Parse("en")
	if err != nil {
		t.Fatal(err)
	}
	return locale.NewDates(language, time.FixedZone("Europe/Moscow", 3*60*60), now)
}

func parseID[Thing any](t *testing.T, text string) id.Of[Thing] {
	t.Helper()
	v, err := id.Parse[Thing](text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shipAndPay adds to an order what the shop adds to it.
func shipAndPay(o *order.Order) {
	o.Tracking = order.Tracking{Number: "RB123456785DE", Carrier: "DHL",
		URL: "https://carrier.example/track/RB123456785DE"}
	o.PaidAt = new(exampleTime(20 * time.Minute))
	o.Tags = []string{"gift"}
}

func exampleOrder(t *testing.T, state order.State, changes ...func(*order.Order)) []byte {
	t.Helper()
	submitted := exampleTime(2 * time.Minute)
	confirmed := exampleTime(30 * time.Minute)

	o := order.Order{
		ID: parseID[order.Order](t, "019a8269-5a00-7d11-8a01-1f2e3d4c5b01"), Number: new(int64(1024)), State: state,
		Total: 99_8000, Currency: "EUR", Contact: order.Contact{Name: "Anna", Phone: "+79123456789"},
		Delivery: order.Delivery{Address: "12 Harbour Street"}, Comment: "Please call before you come",
		SubmittedAt: &submitted, CreatedAt: exampleTime(0), UpdatedAt: submitted,
		ForShop: true,
		Items: []order.Item{{
			ID:        parseID[order.Item](t, "019a8269-5a01-7d12-8b02-2f3e4d5c6b02"),
			VariantID: parseID[catalog.Variant](t, "019a8260-1101-7a01-9c03-3a4b5c6d7e03"),
			ProductID: parseID[catalog.Product](t, "019a8260-1100-7a00-9d04-4b5c6d7e8f04"),
			Name:      "Linen shirt", Slug: "linen-shirt", SKU: "LS-M-WHITE", Barcode: "4600000000017",
			Unit: catalog.Unit{Code: "796", Name: "pcs"}, VATRate: money.NewOptional(money.Percent(20_00)),
			Price: money.NewPrice(49_9000), Quantity: 2000,
			Modifiers: `[{"group_id":"wrap","group_name":"Gift wrap","item_id":"paper","name":"Paper","price":5,` +
				`"quantity":1}]`,
			Options: `[{"id":"019a8250-2200-7b00-8e05-5c6d7e8f9a05","name":"Size",` +
				`"value":{"id":"019a8250-2201-7b01-8f06-6d7e8f9a0b06","name":"M"}}]`,
		}},
	}
	switch state {
	case order.Confirmed:
		o.ConfirmedAt = &confirmed
	case order.Completed:
		o.ConfirmedAt, o.CompletedAt = &confirmed, new(exampleTime(150*time.Minute))
	case order.Cancelled:
		o.ConfirmedAt, o.CancelledAt = &confirmed, new(exampleTime(time.Hour))
	case order.Draft, order.Submitted:
	}

	for _, change := range changes {
		change(&o)
	}

	o.UpdatedAt = *cmp.Or(o.CompletedAt, o.CancelledAt, o.ConfirmedAt, &submitted)
	return indentJSON(t, wire.AppendJSON(nil, o.JSON(eventDates(t, o.UpdatedAt))))
}

func exampleRun(t *testing.T) []byte {
	t.Helper()
	started := exampleTime(0)
	finished := exampleTime(2041 * time.Millisecond)
	run := exchange.Run{
		ID:     parseID[exchange.Run](t, "019a8269-ad40-7b01-8e55-6a7b8c9d0e01"),
		Params: exchange.Params{Entity: exchange.Products}, Status: exchange.Completed,
		StartedAt: &started, FinishedAt: &finished, IgnoredFields: []string{"nmae"},
		Ignored: []item.IgnoredField{{Field: "nmae", Count: 1, FirstIndex: new(int64(2)),
			DidYouMean: new("name")}},
		ImagesPending: 2,
	}
	run.Received, run.Created, run.Unchanged, run.Failed = 3, 1, 1, 1
	return indentJSON(t, wire.AppendJSON(nil, run.JSON(eventDates(t, finished))))
}

func indentJSON(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(slices.Clip(b.Bytes()), '\n')
}
