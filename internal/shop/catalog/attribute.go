package catalog

import (
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
)

// Kind tells the two attributes apart: an option splits variants, a feature describes a product.
// Both are a name and a list of values, and share every rule about that list.
type Kind string

// The kinds of attributes.
const (
	Option  Kind = "option"
	Feature Kind = "feature"
)

// Noun is what people call an attribute of this kind.
func (k Kind) Noun() string {
	if k == Option {
		return "variant option"
	}
	return "feature"
}

// FieldType says how a feature is filtered: by picking values or by a range of numbers. Options are always Select.
type FieldType string

// The field types.
const (
	Select FieldType = "select"
	Range  FieldType = "range"
)

// RangeType says which numbers a range feature takes; it is empty on a select feature.
type RangeType string

// The range types.
const (
	Float   RangeType = "float"
	Integer RangeType = "integer"
)

// AttributeID names an option or a feature, ValueID one of its values.
type (
	AttributeID = id.Of[Attribute]
	ValueID     = id.Of[Value]
)

// Attribute is an option or a feature without its values.
type Attribute struct {
	Key        int64 // the row's own number, for joins; never on the wire
	ID         AttributeID
	ExternalID *string // accounting's id of it, unique among the store's attributes of its kind
	Kind       Kind
	Name       string
	Filterable bool
	FieldType  FieldType
	RangeType  RangeType
	ValueCount int64
	// Version grows with every change of the attribute or its values.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Value is one value of an attribute. Values stand in the order in which they were added.
type Value struct {
	ID         ValueID
	ExternalID *string // accounting's id of it, unique among the values of the attribute
	Name       string
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// ValueEdit is one element of an edit's values: with an ID it renames that value, without one it adds a value.
type ValueEdit struct {
	ID         ValueID
	Name       string
	ExternalID *string // "" takes it away, nil leaves it
}

// AttributeEdit is what a request changes. Members that are nil stay. The lists may be of any length: they are read one element
// at a time, more than once, and must give the same elements each time; an error of fn ends the reading and is returned.
type AttributeEdit struct {
	Name       *string
	ExternalID *string // "" takes it away
	Filterable *bool
	FieldType  *FieldType
	RangeType  *RangeType
	Values     func(fn func(i int, v ValueEdit) error) error
	Removed    func(fn func(i int, v ValueID) error) error
	// ValuesLen and RemovedLen are the lengths of the two lists.
	ValuesLen, RemovedLen int
	// ExternalValues says that elements of Values bring external ids.
	ExternalValues bool
}

// bringsExternalIDs reports whether the edit brings external ids, which references may wait for.
func (e AttributeEdit) bringsExternalIDs() bool { return e.ExternalID != nil || e.ExternalValues }

// Len is how many elements the two lists have together.
func (e AttributeEdit) Len() int { return e.ValuesLen + e.RemovedLen }

// apply applies the edit's members to the attribute and checks the rules between them.
func (a *Attribute) apply(e AttributeEdit) error {
	if e.Name != nil {
		a.Name = *e.Name
	}
	if e.ExternalID != nil {
		a.ExternalID = externalIDOrNil(*e.ExternalID)
	}
	if a.Kind == Option {
		return nil
	}
	if e.Filterable != nil {
		a.Filterable = *e.Filterable
	}
	if e.FieldType != nil {
		a.FieldType = *e.FieldType
	}
	if a.FieldType == Select {
		if e.RangeType != nil {
			return fault.OneField("range_type", "not_allowed", "range_type goes with field_type range only; this feature is of type select.")
		}
		a.RangeType = ""
		return nil
	}
	if e.RangeType != nil {
		a.RangeType = *e.RangeType
	}
	if a.RangeType == "" {
		a.RangeType = Float
	}
	return nil
}

// number returns what is stored as the number of a value named so: nil on a select attribute. ok is false where the name does not fit the type.
func (a *Attribute) number(name string) (n any, ok bool) {
	if a.FieldType != Range {
		return nil, true
	}
	d, ok := ParseDecimal(name)
	if !ok || (a.RangeType == Integer && !d.Whole()) {
		return nil, false
	}
	return d.Float(), true
}

// expectedName says in words what a name must be on this attribute.
func (a *Attribute) expectedName() string {
	if a.RangeType == Integer {
		return "a whole number such as 15"
	}
	return "a plain decimal number such as 1.5"
}
