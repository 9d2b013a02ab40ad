package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

// orderedObject is a JSON object whose members keep their order, so that the document has the order of the table of
// routes.
type orderedObject []objectMember

type objectMember struct {
	name  string
	value any
}

func (o orderedObject) index(name string) int {
	return slices.IndexFunc(o, func(m objectMember) bool { return m.name == name })
}

func (o orderedObject) get(name string) any {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

func (o *orderedObject) set(name string, value any) {
	if i := o.index(name); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, objectMember{name, value})
}

// MarshalJSON implements json.Marshaler.
func (o orderedObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}

		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}

		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}

	b.WriteByte('}')
	return b.Bytes(), nil
}
