package commerceml

import "slices"

// maxProperties limits the properties that are remembered.
const maxProperties = 20_000

// Memory is what files of a store tell later ones: the classifier comes once, and later packets only refer to it. It is
// stored as JSON.
type Memory struct {
	// Properties has the types of the properties, by id.
	Properties map[string]PropertyType `json:"properties,omitempty"`
	PriceTypes []PriceType             `json:"price_types,omitempty"`
	// Quantities says that a file has had quantities.
	Quantities bool `json:"quantities,omitempty"`
}

// PropertyType is the type of a property's values.
type PropertyType string

// The types. The values of a dictionary have ids.
const (
	TextProperty       PropertyType = "text"
	NumberProperty     PropertyType = "number"
	DictionaryProperty PropertyType = "dictionary"
)

// PriceType is one of the prices that offers have.
type PriceType struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Currency string `json:"currency,omitempty"`
}

func (m *Memory) setProperty(id string, of PropertyType) {
	if m.Properties == nil {
		m.Properties = map[string]PropertyType{}
	}
	if _, known := m.Properties[id]; known || len(m.Properties) < maxProperties {
		m.Properties[id] = of
	}
}

// addPriceTypes adds the price types of a file. Those that are known keep their places: a file with the prices of one
// type lists only that one, and the choice of the base type must not depend on it.
func (m *Memory) addPriceTypes(list []PriceType) {
	for _, t := range list {
		if i := slices.IndexFunc(m.PriceTypes, func(known PriceType) bool { return known.ID == t.ID }); i >= 0 {
			m.PriceTypes[i] = t
		} else if len(m.PriceTypes) < maxListed {
			m.PriceTypes = append(m.PriceTypes, t)
		}
	}
}
