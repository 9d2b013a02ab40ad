package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// valueWriter applies one edit to the values of one attribute, chunk by chunk, in the caller's transaction.
type valueWriter struct {
	tx      store.Tx
	a       *Attribute
	at      int64 // the time of the edit, in microseconds; later than the update time of any stored value
	allNew  bool  // ids in the edit's values are ignored
	cascade ValueCascade
	// hide is called for removed values that very many products use. It makes them invisible.
	hide    func(ctx context.Context, values []ValueKeys) error
	written int64 // the number of values added, renamed or removed
	renamed int64 // the number of values that got another name
	read    int   // the number of elements of the edit's values that were read
	wrong   rule.Violations
}

func newValueWriter(tx store.Tx, a *Attribute) *valueWriter {
	return &valueWriter{tx: tx, a: a, at: a.UpdatedAt.UnixMicro(), cascade: ValueCascade{Tx: tx, Kind: a.Kind}}
}

// valueWrite is the i-th element of an edit's values. number is nil unless the attribute is a range feature.
type valueWrite struct {
	ValueEdit // the id of a new value is already generated
	i         int
	number    any
}

// apply applies the lists of an edit: removals, then renames and additions.
func (w *valueWriter) apply(ctx context.Context, e AttributeEdit) error {
	err := w.remove(ctx, e.Removed)
	if err == nil {
		err = w.write(ctx, e.Values)
	}
	var suspects *suspectIDsError
	if errors.As(err, &suspects) {
		return w.explainSuspects(ctx, e, suspects.ids)
	}
	return err
}

// remove deletes the listed values and detaches them from variants and products. It only hides values that very many of
// them have.
func (w *valueWriter) remove(ctx context.Context, removed List[ValueID]) error {
	for chunk, err := range removed.chunks() {
		if err != nil {
			return err
		}

		found, err := valueKeysByID(ctx, w.tx, w.a.Key, chunk)
		if err != nil {
			return err
		}
		if len(found) != len(chunk) {
			return &suspectIDsError{chunk}
		}

		keys := slices.Sorted(maps.Values(found))
		values := make([]ValueKeys, len(keys))
		for i, key := range keys {
			values[i] = ValueKeys{w.a.Key, key}
		}

		if err := ValuesGone(ctx, w.tx, keys, w.at); err != nil {
			return err
		}

		detached, err := w.cascade.DetachUpTo(ctx, values)
		if err != nil {
			return err
		}

		if detached {
			_, err = DeleteValues(ctx, w.tx, keys)
		} else {
			err = w.hide(ctx, values)
		}

		if err != nil {
			return err
		}

		w.a.ValueCount -= int64(len(keys))
		w.written += int64(len(keys))
	}

	return nil
}

// write renames the values that have an id and adds the others; with allNew it ignores ids. It returns fault.Invalid
// naming the values that do not fit the attribute's type.
func (w *valueWriter) write(ctx context.Context, values List[ValueEdit]) error {
	if err := w.writeSome(ctx, values); err != nil {
		return err
	}
	return w.wrong.Fault()
}

// writeSome is like write, for some of the edit's values. It collects those that do not fit the attribute's type in
// w.wrong, and returns fault.Invalid only if they are too many.
func (w *valueWriter) writeSome(ctx context.Context, values List[ValueEdit]) error {
	for chunk, err := range values.chunks() {
		if err != nil {
			return err
		}

		var renamed, added []valueWrite
		for _, v := range chunk {
			number, ok := w.check(&v)
			switch {
			case !ok && len(w.wrong.Fields) >= wire.MaxFields:
				return w.wrong.Fault()
			case !ok:
			case w.allNew || v.ID.IsZero():
				v.ID = id.New[Value]()
				added = append(added, valueWrite{v, w.read, number})
			default:
				renamed = append(renamed, valueWrite{v, w.read, number})
			}

			w.read++
		}

		if err := w.rename(ctx, renamed); err != nil {
			return err
		}
		if err := w.add(ctx, added); err != nil {
			return err
		}
	}

	return nil
}

// check applies the rules of values to the next element of the edit's values. It returns the number of the value, and
// whether no rule is broken.
func (w *valueWriter) check(v *ValueEdit) (number any, ok bool) {
	var broken, brokenID *fault.Field
	v.Name, number, broken = w.a.ValueName(v.Name)
	if v.ExternalID != nil && *v.ExternalID != "" {
		*v.ExternalID, brokenID = rule.ExternalID(*v.ExternalID)
	}
	if broken == nil && brokenID == nil {
		return number, true
	}

	at := rule.FieldPath("").Element("values", w.read)
	w.wrong.Check(at, "name", broken)
	w.wrong.Check(at, "external_id", brokenID)
	return nil, false
}

// suspectIDsError reports that some of these ids are unknown or occur more than once in the request.
type suspectIDsError struct{ ids []ValueID }

func (*suspectIDsError) Error() string { return "some ids are unknown or repeated" }

// explainSuspects reads the edit's lists again and returns fault.Invalid, which names the wrong ids and the reasons.
func (w *valueWriter) explainSuspects(ctx context.Context, e AttributeEdit, suspects []ValueID) error {
	left := make(map[ValueID]bool, len(suspects))
	for _, s := range suspects {
		left[s] = true
	}

	removed, err := positionsOf(e.Removed, left, func(v ValueID) ValueID { return v })
	if err != nil {
		return err
	}
	values, err := positionsOf(e.Values, left, func(v ValueEdit) ValueID { return v.ID })
	if err != nil {
		return err
	}

	known, err := valueKeysByID(ctx, w.tx, w.a.Key, suspects)
	if err != nil {
		return err
	}

	var wrong rule.Violations
	for _, s := range suspects {
		if !left[s] {
			continue // a repeated id is reported once
		}

		delete(left, s)
		inRemoved, inValues := removed[s], values[s]
		_, isKnown := known[s]
		switch {
		case len(inRemoved) > 1:
			addRepeatedID(&wrong, "removed_values[%d]", inRemoved)
		case len(inValues) > 1:
			addRepeatedID(&wrong, "values[%d].id", inValues)
		case len(inRemoved) > 0 && len(inValues) > 0:
			wrong.Add(fmt.Sprintf("values[%d].id", inValues[0]), "removed_too",
				"This value is in removed_values too; rename it or remove it.")
		case !isKnown && len(inRemoved) > 0:
			wrong.Add(fmt.Sprintf("removed_values[%d]", inRemoved[0]), "unknown_value",
				"This is not the id of a value of this %s. It may have been removed before.", w.a.Kind.Noun())
		case !isKnown:
			wrong.Add(fmt.Sprintf("values[%d].id", inValues[0]), "unknown_value",
				"This is not the id of a value of this %s. Leave the id out to add a new value.", w.a.Kind.Noun())
		}
	}

	if err := wrong.Fault(); err != nil {
		return err
	}

	return fmt.Errorf("attribute %[2]s: a write of %[1]d values was incomplete, but all their ids are valid",
		len(suspects), w.a.ID)
}

// positionsOf returns, for each of the ids, the first two positions at which it occurs in a list.
func positionsOf[T any](list List[T], ids map[ValueID]bool, idOf func(T) ValueID) (map[ValueID][]int, error) {
	positions := map[ValueID][]int{}
	i := 0
	for chunk, err := range list.chunks() {
		if err != nil {
			return nil, err
		}
		for _, v := range chunk {
			if valueID := idOf(v); ids[valueID] && len(positions[valueID]) < 2 {
				positions[valueID] = append(positions[valueID], i)
			}
			i++
		}
	}
	return positions, nil
}

// addRepeatedID adds the violation that an id occurs twice in a list, at the first two positions in at. form is the
// format of a position's path.
func addRepeatedID(wrong *rule.Violations, form string, at []int) {
	wrong.Add(fmt.Sprintf(form, at[1]), "duplicate_id",
		"This id appears twice in one request (first at %s); each value may be named once.", fmt.Sprintf(form, at[0]))
}

// save writes the attribute's row and raises the version of all attributes. It runs after the values are written.
func (w *valueWriter) save(ctx context.Context) error {
	if err := updateAttribute(ctx, w.tx, w.a); err != nil {
		return err
	}
	if err := AnalyzeValues(ctx, w.tx.Unscoped(), w.written); err != nil {
		return err
	}
	return RaiseAttributesVersion(ctx, w.tx)
}

// AddMisfits adds the violation that the values with these names do not fit the attribute's new type.
func AddMisfits(wrong *rule.Violations, a *Attribute, was Attribute, names []string) {
	field := "field_type"
	if was.FieldType == a.FieldType {
		field = "range_type"
	}
	wrong.Add(field, "values_do_not_fit", "These values are not %s: %s. Rename or remove them in the same request.",
		a.expectedName(), strings.Join(names, ", "))
}
