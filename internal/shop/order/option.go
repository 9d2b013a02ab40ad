package order

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// optionsJSON is how an item keeps the options of its variant, as the API shows them.
func optionsJSON(options []catalog.Carried) string {
	b := []byte{'['}
	for i := range options {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendOption(b, &options[i])
	}
	return string(append(b, ']'))
}

func appendOption(b []byte, c *catalog.Carried) []byte {
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
