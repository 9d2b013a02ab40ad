package catalog

import (
	"cmp"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// Kind is the kind of an attribute: an option splits variants, a feature describes a product. Both have a name and a
// list of values, and the same rules apply to that list.
type Kind string

// The kinds of attributes.
const (
	Option  Kind = "option"
	Feature Kind = "feature"
)

// Noun returns the kind's name as used in messages.
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

// RangeType is the type of the numbers of a range feature. It is empty for a select feature.
type RangeType string

// The range types.
const (
	Float   RangeType = "float"
	Integer RangeType = "integer"
)

// AttributeID identifies an option or a feature, ValueID one of its values.
type (
	AttributeID = id.Of[Attribute]
	ValueID     = id.Of[Value]
)

// Attribute is an option or a feature without its values.
type Attribute struct {
	Key        int64 // the row's primary key, for joins; never on the wire
	ID         AttributeID
	ExternalID *string // the accounting system's id, unique among the store's attributes of this kind
	Kind       Kind
	Name       string
	Filterable bool
	FieldType  FieldType
	RangeType  RangeType
	ValueCount int64
	// Ordered reports whether people have put values into an order of their own; see Attributes.PlaceValue.
	Ordered bool
	// Version increases with every change of the attribute or its values.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Value is one value of an attribute. Values are listed in the order that people gave them, and those without a place
// afterwards, in the order in which they were added.
type Value struct {
	ID         ValueID
	ExternalID *string // the accounting system's id, unique among the attribute's values
	Name       string
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// ValueEdit is one element of an edit's list of values. With an ID it renames that value, else it adds a value.
type ValueEdit struct {
	ID         ValueID
	Name       string
	ExternalID *string // "" removes it, nil leaves it unchanged
}

// AttributeEdit is an edit of an attribute. Nil members leave their fields unchanged.
type AttributeEdit struct {
	Name       *string
	ExternalID *string // "" removes it
	Filterable *bool
	FieldType  *FieldType
	RangeType  *RangeType
	Values     List[ValueEdit]
	Removed    List[ValueID]
	// ExternalValues reports whether any element of Values has an external id.
	ExternalValues bool
}

// setsExternalIDs reports whether the edit sets external ids, to which pending references may refer.
func (e AttributeEdit) setsExternalIDs() bool { return e.ExternalID != nil || e.ExternalValues }

// Len returns the number of elements of Values and Removed together.
func (e AttributeEdit) Len() int { return e.Values.Len + e.Removed.Len }

// Apply applies the edit's scalar members to the attribute, and adds broken rules to wrong. It does not apply the lists
// of values.
func (a *Attribute) Apply(e AttributeEdit, wrong *rule.Violations) {
	if a.Name == "" && e.Name == nil {
		wrong.NameRequired("", a.Kind.Noun())
	}

	wrong.Assign(&a.Name, e.Name, rule.Name, "", "name")
	wrong.AssignExternalID(&a.ExternalID, e.ExternalID, "")
	if a.Kind == Option {
		return
	}

	write.Assign(&a.Filterable, e.Filterable)
	write.Assign(&a.FieldType, e.FieldType)

	if a.FieldType == Select {
		a.RangeType = ""
		if e.RangeType != nil {
			wrong.Add("range_type", "not_allowed",
				"range_type goes with field_type range only; this feature is of type select.")
		}
		return
	}

	write.Assign(&a.RangeType, e.RangeType)
	a.RangeType = cmp.Or(a.RangeType, Float)
}

// ValueName is the rule of the name of one of the attribute's values. The number is that of Number.
func (a *Attribute) ValueName(sent string) (name string, number any, broken *fault.Field) {
	if name, broken = rule.Name(sent); broken != nil {
		return name, nil, broken
	}
	number, fits := a.Number(name)
	if !fits {
		broken = fault.Broken("not_a_number", "A value of this range feature must be %s.", a.expectedName())
	}
	return name, number, broken
}

// Number returns the number to store for a value with this name, or nil for a select attribute. ok is false if the name
// does not fit the attribute's type.
func (a *Attribute) Number(name string) (n any, ok bool) {
	if a.FieldType != Range {
		return nil, true
	}
	d, ok := money.ParseDecimal(name)
	if !ok || (a.RangeType == Integer && !d.Whole()) {
		return nil, false
	}
	return d.Float(), true
}

// expectedName describes the names that the attribute's type allows.
func (a *Attribute) expectedName() string {
	if a.RangeType == Integer {
		return "a whole number such as 15"
	}
	return "a plain decimal number such as 1.5"
}

// ValueKeys has the row keys of an attribute and of one of its values.
type ValueKeys struct{ Attribute, Value int64 }

// Compare orders by the age of the attribute, then by the age of the value.
func (v ValueKeys) Compare(other ValueKeys) int {
	return cmp.Or(cmp.Compare(v.Attribute, other.Attribute), cmp.Compare(v.Value, other.Value))
}

// ReadFieldType reads a field type: a string, or an object whose id is that string, as in responses.
func ReadFieldType(r *wire.Reader) (FieldType, bool) { return readChoice(r, Select, Range) }

// ReadRangeType reads a range type: a string, or an object whose id is that string, as in responses.
func ReadRangeType(r *wire.Reader) (RangeType, bool) { return readChoice(r, Float, Integer) }

// readChoice reads one of two enum values, as a string or as the id of an object.
func readChoice[T ~string](r *wire.Reader, a, b T) (choice T, ok bool) {
	word := func() {
		s, isString := r.String()
		if !isString {
			return
		}
		if choice, ok = T(s), T(s) == a || T(s) == b; !ok {
			r.Failf("unknown_choice", "This must be %s or %s.", a, b)
		}
	}
	if !r.IsObject() {
		word()
		return choice, ok
	}

	named := false
	r.Object(func(name string) {
		if name == "id" {
			named = true
			word()
		}
	})
	if !named {
		r.FailAt("id", "required", "This must be %s or %s.", a, b)
	}

	return choice, ok
}
