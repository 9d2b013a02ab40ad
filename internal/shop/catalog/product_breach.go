package catalog

import (
	"fmt"
	"strconv"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// place is where in a request something stands, such as variants[0]; the body itself is "".
type place string

// member is the place of a member of what stands here.
func (p place) member(name string) string {
	if p == "" {
		return name
	}
	return string(p) + "." + name
}

// element is the place of the i-th element of a list that is a member of what stands here.
func (p place) element(list string, i int) place {
	return place(p.member(list) + "[" + strconv.Itoa(i) + "]")
}

// at is the place of the i-th element of the list that stands here.
func (p place) at(i int) place { return place(string(p) + "[" + strconv.Itoa(i) + "]") }

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

// nameless notes that something new has no name.
func (b *breaches) nameless(noun string) {
	b.add("name", "required", "A %s needs a name of 1 to 255 characters.", noun)
}

// sameCombination says that a variant may not carry what another one does.
func (b *breaches) sameCombination(field, other string) {
	b.add(field, "duplicate_combination", "%s carries the same options; each variant of a product needs a different combination.", other)
}
