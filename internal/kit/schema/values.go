// Package schema defines the value types of the API's JSON. Each type implements its JSON form and describes it in the
// OpenAPI documents.
package schema

import (
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
)

// ID is the identifier of any resource. Every id.Of is convertible to it.
type ID [16]byte

// IDOrNull returns the identifier that p points to, or null if p is nil.
func IDOrNull[Thing any](p *id.Of[Thing]) Nullable[ID] { return Nullable[ID]{(*ID)(p)} }

// Schema implements huma.SchemaProvider.
func (ID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Description: "A UUIDv7.", Examples: []any{ExampleID}}
}

// AppendText implements encoding.TextAppender, which the JSON encoder uses.
func (i ID) AppendText(b []byte) ([]byte, error) { return id.Of[ID](i).Append(b), nil }

func (i ID) appendJSON(b []byte) []byte { return append(id.Of[ID](i).Append(append(b, '"')), '"') }

// ExampleID is the example of an identifier in the OpenAPI documents.
const ExampleID = "019a8269-7a12-7d3e-9c55-0b6a4f1d2e01"

// Money is an amount in units of 0.0001 of the store's currency.
type Money int64

// Schema implements huma.SchemaProvider.
func (Money) Schema(r huma.Registry) *huma.Schema {
	return Register(r, "Money", &huma.Schema{
		Type: huma.TypeNumber,
		Description: "An amount in the currency of the store: a JSON number with at most 12 digits before the point " +
			"and at most 4 decimals. " +
			"It is exact. Read it into a decimal type, not into a binary float, if you add amounts up.",
		Examples: []any{1990.5},
	})
}

// MarshalJSONTo implements json.MarshalerTo.
func (m Money) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteValue(m.appendJSON(e.AvailableBuffer()))
}

func (m Money) appendJSON(b []byte) []byte { return wire.AppendFixed(b, int64(m), 4) }

// Decimal is an exact number, as the text of a JSON number.
type Decimal string

// NewDecimal returns the shortest decimal that parses to f, without an exponent.
func NewDecimal(f float64) Decimal { return Decimal(strconv.FormatFloat(f, 'f', -1, 64)) }

// Schema implements huma.SchemaProvider.
func (Decimal) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// MarshalJSONTo implements json.MarshalerTo.
func (d Decimal) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(jsontext.Value(d)) }

func (d Decimal) appendJSON(b []byte) []byte { return append(b, d...) }

// Date is an instant whose JSON form is a DateObject.
type Date struct {
	at    time.Time
	dates *locale.Dates
}

// NewDate returns the Date of an instant. The formatter dates is used when the Date is encoded.
func NewDate(at time.Time, dates *locale.Dates) Date { return Date{at, dates} }

// DateOrNull returns the Date of the instant that at points to, or null if at is nil.
func DateOrNull(at *time.Time, dates *locale.Dates) Nullable[Date] {
	if at == nil {
		return Nullable[Date]{}
	}
	return NotNull(NewDate(*at, dates))
}

// Schema implements huma.SchemaProvider.
func (Date) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[DateObject](), true, "")
}

// MarshalJSONTo implements json.MarshalerTo.
func (d Date) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteValue(d.appendJSON(e.AvailableBuffer()))
}

func (d Date) appendJSON(b []byte) []byte { return d.dates.AppendJSON(b, d.at) }

// Nullable is either a T or null. The zero value is null.
type Nullable[T any] struct{ value *T }

// NotNull returns a Nullable that holds v.
func NotNull[T any](v T) Nullable[T] { return Nullable[T]{&v} }

// OrNull returns the value that p points to, or null if p is nil.
func OrNull[T any](p *T) Nullable[T] { return Nullable[T]{p} }

// NullIfZero returns v, or null if it is the zero value.
func NullIfZero[T comparable](v T) Nullable[T] {
	if v == *new(T) {
		return Nullable[T]{}
	}
	return NotNull(v)
}

// Schema implements huma.SchemaProvider. It is needed because huma supports null only for simple types.
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeFor[T](), true, "")
	switch {
	case s.Ref != "":
		return &huma.Schema{AnyOf: []*huma.Schema{s, {Type: "null"}}}
	case s.Type == "":
		s.OneOf = append(s.OneOf, &huma.Schema{Type: "null"})
	default:
		s.Nullable = true
	}
	return s
}

// MarshalJSONTo implements json.MarshalerTo.
func (n Nullable[T]) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, n.value) }

func (n Nullable[T]) appendJSON(b []byte) []byte {
	if n.value == nil {
		return append(b, "null"...)
	}
	switch v := any(n.value).(type) {
	case *string:
		return wire.AppendString(b, *v)
	case *int64:
		return strconv.AppendInt(b, *v, 10)
	case appender:
		return v.appendJSON(b)
	}
	return wire.AppendJSON(b, n.value)
}

// Encoded is the JSON encoding of a T.
type Encoded[T any] string

// Schema implements huma.SchemaProvider.
func (Encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// MarshalJSONTo implements json.MarshalerTo.
func (v Encoded[T]) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(jsontext.Value(v)) }

func (v Encoded[T]) appendJSON(b []byte) []byte { return append(b, v...) }

// Prefix is the part of a schema reference before the schema's name.
const Prefix = "#/components/schemas/"

// Register registers a schema under a name, unless the name is registered already, and returns a reference to it.
func Register(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	if r.Map()[name] == nil {
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: Prefix + name}
}

// DateObject describes the JSON form of Date in the OpenAPI documents. A date always has exactly these nine members.
type DateObject struct {
	_ struct{} `doc:"A date in every form that a storefront needs, in the timezone and the language of the store."`

	Timezone    string `json:"timezone" doc:"The timezone of the store, by its IANA name." example:"Europe/Moscow"`
	DatetimeUTC string `json:"datetime_utc" doc:"YYYY-MM-DD HH:MM:SS in UTC." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$" example:"2026-11-14 12:00:05"`
	Datetime    string `json:"datetime" doc:"YYYY-MM-DD HH:MM:SS in the timezone of the store." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$" example:"2026-11-14 15:00:05"`
	DatetimeAt  string `json:"datetime_at" doc:"Date and time for people, in the timezone and language of the store." example:"14.11.2026 at 15:00"`
	Date        string `json:"date" doc:"DD.MM.YYYY in the timezone of the store." pattern:"^[0-9]{2}\\.[0-9]{2}\\.[0-9]{4}$" example:"14.11.2026"`
	Diff        string `json:"diff" doc:"How long ago, or how far ahead, in the language of the store, seen from the moment of the answer." example:"2 minutes ago"`
	Timestamp   int64  `json:"timestamp" doc:"Unix time in seconds." example:"1794657605"`
	ISOUTC      string `json:"iso_utc" doc:"ISO 8601 in UTC, always with the offset +00:00." format:"date-time" example:"2026-11-14T12:00:05+00:00"`
	ISO         string `json:"iso" doc:"ISO 8601 with the offset that the timezone of the store has at that instant, daylight saving respected." format:"date-time" example:"2026-11-14T15:00:05+03:00"`
}
