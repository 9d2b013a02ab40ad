package catalog

import (
	"context"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ListedValue is a value with its place among the values of its attribute, counted from 1.
type ListedValue struct {
	Value
	Place int64
}

// FindValues returns one page of an attribute's values, in their order, and their total number. If search is not empty,
// only the values whose names match it are listed and counted: each word must begin some word of the name. A search
// reads all values of the attribute, one by one.
func (s *Attributes) FindValues(
	ctx context.Context, tx store.Tx, a Attribute, search string, limit, offset int64,
) (list []ListedValue, total int64, err error) {
	if strings.TrimSpace(search) == "" {
		err := s.Values(ctx, tx, a, limit, offset, func(v Value) error {
			list = append(list, ListedValue{v, offset + int64(len(list)) + 1})
			return nil
		})
		return list, a.ValueCount, err
	}

	words, nothing := locale.QueryWords(search)
	if nothing {
		return nil, 0, nil
	}

	place := int64(0)

	err = s.EachValue(ctx, tx, a, func(v Value) error {
		place++
		if !matchesWords(v.Name, words) {
			return nil
		}

		if total >= offset && total < offset+limit {
			list = append(list, ListedValue{v, place})
		}

		total++
		return nil
	})

	return list, total, err
}

// matchesWords reports whether each of the words, which locale.QueryWords returned, begins some word of the name.
func matchesWords(name string, words []string) bool {
	text := locale.SearchText(name)
	for _, w := range words {
		if !strings.Contains(text, " "+w) {
			return false
		}
	}
	return true
}

// AddedValues is the result of AddValues.
type AddedValues struct {
	Attribute Attribute
	Added     int
	// Existing are the names that the attribute has already, at most maxImpact of them, and ExistingTotal is the number
	// of all.
	Existing      []string
	ExistingTotal int
}

// AddValues adds values with these names, without those that the attribute has already and without repetitions. Names
// that differ only in case and spaces are the same. It returns the faults of Edit, where values[n] is the n-th name.
func (s *Attributes) AddValues(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, names []string, pre fault.Precondition,
) (result AddedValues, err error) {
	defer fault.AddContext(&err, "add values to %s %s", kind.Noun(), attributeID)

	a, err := selectAttribute(ctx, tx, kind, attributeID, tx.Dialect().ForUpdate)
	if err != nil {
		return result, err
	}
	if err := pre.Check(a.Version); err != nil {
		return result, err
	}

	var wrong rule.Violations
	wanted := make(map[string]bool, len(names))
	for i, name := range names {
		if _, _, broken := a.ValueName(name); broken != nil {
			wrong.Check(rule.FieldPath("").Element("values", i), "name", broken)
		}
		wanted[foldName(name)] = true
	}
	if err := wrong.Fault(); err != nil {
		return result, err
	}

	err = s.EachValue(ctx, tx, a, func(v Value) error {
		if folded := foldName(v.Name); wanted[folded] {
			wanted[folded] = false
		}
		return nil
	})
	if err != nil {
		return result, err
	}

	var added []string
	repeated := make(map[string]bool, len(names))
	for _, name := range names {
		folded := foldName(name)
		switch {
		case repeated[folded]:
			continue
		case wanted[folded]:
			added = append(added, name)
		default:
			if result.ExistingTotal++; result.ExistingTotal <= maxImpact {
				result.Existing = append(result.Existing, name)
			}
		}

		repeated[folded] = true
	}

	result.Attribute = a
	result.Added = len(added)

	if len(added) == 0 {
		return result, nil
	}

	edit := AttributeEdit{Values: NewValues(added...)}
	if result.Attribute, _, err = s.edit(ctx, tx, kind, attributeID, edit, nil, nil); err != nil {
		return result, err
	}

	return result, audit.Record(ctx, tx,
		result.Attribute.entry(audit.ValuesAdded, audit.Change{Field: "values", To: firstNames(added)}))
}

// RemoveValues removes values. It returns the faults of Edit.
func (s *Attributes) RemoveValues(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, ids []ValueID, pre fault.Precondition,
) (_ Attribute, err error) {
	defer fault.AddContext(&err, "remove values of %s %s", kind.Noun(), attributeID)
	a, err := s.Find(ctx, tx, kind, attributeID)
	if err != nil {
		return Attribute{}, err
	}
	names, err := s.valueNames(ctx, tx, a, ids)
	if err != nil {
		return Attribute{}, err
	}
	if a, _, err = s.edit(ctx, tx, kind, attributeID, AttributeEdit{Removed: ListOf(ids...)}, pre, nil); err != nil {
		return Attribute{}, err
	}
	return a, audit.Record(ctx, tx, a.entry(audit.ValuesRemoved,
		audit.Change{Field: "values", From: firstNames(names)}))
}

// valueNames returns the names of values of an attribute.
func (s *Attributes) valueNames(ctx context.Context, tx store.Tx, a Attribute, ids []ValueID) ([]string, error) {
	values, err := s.ValuesByID(ctx, tx, a, ids)
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.Name
	}
	return names, err
}

// foldName returns a name without the differences that people do not see: case and repeated spaces.
func foldName(name string) string { return strings.Join(strings.Fields(locale.Fold(name)), " ") }

// RenameValue renames a value, which the caller knows under the name was. It returns the value before the change. If
// the value has another name by now, it returns fault.Stale with that value. It may also return the faults of Edit.
func (s *Attributes) RenameValue(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, valueID ValueID, was, name string,
) (present Value, err error) {
	defer fault.AddContext(&err, "rename value %s of %s %s", valueID, kind.Noun(), attributeID)

	a, err := selectAttribute(ctx, tx, kind, attributeID, tx.Dialect().ForUpdate)
	if err != nil {
		return Value{}, err
	}

	if present, err = selectValue(ctx, tx, a.Key, valueID); err != nil {
		return Value{}, err
	}
	name, _, broken := a.ValueName(name)
	if broken != nil {
		return present, fault.Fields([]fault.Field{broken.At("name")})
	}

	switch present.Name {
	case name:
		return present, nil
	case was:
	default:
		return present, fault.VersionChanged()
	}

	edit := AttributeEdit{Values: ListOf(ValueEdit{ID: valueID, Name: name})}
	if a, _, err = s.edit(ctx, tx, kind, attributeID, edit, nil, nil); err != nil {
		return present, err
	}

	return present, audit.Record(ctx, tx,
		a.entry(audit.ValuesRenamed, audit.Change{Field: "value", From: was, To: name}))
}
