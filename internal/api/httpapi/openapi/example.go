package openapi

import (
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
)

// envelope is the body of a response. Meta is nil for a single resource.
type envelope struct {
	Data any `json:"data"`
	Meta any `json:"meta,omitzero"`
}

// One is an example of a response with a single resource, which v is.
func One(name string, v any) httpapi.Example {
	return httpapi.Example{Name: name, JSON: string(wire.AppendJSON(nil, envelope{Data: v}))}
}

// List is an example of a response with these elements on its only page.
func List[T any](name string, elements ...T) httpapi.Example {
	return ListWith(name, httpapi.Page{Number: 1, PerPage: httpapi.DefaultPerPage}.Meta(int64(len(elements))), elements...)
}

// ListWith is List for a route whose meta is not a PageMeta.
func ListWith[T any](name string, meta any, elements ...T) httpapi.Example {
	return httpapi.Example{Name: name, JSON: string(wire.AppendJSON(nil, envelope{elements, meta}))}
}

// ExampleID is the identifier of a thing in examples. It panics if text is no UUID.
func ExampleID(text string) ID {
	i, err := id.Parse[ID](text)
	if err != nil {
		panic("openapi: " + text + " is no UUID")
	}
	return ID(i)
}

// ExampleDate is the date of all examples: that of the schema of dates.
func ExampleDate() Date {
	language, err := locale.Parse("en")
	if err != nil {
		panic(err)
	}
	at := time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)
	return NewDate(at, locale.NewDates(language, time.FixedZone("Europe/Moscow", 3*60*60), at.Add(2*time.Minute)))
}
