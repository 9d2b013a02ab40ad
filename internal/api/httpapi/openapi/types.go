package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/kit/schema"
)

// The types in this file are members of structs that describe request bodies; they are neither decoded nor marshalled.
// Package schema has the types of values that are marshalled too, such as ID, Money and Nullable. The description of a
// struct is the tag doc of its blank field.

// NameInput documents a name in a request. Responses have names as strings.
type NameInput struct{}

// Schema implements huma.SchemaProvider.
func (NameInput) Schema(r huma.Registry) *huma.Schema {
	return stringOrNumberSchema(r, "NameInput", huma.TypeNumber,
		"A string or a number. It is stored trimmed and has 1 to 255 characters then. "+
			"A number is stored as it was written (`10.50` stays `10.50`), and answers always show a string.",
		"Size", 10.5)
}

// stringOrNumberSchema registers the schema of a non-empty string or a number. The parameter number is the JSON type of
// the latter: number or integer. There is no maxLength, since limits apply after trimming.
func stringOrNumberSchema(r huma.Registry, name, number, description string, shown ...any) *huma.Schema {
	return schema.Register(r, name, &huma.Schema{
		Description: description, Examples: shown,
		OneOf: []*huma.Schema{
			{Title: "string", Type: huma.TypeString, MinLength: new(1)}, {Title: "number", Type: number},
		},
	})
}

// ExternalIDInput documents the identifier of another system in a request. Responses have such identifiers as strings.
type ExternalIDInput struct{}

// Schema implements huma.SchemaProvider.
func (ExternalIDInput) Schema(r huma.Registry) *huma.Schema {
	return stringOrNumberSchema(r, "ExternalIDInput", huma.TypeInteger,
		"What the thing is called in your own system: a string or an integer of 1 to 255 characters after trimming. "+
			"`7` and `\"7\"` are the same id, and answers always show a string.",
		"1C-000123", 4711)
}

// BarcodeInput documents a barcode in a request. Responses have barcodes as strings.
type BarcodeInput struct{}

// Schema implements huma.SchemaProvider.
func (BarcodeInput) Schema(r huma.Registry) *huma.Schema {
	return stringOrNumberSchema(r, "BarcodeInput", huma.TypeInteger,
		"A barcode: a string or an integer of 1 to 64 characters after trimming, without `|`.",
		"4600000000017", 4600000000017)
}

// UnitInput documents the unit of a product in a request.
type UnitInput struct {
	_ struct{} `doc:"The unit in which a product is sold."`

	Code schema.Nullable[string] `json:"code,omitempty" doc:"The code of OKEI, three or four digits; null where it is not known." example:"796"`
	Name string                  `json:"name" doc:"1 to 64 characters." example:"pcs"`
}

// SlugInput documents a slug in a request.
type SlugInput struct{}

// Schema implements huma.SchemaProvider.
func (SlugInput) Schema(huma.Registry) *huma.Schema {
	minLength := 1
	maxLength := 200
	return &huma.Schema{Type: huma.TypeString, Pattern: "^[a-z0-9-]+$", MinLength: &minLength, MaxLength: &maxLength,
		Examples: []any{"t-shirt"}}
}

// SEOInput documents in a request what search engines are told of a product or a category.
type SEOInput struct {
	_ struct{} `doc:"What search engines are told of it, if that is not its name and description. null is the same as an empty object."`

	Title       schema.Nullable[string] `json:"title,omitempty" doc:"At most 255 characters on one line." example:"T-shirt of heavy cotton"`
	Description schema.Nullable[string] `json:"description,omitempty" doc:"At most 1,000 characters." example:"A T-shirt of 220 g/m² cotton."`
	NoIndex     schema.Nullable[bool]   `json:"noindex,omitempty" doc:"Whether search engines are to leave it out; false by default."`
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
	a := r.Schema(reflect.TypeFor[A](), true, "")
	b := r.Schema(reflect.TypeFor[B](), true, "")
	return &huma.Schema{OneOf: []*huma.Schema{a, b}}
}

// WithoutDocs removes descriptions from s, the schema of a struct that embeds the type Embedded. It removes those that
// the doc tags of the embedded fields have set, since the schema of Embedded has them already.
func WithoutDocs[Embedded any](r huma.Registry, s *huma.Schema) *huma.Schema {
	for _, f := range jsonMembers(reflect.TypeFor[Embedded]()) {
		s.Properties[f.json].Description = r.Schema(f.Type, true, "").Description
	}
	return s
}
