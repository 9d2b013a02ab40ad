package openapi

import (
	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/kit/schema"
)

// Moment is a time in the body of a request: a string, a date object, or null.
type Moment = schema.Nullable[OneOf[ISOTime, MomentObject]]

// MomentObject is a date object in the body of a request. Only iso_utc is read.
type MomentObject struct {
	ISOUTC string `json:"iso_utc" format:"date-time" example:"2027-01-31T12:00:00+00:00"`
}

// ISOTime is the schema of a time that is written as a string.
type ISOTime struct{}

// Schema implements huma.SchemaProvider.
func (ISOTime) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "ISO 8601 with an offset.",
		Examples: []any{"2027-01-31T12:00:00+00:00"}}
}
