package catalog

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

// references are the attributes and values that a request names, as far as this store has them.
type references struct {
	attributes map[AttributeID]knownAttribute
	values     map[ValueID]knownValue
}

type knownAttribute struct {
	key  int64
	kind Kind
}

type knownValue struct{ key, attributeKey int64 }

// link is a value that something carries, by keys.
type link struct{ attribute, value int64 }

// lockReferences finds all that an edit refers to, with one query a table, and keeps it from being removed until the transaction
// ends: who edits an attribute holds its row, so the values are read only once the row is ours.
func lockReferences(ctx context.Context, q database.Querier, storeID store.ID, e ProductEdit) (*references, error) {
	r := &references{attributes: map[AttributeID]knownAttribute{}, values: map[ValueID]knownValue{}}
	for _, ref := range e.features() {
		r.note(ref)
	}
	for _, v := range e.variants() {
		for _, ref := range v.options() {
			r.note(ref)
		}
	}
	if err := lockAttributes(ctx, q, storeID, r.attributes); err != nil {
		return nil, err
	}
	return r, findValues(ctx, q, storeID, r.values)
}

// note makes room for what is looked up; a key of 0 stays with what is not found.
func (r *references) note(ref ValueRef) {
	r.attributes[ref.Attribute] = knownAttribute{}
	r.values[ref.Value] = knownValue{}
}

// sorted lists the ids of a map in their order, which is that of their making, and so nearly that of the keys.
func sorted[ID interface{ Bytes() [16]byte }](ids func(yield func(ID) bool)) []ID {
	return slices.SortedFunc(ids, func(a, b ID) int {
		x, y := a.Bytes(), b.Bytes()
		return bytes.Compare(x[:], y[:])
	})
}

// link turns a reference into keys, or notes at its place what is wrong with it.
func (r *references) link(ref ValueRef, kind Kind, place string, wrong *breaches) link {
	a, v := r.attributes[ref.Attribute], r.values[ref.Value]
	switch {
	case a.key == 0:
		wrong.add(fmt.Sprintf("%s.%s_id", place, kind), "unknown_"+string(kind), "There is no %s with this id in this store.", kind.Noun())
	case a.kind != kind:
		wrong.add(fmt.Sprintf("%s.%s_id", place, kind), "unknown_"+string(kind), "This is the id of a %s; a %s is expected.", a.kind.Noun(), kind.Noun())
	case v.key == 0 || v.attributeKey != a.key:
		wrong.add(place+".value_id", "unknown_value", "This is not the id of a value of that %s.", kind.Noun())
	}
	return link{a.key, v.key}
}

// features turns the list of a product's features into keys. A product may have several values of one feature, each once.
func (r *references) features(list []ValueRef, wrong *breaches) []link {
	links := make([]link, 0, len(list))
	first := make(map[ValueRef]int, len(list))
	for i, ref := range list {
		place := fmt.Sprintf("features[%d]", i)
		if at, twice := first[ref]; twice {
			wrong.add(place, "duplicate_value", "features[%d] is the same value of the same feature; each may be named once.", at)
			continue
		}
		first[ref] = i
		links = append(links, r.link(ref, Feature, place, wrong))
	}
	return links
}

// options turns the list of the i-th variant's options into keys. A variant has one value of an option.
func (r *references) options(i int, list []ValueRef, wrong *breaches) []link {
	links := make([]link, 0, len(list))
	first := make(map[AttributeID]int, len(list))
	for j, ref := range list {
		place := fmt.Sprintf("variants[%d].options[%d]", i, j)
		if at, twice := first[ref.Attribute]; twice {
			wrong.add(place+".option_id", "duplicate_option", "variants[%d].options[%d] is the same option; a variant has one value of each.", i, at)
			continue
		}
		first[ref.Attribute] = j
		links = append(links, r.link(ref, Option, place, wrong))
	}
	return links
}

// combination digests links as combine does.
func combination(links []link) string {
	keys := make([]int64, len(links))
	for i, l := range links {
		keys[i] = l.value
	}
	slices.Sort(keys)
	return string(combine(keys))
}
