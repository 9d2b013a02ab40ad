package rule

import (
	"fmt"
	"strconv"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// FieldPath is the path of a field in a request, such as variants[0]. The path of the body is "".
type FieldPath string

// Member returns the path of a member of the object at p.
func (p FieldPath) Member(name string) string {
	if p == "" {
		return name
	}
	return string(p) + "." + name
}

// Element returns the path of the i-th element of a list that is a member of the object at p.
func (p FieldPath) Element(list string, i int) FieldPath {
	return FieldPath(p.Member(list) + "[" + strconv.Itoa(i) + "]")
}

// Index returns the path of the i-th element of the list at p.
func (p FieldPath) Index(i int) FieldPath { return FieldPath(string(p) + "[" + strconv.Itoa(i) + "]") }

// Violations collects the fields of a request that break rules, up to wire.MaxFields.
type Violations struct{ Fields []fault.Field }

func (b *Violations) Add(field, code, message string, args ...any) {
	if len(b.Fields) < wire.MaxFields {
		b.Fields = append(b.Fields, fault.Field{Field: field, Code: code, Message: fmt.Sprintf(message, args...)})
	}
}

// Fault returns fault.Invalid naming the fields, or nil if there are none.
func (b *Violations) Fault() error { return fault.Fields(b.Fields) }

// ExternalIDTaken returns fault.Conflict for an external id that another object has.
func ExternalIDTaken(field, what string) error { return ExternalIDsTaken([]string{field}, what) }

// ExternalIDsTaken is like ExternalIDTaken, for several fields. It lists at most wire.MaxFields of them.
func ExternalIDsTaken(fields []string, what string) error {
	e := fault.New(fault.Conflict, "external_id_taken",
		"Another %s has this external_id already; external ids are unique. Nothing was applied.", what)
	for _, field := range fields[:min(len(fields), wire.MaxFields)] {
		e.Fields = append(e.Fields, fault.Field{Field: field, Code: e.Code, Message: e.Message})
	}
	return e
}

// Check adds the broken rule of a member of the object at a path, unless broken is nil.
func (b *Violations) Check(at FieldPath, member string, broken *fault.Field) {
	if broken != nil && len(b.Fields) < wire.MaxFields {
		b.Fields = append(b.Fields, broken.At(at.Member(member)))
	}
}

// NameRequired adds the violation that a new object has no name.
func (b *Violations) NameRequired(at FieldPath, noun string) {
	b.Check(at, "name", NameRequired("A "+noun))
}

// Assign sets field to what is sent as the member of the object at a path, unless sent is nil or breaks the rule, which
// is added.
func (b *Violations) Assign(field, sent *string, text Text, at FieldPath, member string) {
	AssignChecked(b, field, sent, text, at, member)
}

// AssignChecked is Violations.Assign for values of any type.
func AssignChecked[T any](
	wrong *Violations, field, sent *T, check func(T) (T, *fault.Field), at FieldPath, member string,
) {
	if sent == nil {
		return
	}
	value, broken := check(*sent)
	if broken != nil {
		wrong.Check(at, member, broken)
		return
	}
	*field = value
}

// AssignExternalID is Assign for the member external_id. "" removes the external id.
func (b *Violations) AssignExternalID(field **string, sent *string, at FieldPath) {
	if sent == nil {
		return
	}
	if *sent == "" {
		*field = nil
		return
	}
	text := ""
	if b.Assign(&text, sent, ExternalID, at, "external_id"); text != "" {
		*field = &text
	}
}

// DuplicateCombination adds the violation that a variant has the same options as another one.
func (b *Violations) DuplicateCombination(field, other string) {
	b.Add(field, "duplicate_combination",
		"%s carries the same options; each variant of a product needs a different combination.", other)
}
