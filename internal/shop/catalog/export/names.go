package export

import (
	"slices"

	"vitrine/internal/shop/catalog"
)

// exportNames has the external ids of what products refer to: by row key, and for stocks by id. A link to something
// that is not in it is hidden; see Deletions.
type exportNames struct {
	// ownIDs gives things without an external id their own id as one, after OwnIDMark.
	ownIDs     bool
	attributes map[int64]exportName
	categories map[int64]exportName
	stocks     map[catalog.StockID]exportName
	lists      map[int64]exportName
	// values has those values that the last pages refer to. A hidden value is unknown.
	values map[int64]exportName
}

// exportName is the external id of something that may have none.
type exportName struct {
	text string
	// unknown says that there is no such thing.
	unknown bool
}

// id returns the external id, or sets leftOut if there is none.
func (n exportName) id(leftOut *bool) string {
	if n.text == "" {
		*leftOut = true
	}
	return n.text
}

// name returns the name of a thing with this external id, which may be nil, and this id.
func (n *exportNames) name(externalID *string, id func() string) exportName {
	switch {
	case externalID != nil:
		return exportName{text: *externalID}
	case n.ownIDs:
		return exportName{text: OwnIDMark + id()}
	}
	return exportName{}
}

// own returns the external id of a thing, or sets leftOut if it has none.
func (n *exportNames) own(externalID *string, id func() string, leftOut *bool) string {
	return n.name(externalID, id).id(leftOut)
}

// categoriesOf returns the external ids of a product's categories, sorted, with those that do not exist yet.
func (n *exportNames) categoriesOf(p *exportRow, leftOut *bool) []string {
	list := append(make([]string, 0, len(p.CategoryKeys)+len(p.pendingCategories)), p.pendingCategories...)
	for _, key := range p.CategoryKeys {
		if c, found := n.categories[key]; found {
			list = append(list, c.id(leftOut))
		}
	}
	slices.Sort(list)
	return list
}

// canonicalOf returns the external id of a product's canonical category, or "" for the default.
func (n *exportNames) canonicalOf(p *exportRow, leftOut *bool) string {
	if c, found := n.categories[p.CanonicalKey]; found {
		return c.id(leftOut)
	}
	return p.pendingCanonical
}

// valuesOf returns the external ids of values, sorted, with those that do not exist yet.
func (n *exportNames) valuesOf(keys []catalog.ValueKeys, pending []catalog.ReferencePush,
	leftOut *bool) []catalog.ReferencePush {
	list := append(make([]catalog.ReferencePush, 0, len(keys)+len(pending)), pending...)
	for _, k := range keys {
		a, found := n.attributes[k.Attribute]
		v := n.values[k.Value]
		if found && !v.unknown {
			list = append(list, catalog.ReferencePush{Attribute: a.id(leftOut), Value: v.id(leftOut)})
		}
	}
	slices.SortFunc(list, catalog.ReferencePush.Compare)
	return list
}
