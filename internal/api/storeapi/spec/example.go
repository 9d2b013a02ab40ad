package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

func examples(list ...httpapi.Example) []httpapi.Example { return list }

// bodyExample returns an example of a request body. The example is JSON text and not a Go value, because a member of a
// body may have one of several forms.
func bodyExample(name, text string) httpapi.Example { return httpapi.Example{Name: name, JSON: text} }

// oneExample returns an example of a response with a single resource.
func oneExample(name string, v any) httpapi.Example { return openapi.ResourceExample(name, v) }

// listExample returns an example of a response with a list that fits on one page.
func listExample[T any](name string, elements ...T) httpapi.Example {
	return openapi.ListExample(name, elements...)
}

func exampleID(text string) schema.ID { return openapi.ExampleID(text) }

func exampleDate() schema.Date { return openapi.ExampleDate() }

// These ids occur in the examples of several resources.
const (
	exampleStoreID   = "019a8269-0000-7c11-8f2a-3d5b9e1c7a01"
	exampleSizeID    = "019a8269-7a12-7d3e-9c55-0b6a4f1d2e01"
	exampleSizeM     = "019a8269-7a12-7d40-a1b7-6f2c8d9e0b11"
	exampleSizeXL    = "019a8269-7a12-7d41-b3c4-1e5f7a8b9c12"
	exampleWeightID  = "019a8269-8b20-7f10-8a11-2c3d4e5f6a01"
	exampleWeight022 = "019a8269-8b20-7f11-9b22-3d4e5f6a7b11"
	exampleWeight15  = "019a8269-8b20-7f12-ac33-4e5f6a7b8c12"
	exampleShirtID   = "019a8269-9c30-7a01-8d44-5f6a7b8c9d01"
	exampleShirtM    = "019a8269-9c30-7a02-9e55-6a7b8c9d0e11"
	exampleShirtXL   = "019a8269-9c30-7a03-af66-7b8c9d0e1f12"
)
