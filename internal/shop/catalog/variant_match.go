package catalog

// matcher finds the variant that an element of a request speaks of. Each may be named once.
type matcher struct {
	at         func(i int) place
	byID       map[VariantID]*storedVariant
	byExternal map[string]*storedVariant
	places     map[int64]int // by the key of the variant
	external   map[string]int
}

func newMatcher(stored []storedVariant, at func(i int) place) *matcher {
	m := &matcher{
		at:   at,
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
		if first, twice := m.external[external]; twice {
			wrong.add(m.at(i).member("external_id"), "duplicate_external_id", "%s has the same external_id; each variant of a product needs its own.", m.at(first))
			return nil, false
		}
		m.external[external] = i
	}
	named := "id"
	switch {
	case !e.ID.IsZero():
		if was = m.byID[e.ID]; was == nil {
			wrong.add(m.at(i).member(named), "unknown_variant", "This is not the id of a variant of this product. Leave the id out to add a new variant.")
			return nil, false
		}
	case external != "":
		named = "external_id"
		was = m.byExternal[external]
	}
	if was == nil {
		return nil, true
	}
	if first, twice := m.places[was.Key]; twice {
		wrong.add(m.at(i).member(named), "duplicate_variant", "%s is the same variant; each may be named once.", m.at(first))
		return nil, false
	}
	m.places[was.Key] = i
	return was, true
}

func (m *matcher) named(v *storedVariant) bool {
	_, ok := m.places[v.Key]
	return ok
}
