package catalog

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// maxOrderedValues is the number of values up to which an attribute can be put in order: a move may write the places of
// all values, which are sorted when they are read.
const maxOrderedValues = LongList

// orderedValue is a value with its place.
type orderedValue struct {
	key      int64
	id       ValueID
	name     string
	number   *float64
	position int64
}

// PlaceValue moves a value to a place among the values of its attribute, counted from 1, and returns the attribute and
// the place that the value had. A place after the last one means the last. It returns fault.NotFound, fault.Stale, or
// fault.Conflict if the attribute has too many values to be put in order; the caller then rolls back.
func (s *Attributes) PlaceValue(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, valueID ValueID, place int,
	pre fault.Precondition,
) (_ Attribute, was int, err error) {
	defer fault.AddContext(&err, "place value %s of %s %s", valueID, kind.Noun(), attributeID)
	a, err := s.order(ctx, tx, kind, attributeID, pre, func(values []orderedValue) ([]orderedValue, error) {
		at := slices.IndexFunc(values, func(v orderedValue) bool { return v.id == valueID })
		if at < 0 {
			return nil, fault.Missing("value")
		}
		was = at + 1
		return moveTo(values, at, place-1), nil
	})
	if err != nil {
		return Attribute{}, 0, err
	}
	return a, was, audit.Record(ctx, tx, a.entry(audit.ValuesOrdered,
		audit.Change{Field: "place", From: strconv.Itoa(was), To: strconv.Itoa(place)}))
}

// moveTo moves the element at one index of a list to another one. An index outside the list means its nearest end.
func moveTo[T any](list []T, from, to int) []T {
	moved := list[from]
	list = slices.Delete(list, from, from+1)
	return slices.Insert(list, max(0, min(to, len(list))), moved)
}

// SortValues puts all values of an attribute in the order of their names; those of a range feature in the order of
// their numbers. It returns the same faults as PlaceValue.
func (s *Attributes) SortValues(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, pre fault.Precondition,
) (_ Attribute, err error) {
	defer fault.AddContext(&err, "sort the values of %s %s", kind.Noun(), attributeID)
	a, err := s.order(ctx, tx, kind, attributeID, pre, func(values []orderedValue) ([]orderedValue, error) {
		slices.SortStableFunc(values, func(a, b orderedValue) int {
			if a.number != nil && b.number != nil {
				return cmp.Compare(*a.number, *b.number)
			}
			return locale.CompareNatural(a.name, b.name)
		})
		return values, nil
	})
	if err != nil {
		return Attribute{}, err
	}
	return a, audit.Record(ctx, tx, a.entry(audit.ValuesOrdered))
}

// order gives the values of an attribute the places that the function arrange returns them in.
func (s *Attributes) order(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, pre fault.Precondition,
	arrange func([]orderedValue) ([]orderedValue, error),
) (Attribute, error) {
	a, err := selectAttribute(ctx, tx, kind, attributeID, tx.Dialect().ForUpdate)
	if err != nil {
		return Attribute{}, err
	}
	if err := pre.Check(a.Version); err != nil {
		return Attribute{}, err
	}

	if a.ValueCount > maxOrderedValues {
		return Attribute{}, fault.New(fault.Conflict, "too_many_values",
			"A %s with more than %d values cannot be put in order.", kind.Noun(), maxOrderedValues)
	}

	values, err := valuesInOrder(ctx, tx, a.Key)
	if err == nil {
		values, err = arrange(values)
	}

	if err != nil {
		return Attribute{}, err
	}
	if err := writePositions(ctx, tx, values); err != nil {
		return Attribute{}, err
	}

	a.Ordered = true
	a.Version++
	a.UpdatedAt = s.UpdateTimeAfter(a.UpdatedAt)

	if err := updateAttribute(ctx, tx, &a); err != nil {
		return Attribute{}, err
	}

	return a, RaiseAttributesVersion(ctx, tx)
}
