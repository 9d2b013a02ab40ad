package order

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// optionsJSON returns the option values of a variant in the JSON form of the API. Items store this text, so that a
// submitted order does not depend on the catalogue.
func optionsJSON(options []catalog.AttributeValue) string {
	b := []byte{'['}
	for i := range options {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendOption(b, &options[i])
	}
	return string(append(b, ']'))
}

func appendOption(b []byte, c *catalog.AttributeValue) []byte {
	b = append(b, `{"id":"`...)
	b = c.AttributeID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, c.Name)
	b = append(b, `,"value":{"id":"`...)
	b = c.Value.ID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, c.Value.Name)
	return append(b, "}}"...)
}
