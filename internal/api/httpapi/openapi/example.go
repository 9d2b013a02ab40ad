package openapi

import (
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
)

// envelope is the body of a response. Meta is nil for a single resource.
type envelope struct {
	Data any `json:"data"`
	Meta any `json:"meta,omitzero"`
}

// ResourceExample returns an example of a response with the single resource v.
func ResourceExample(name string, v any) httpapi.Example {
	return httpapi.Example{Name: name, JSON: string(wire.AppendJSON(nil, envelope{Data: v}))}
}

// ExampleWithMeta returns an example of a response with the single resource v and the member meta.
func ExampleWithMeta(name string, v, meta any) httpapi.Example {
	return httpapi.Example{Name: name, JSON: string(wire.AppendJSON(nil, envelope{v, meta}))}
}

// ListExample returns an example of a response with the elements of a list that has one page.
func ListExample[T any](name string, elements ...T) httpapi.Example {
	page := httpapi.Page{Number: 1, PerPage: httpapi.DefaultPerPage}
	return ListExampleWithMeta(name, page.Meta(int64(len(elements))), elements...)
}

// ListExampleWithMeta returns an example of a list whose member meta is not a PageMeta.
func ListExampleWithMeta[T any](name string, meta any, elements ...T) httpapi.Example {
	return httpapi.Example{Name: name, JSON: string(wire.AppendJSON(nil, envelope{elements, meta}))}
}

// CursorExample returns an example of the last response of a list that clients read by cursor.
func CursorExample[T any](name string, elements ...T) httpapi.Example {
	return ListExampleWithMeta(name, httpapi.CursorMeta{PerPage: httpapi.DefaultPerPage}, elements...)
}

// ExampleID parses an identifier for examples. It panics if text is not a UUID.
func ExampleID(text string) schema.ID {
	i, err := id.Parse[schema.ID](text)
	if err != nil {
		panic("openapi: " + text + " is not a UUID")
	}
	return schema.ID(i)
}

// ExampleTime is the instant of all examples, also of those in the schema DateObject.
func ExampleTime() time.Time { return time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC) }

// ExampleDates returns a formatter whose present is two minutes after ExampleTime.
func ExampleDates() *locale.Dates {
	language, err := locale.Parse("en")
	if err != nil {
		panic(err)
	}
	return locale.NewDates(language, time.FixedZone("Europe/Moscow", 3*60*60), ExampleTime().Add(2*time.Minute))
}

// ExampleDate returns ExampleTime as a date.
func ExampleDate() schema.Date { return schema.NewDate(ExampleTime(), ExampleDates()) }
