package openapi

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

// ID is an identifier of any resource. Each id.Of converts to it.
type ID [16]byte

// IDOrNull returns the identifier that p points to, or null.
func IDOrNull[Thing any](p *id.Of[Thing]) Nullable[ID] { return Nullable[ID]{(*ID)(p)} }

// Schema implements huma.SchemaProvider.
func (ID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Description: "A UUIDv7.", Examples: []any{exampleID}}
}

// AppendText implements encoding.TextAppender, which JSON encoding uses.
func (i ID) AppendText(b []byte) ([]byte, error) { return id.Of[ID](i).Append(b), nil }

const exampleID = "019a8269-7a12-7d3e-9c55-0b6a4f1d2e01"

// Money is an amount in units of 0.0001.
type Money int64

// Schema implements huma.SchemaProvider.
func (Money) Schema(r huma.Registry) *huma.Schema {
	return registerSchema(r, "Money", &huma.Schema{
		Type: huma.TypeNumber,
		Description: "An amount in the currency of the store: a JSON number with at most 12 digits before the point and at most 4 decimals. " +
			"It is exact. Read it into a decimal type, not into a binary float, if you add amounts up.",
		Examples: []any{1990.5},
	})
}

// MarshalJSONTo implements json.MarshalerTo.
func (m Money) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteValue(wire.AppendFixed(e.AvailableBuffer(), int64(m), 4))
}

// Decimal is an exact number in its JSON form.
type Decimal string

// NewDecimal returns the shortest decimal that parses to f, without an exponent.
func NewDecimal(f float64) Decimal { return Decimal(strconv.FormatFloat(f, 'f', -1, 64)) }

// Schema implements huma.SchemaProvider.
func (Decimal) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// MarshalJSONTo implements json.MarshalerTo.
func (d Decimal) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(jsontext.Value(d)) }

// Date is an instant that is marshalled as a DateObject.
type Date struct {
	at    time.Time
	dates *locale.Dates
}

// NewDate returns the instant at. dates formats it.
func NewDate(at time.Time, dates *locale.Dates) Date { return Date{at, dates} }

// DateOrNull returns the instant that at points to, or null.
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
	return e.WriteValue(d.dates.AppendJSON(e.AvailableBuffer(), d.at))
}

// Nullable is either a T or null. The zero value is null.
type Nullable[T any] struct{ value *T }

// NotNull returns v as a Nullable.
func NotNull[T any](v T) Nullable[T] { return Nullable[T]{&v} }

// OrNull returns the value that p points to, or null.
func OrNull[T any](p *T) Nullable[T] { return Nullable[T]{p} }

// Schema implements huma.SchemaProvider. huma itself supports null only for the simple types.
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
