package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// The types in this file describe members of request bodies in structs of documentation. Nothing is decoded into them.
// The types of values.go are marshalled too. The description of a struct is the tag doc of its blank field.

// schemaPrefix is the prefix of references to named schemas.
const schemaPrefix = "#/components/schemas/"

// NameInput documents a name in a request. Responses have it as a string.
type NameInput struct{}

// Schema implements huma.SchemaProvider.
func (NameInput) Schema(r huma.Registry) *huma.Schema {
	return stringOr(r, "NameInput", huma.TypeNumber,
		"A string or a number. It is stored trimmed and has 1 to 255 characters then. "+
			"A number is stored as it was written (`10.50` stays `10.50`), and answers always show a string.",
		"Size", 10.5)
}

// stringOr registers the schema of a string that is not empty, or a number. There is no maxLength, since limits apply
// after trimming.
func stringOr(r huma.Registry, name, number, description string, shown ...any) *huma.Schema {
	return registerSchema(r, name, &huma.Schema{
		Description: description, Examples: shown,
		OneOf: []*huma.Schema{
			{Title: "string", Type: huma.TypeString, MinLength: new(1)}, {Title: "number", Type: number},
		},
	})
}

// ExternalIDInput documents the identifier of another system in a request. Responses have it as a string.
type ExternalIDInput struct{}

// Schema implements huma.SchemaProvider.
func (ExternalIDInput) Schema(r huma.Registry) *huma.Schema {
	return stringOr(r, "ExternalIDInput", huma.TypeInteger,
		"What the thing is called in your own system: a string or an integer of 1 to 255 characters after trimming. "+
			"`7` and `\"7\"` are the same id, and answers always show a string.",
		"1C-000123", 4711)
}

// FileInput documents the content of a file.
type FileInput struct{}

// Schema implements huma.SchemaProvider.
func (FileInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString,
		Extensions:  map[string]any{"contentMediaType": "application/octet-stream"},
		Description: "The bytes of the file."}
}

// OneOf documents a member that is either an A or a B.
type OneOf[A, B any] struct{}

// Schema implements huma.SchemaProvider.
func (OneOf[A, B]) Schema(r huma.Registry) *huma.Schema {
	a, b := r.Schema(reflect.TypeFor[A](), true, ""), r.Schema(reflect.TypeFor[B](), true, "")
	return &huma.Schema{OneOf: []*huma.Schema{a, b}}
}

// registerSchema registers a schema under a name, unless the name is registered already, and returns a reference to it.
func registerSchema(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	if r.Map()[name] == nil {
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

// WithoutDocs removes the descriptions that the members of Embedded have by their tag doc from the schema of a type that
// embeds it. They stand in the schema of Embedded.
func WithoutDocs[Embedded any](r huma.Registry, s *huma.Schema) *huma.Schema {
	for _, f := range jsonMembers(reflect.TypeFor[Embedded]()) {
		s.Properties[f.json].Description = r.Schema(f.Type, true, "").Description
	}
	return s
}

// DateObject documents a date. A date always has exactly these nine members.
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
