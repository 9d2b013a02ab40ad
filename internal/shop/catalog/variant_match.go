package catalog

import (
	"vitrine/internal/shop/rule"
)

// variantMatcher finds the variants that the elements of a request refer to. Each variant may be named once.
type variantMatcher struct {
	at          func(i int) rule.FieldPath
	byID        map[VariantID]*StoredVariant
	byExternal  map[string]*StoredVariant
	positions   map[int64]int // by variant key
	externalIDs map[string]int
}

func newVariantMatcher(stored []StoredVariant, at func(i int) rule.FieldPath) *variantMatcher {
	m := &variantMatcher{
		at:   at,
		byID: make(map[VariantID]*StoredVariant, len(stored)), byExternal: map[string]*StoredVariant{},
		positions: map[int64]int{}, externalIDs: map[string]int{},
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

// match returns the variant that the i-th element refers to, or nil for a new one. ok is false if it adds a violation.
func (m *variantMatcher) match(i int, e VariantEdit, wrong *rule.Violations) (was *StoredVariant, ok bool) {
	external := ""
	if e.ExternalID != nil {
		external = *e.ExternalID
	}

	if external != "" {
		if first, twice := m.externalIDs[external]; twice {
			wrong.Add(m.at(i).Member("external_id"), "duplicate_external_id",
				"%s has the same external_id; each variant of a product needs its own.", m.at(first))
			return nil, false
		}
		m.externalIDs[external] = i
	}

	named := "id"
	switch {
	case !e.ID.IsZero():
		if was = m.byID[e.ID]; was == nil {
			wrong.Add(m.at(i).Member(named), "unknown_variant",
				"This is not the id of a variant of this product. Leave the id out to add a new variant.")
			return nil, false
		}
	case external != "":
		named = "external_id"
		was = m.byExternal[external]
	}

	if was == nil {
		return nil, true
	}

	if first, twice := m.positions[was.Key]; twice {
		wrong.Add(m.at(i).Member(named), "duplicate_variant", "%s is the same variant; each may be named once.",
			m.at(first))
		return nil, false
	}

	m.positions[was.Key] = i
	return was, true
}
