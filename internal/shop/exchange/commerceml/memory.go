package commerceml

import (
	"maps"
	"slices"
)

const (
	// maxProperties limits the properties of a file, and those that are remembered.
	maxProperties = 20_000
	// maxPropertyBytes and maxPriceTypeBytes limit the properties and the price types that are remembered, in bytes of
	// JSON. Their sum is less than MaxMemory, the size of the largest Memory.
	maxPropertyBytes  = 768 << 10
	maxPriceTypeBytes = 192 << 10
	MaxMemory         = 1 << 20
)

// Memory is what files of a store tell later ones: the classifier comes once, and later packets only refer to it. It is
// stored as JSON.
type Memory struct {
	// Properties has the types of the properties, by id.
	Properties map[string]PropertyType `json:"properties,omitempty"`
	PriceTypes []PriceType             `json:"price_types,omitempty"`
	// Quantities says that a file has had quantities.
	Quantities bool `json:"quantities,omitempty"`

	propertyBytes int // of Properties in JSON
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

// bound drops what an earlier version has remembered beyond the limits of this one.
func (m *Memory) bound() {
	properties, types := m.Properties, m.PriceTypes
	m.Properties = nil
	m.PriceTypes = nil
	m.propertyBytes = 0
	for _, id := range slices.Sorted(maps.Keys(properties)) {
		if fits(id) {
			m.setProperty(id, properties[id])
		}
	}
	m.addPriceTypes(slices.DeleteFunc(types, func(t PriceType) bool { return !fits(t.ID) }))
}

// setProperty remembers the type of a property. It returns false if there are too many to remember it.
func (m *Memory) setProperty(id string, of PropertyType) bool {
	before, known := m.Properties[id]
	size := m.propertyBytes + propertyBytes(id, of)
	if known {
		size -= propertyBytes(id, before)
	}
	if size > maxPropertyBytes || !known && len(m.Properties) >= maxProperties {
		return false
	}

	if m.Properties == nil {
		m.Properties = map[string]PropertyType{}
	}
	m.Properties[id] = of
	m.propertyBytes = size
	return true
}

// propertyBytes returns how many bytes a property takes in JSON.
func propertyBytes(id string, of PropertyType) int {
	const punctuation = len(`:"",`)
	return len(quote(nil, id)) + len(of) + punctuation
}

// addPriceTypes adds the price types of a file. Those that are known keep their places: a file with the prices of one
// type lists only that one, and the choice of the base type must not depend on it. It returns false if there are too
// many to remember all.
func (m *Memory) addPriceTypes(list []PriceType) bool {
	all := true
	size := 0
	for _, t := range m.PriceTypes {
		size += t.bytes()
	}

	for _, t := range list {
		t = t.shortened()
		i := slices.IndexFunc(m.PriceTypes, func(known PriceType) bool { return known.ID == t.ID })
		more := t.bytes()
		if i >= 0 {
			more -= m.PriceTypes[i].bytes()
		}

		switch {
		case size+more > maxPriceTypeBytes || i < 0 && len(m.PriceTypes) >= maxListed:
			all = false
			continue
		case i >= 0:
			m.PriceTypes[i] = t
		default:
			m.PriceTypes = append(m.PriceTypes, t)
		}

		size += more
	}

	return all
}

// shortened returns a price type whose name and currency are not too long.
func (t PriceType) shortened() PriceType {
	return PriceType{ID: t.ID, Name: shorten(t.Name), Currency: shorten(t.Currency)}
}

// bytes returns how many bytes the price type takes in JSON.
func (t PriceType) bytes() int {
	const punctuation = len(`{"id":,"name":,"currency":},`)
	return len(quote(nil, t.ID)) + len(quote(nil, t.Name)) + len(quote(nil, t.Currency)) + punctuation
}
