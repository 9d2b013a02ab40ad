package catalog

import (
	"fmt"
	"slices"
	"strconv"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// fieldPath is where in a request something stands, such as variants[0]; the body itself is "".
type fieldPath string

// member is the place of a member of what stands here.
func (p fieldPath) member(name string) string {
	if p == "" {
		return name
	}
	return string(p) + "." + name
}

// element is the place of the i-th element of a list that is a member of what stands here.
func (p fieldPath) element(list string, i int) fieldPath {
	return fieldPath(p.member(list) + "[" + strconv.Itoa(i) + "]")
}

// index is the place of the i-th element of the list that stands here.
func (p fieldPath) index(i int) fieldPath { return fieldPath(string(p) + "[" + strconv.Itoa(i) + "]") }

// breaches gathers the places of a request that break rules, as many as are told.
type breaches struct{ fields []fault.Field }

func (b *breaches) add(field, code, message string, args ...any) {
	if len(b.fields) < wire.MaxFields {
		b.fields = append(b.fields, fault.Field{Field: field, Code: code, Message: fmt.Sprintf(message, args...)})
	}
}

// fault is fault.Invalid naming the places, or nil.
func (b *breaches) fault() error { return fault.Fields(b.fields) }

// externalIDTaken is the conflict about an external id that something else has.
func externalIDTaken(field, what string) error { return externalIDsTaken([]string{field}, what) }

// externalIDsTaken is externalIDTaken for several places, of which as many are told as of broken rules.
func externalIDsTaken(fields []string, what string) error {
	e := fault.New(fault.Conflict, "external_id_taken", "Another %s has this external_id already; external ids are unique. Nothing was applied.", what)
	for _, field := range fields[:min(len(fields), wire.MaxFields)] {
		e.Fields = append(e.Fields, fault.Field{Field: field, Code: e.Code, Message: e.Message})
	}
	return e
}

// nameRequired notes that something new has no name.
func (b *breaches) nameRequired(noun string) {
	b.add("name", "required", "A %s needs a name of 1 to 255 characters.", noun)
}

// duplicateCombination says that a variant may not carry what another one does.
func (b *breaches) duplicateCombination(field, other string) {
	b.add(field, "duplicate_combination", "%s carries the same options; each variant of a product needs a different combination.", other)
}

// firstPositions tells where in a list a thing stood first.
type firstPositions[T comparable] struct {
	few  []T
	many map[T]int
}

// maxLinearSearch is up to where looking through a list is quicker than a map of it.
const maxLinearSearch = 16

func newFirstPositions[T comparable](n int) *firstPositions[T] {
	if n > maxLinearSearch {
		return &firstPositions[T]{many: make(map[T]int, n)}
	}
	return &firstPositions[T]{few: make([]T, 0, n)}
}

// add notes the thing at i, which counts on, and reports where it stood before, if it did.
func (f *firstPositions[T]) add(item T, i int) (was int, twice bool) {
	if f.many == nil {
		was = slices.Index(f.few, item)
		f.few = append(f.few, item)
		return was, was >= 0
	}
	was, twice = f.many[item]
	if !twice {
		f.many[item] = i
	}
	return was, twice
}

// externalIDFault tells a client what the unique index over external ids means; any other error stays as it is.
func externalIDFault(err error, table, noun string) error {
	if err != nil && database.ViolatesIndex(err, table+"_external", table+".store_id, "+table+".external_id") {
		return externalIDTaken("external_id", noun+" of this store")
	}
	return err
}
