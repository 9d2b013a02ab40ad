package catalog

import "fmt"

// matcher finds the variant that an element of a request speaks of. Each may be named once.
type matcher struct {
	byID       map[VariantID]*storedVariant
	byExternal map[string]*storedVariant
	places     map[int64]int // by the key of the variant
	external   map[string]int
}

func newMatcher(stored []storedVariant) *matcher {
	m := &matcher{
		byID: make(map[VariantID]*storedVariant, len(stored)), byExternal: map[string]*storedVariant{},
		places: map[int64]int{}, external: map[string]int{},
	}
	for i := range stored {
		v := &stored[i]
		m.byID[v.ID] = v
		if v.ExternalID != nil {
			m.byExternal[*v.ExternalID] = v
		}
	}
	return m
}

// one returns the variant that the i-th element speaks of, nil for a new one; ok is false where that is not to be told.
func (m *matcher) one(i int, e VariantEdit, wrong *breaches) (was *storedVariant, ok bool) {
	external := ""
	if e.ExternalID != nil {
		external = *e.ExternalID
	}
	if external != "" {
		if at, twice := m.external[external]; twice {
			wrong.add(fmt.Sprintf("variants[%d].external_id", i), "duplicate_external_id", "variants[%d] has the same external_id; each variant of a product needs its own.", at)
			return nil, false
		}
		m.external[external] = i
	}
	place := fmt.Sprintf("variants[%d].id", i)
	switch {
	case !e.ID.IsZero():
		if was = m.byID[e.ID]; was == nil {
			wrong.add(place, "unknown_variant", "This is not the id of a variant of this product. Leave the id out to add a new variant.")
			return nil, false
		}
	case external != "":
		place = fmt.Sprintf("variants[%d].external_id", i)
		was = m.byExternal[external]
	}
	if was == nil {
		return nil, true
	}
	if at, twice := m.places[was.Key]; twice {
		wrong.add(place, "duplicate_variant", "variants[%d] is the same variant; each may be named once.", at)
		return nil, false
	}
	m.places[was.Key] = i
	return was, true
}

func (m *matcher) named(v *storedVariant) bool {
	_, ok := m.places[v.Key]
	return ok
}
