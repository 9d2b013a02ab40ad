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
	// TypeLists counts the lists of price types that came.
	TypeLists int64 `json:"type_lists,omitzero"`
	// Quantities says that a file has had quantities.
	Quantities bool `json:"quantities,omitempty"`

	propertyBytes int // of Properties in JSON
	recorder      *Recorder
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
	// Seen is Memory.TypeLists after the last list that had the type.
	Seen int64 `json:"seen,omitzero"`
}

// bound drops what an earlier version has remembered beyond the limits of this one.
func (m *Memory) bound() {
	properties, types := m.Properties, m.PriceTypes
	m.Properties = nil
	m.PriceTypes = nil
	m.propertyBytes = 0
	for _, id := range slices.Sorted(maps.Keys(properties)) {
		if fits(id) {
			m.storeProperty(id, properties[id])
		}
	}
	m.storePriceTypes(slices.DeleteFunc(types, func(t PriceType) bool { return !fits(t.ID) }))
}

// property returns the type of a property, or "" if it is not known.
func (m *Memory) property(id string) PropertyType {
	of := m.Properties[id]
	m.recorder.property(id, of)
	return of
}

// hadNumbers reports whether the values of a property were numbers.
func (m *Memory) hadNumbers(id string) bool {
	had := m.Properties[id] == NumberProperty
	m.recorder.readNumbers(id, had)
	return had
}

// types returns the price types.
func (m *Memory) types() []PriceType {
	m.recorder.readTypes(m.PriceTypes)
	return m.PriceTypes
}

// hasQuantities reports whether a file has had quantities.
func (m *Memory) hasQuantities() bool {
	m.recorder.readQuantities(m.Quantities)
	return m.Quantities
}

// setQuantities remembers whether a file has quantities.
func (m *Memory) setQuantities(has bool) {
	m.recorder.setQuantities(has)
	m.Quantities = m.Quantities || has
}

// setProperty remembers the type of a property. It returns false if there are too many to remember it.
func (m *Memory) setProperty(id string, of PropertyType) bool {
	stored := m.storeProperty(id, of)
	m.recorder.setProperty(id, of, !stored)
	return stored
}

func (m *Memory) storeProperty(id string, of PropertyType) bool {
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

// addPriceTypes adds a list of price types. Those that are known keep their places: a file with the prices of one type
// lists only that one, and the choice of the base type must not depend on it. If there are too many, those that have
// not come for the longest time are forgotten. It returns false if the list itself is too long.
func (m *Memory) addPriceTypes(list []PriceType) bool {
	m.TypeLists++
	for i := range list {
		list[i].Seen = m.TypeLists
	}
	stored := m.storePriceTypes(list)
	m.recorder.addTypes(list, !stored)
	return stored
}

// storePriceTypes adds price types as addPriceTypes does, with the times at which they came. A type that comes without
// a currency keeps the one that it came with before.
func (m *Memory) storePriceTypes(list []PriceType) bool {
	all := true
	size := 0
	for _, t := range m.PriceTypes {
		size += t.bytes()
	}

	for _, t := range list {
		t = t.shortened()
		i := m.priceTypeAt(t.ID)
		more := t.bytes()
		if i >= 0 {
			t.Currency = firstOf(t.Currency, m.PriceTypes[i].Currency)
			more = t.bytes() - m.PriceTypes[i].bytes()
		}

		for size+more > maxPriceTypeBytes || i < 0 && len(m.PriceTypes) >= maxListed {
			forgotten, found := m.forgetPriceType(t)
			if !found {
				break
			}
			size -= forgotten.bytes()
			i = m.priceTypeAt(t.ID)
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

// priceTypeAt returns the position of a price type, or -1 if it is not known.
func (m *Memory) priceTypeAt(id string) int {
	return slices.IndexFunc(m.PriceTypes, func(t PriceType) bool { return t.ID == id })
}

// forgetPriceType removes the price type that has not come for the longest time, if it came before the given one.
func (m *Memory) forgetPriceType(before PriceType) (forgotten PriceType, found bool) {
	oldest := -1
	for i, t := range m.PriceTypes {
		if t.ID != before.ID && t.Seen < before.Seen && (oldest < 0 || t.Seen < m.PriceTypes[oldest].Seen) {
			oldest = i
		}
	}
	if oldest < 0 {
		return forgotten, false
	}

	forgotten = m.PriceTypes[oldest]
	m.PriceTypes = slices.Delete(m.PriceTypes, oldest, oldest+1)
	return forgotten, true
}

// shortened returns a price type whose name and currency are not too long.
func (t PriceType) shortened() PriceType {
	return PriceType{ID: t.ID, Name: shorten(t.Name), Currency: shorten(t.Currency), Seen: t.Seen}
}

// bytes returns how many bytes the price type takes in JSON.
func (t PriceType) bytes() int {
	const punctuation = len(`{"id":,"name":,"currency":,"seen":9223372036854775807},`)
	return len(quote(nil, t.ID)) + len(quote(nil, t.Name)) + len(quote(nil, t.Currency)) + punctuation
}
