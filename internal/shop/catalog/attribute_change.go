package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// change carries one edit of one attribute's values, piece by piece, inside the caller's transaction.
type change struct {
	q       database.Querier
	storeID store.ID
	a       *Attribute
	at      int64 // the edit's time; no value had it before
	cascade *cascade

	added   *database.Batch
	renamed []rename
	claims  []claim
	written int64 // how many values were added, renamed or removed
	fields  []fault.Field
}

// rename is a value's new name, and the number it stands for on a range feature.
type rename struct {
	id     ValueID
	name   string
	number any
}

func newChange(q database.Querier, storeID store.ID, a *Attribute) *change {
	return &change{
		q: q, storeID: storeID, a: a, at: a.UpdatedAt.UnixMicro(),
		cascade: &cascade{q: q, storeID: storeID, kind: a.Kind},
		added:   database.NewBatch(database.UUID, database.Text, database.Text, database.Double),
	}
}

// apply runs the lists of an edit: removals, then renames and additions.
func (c *change) apply(ctx context.Context, e Edit) error {
	err := c.remove(ctx, e)
	if err == nil && e.Values != nil {
		err = e.Values(func(i int, v ValueEdit) error { return c.value(ctx, i, v) })
		if err == nil {
			err = c.flush(ctx)
		}
	}
	var suspects *suspectError
	if errors.As(err, &suspects) {
		return c.diagnose(ctx, e, suspects.ids)
	}
	return err
}

// value takes one element of the list of values.
func (c *change) value(ctx context.Context, i int, v ValueEdit) error {
	number, ok := c.a.number(v.Name)
	if !ok {
		c.fields = append(c.fields, fault.Field{
			Field: fmt.Sprintf("values[%d].name", i), Code: "not_a_number",
			Message: fmt.Sprintf("A value of this range feature must be %s.", c.a.wants()),
		})
		if len(c.fields) >= wire.MaxFields {
			return fault.Fields(c.fields)
		}
		return nil
	}
	valueID := v.ID
	if valueID.IsZero() {
		valueID = id.New[Value]()
		c.added.Add(valueID, textOrNull(v.ExternalID), v.Name, number)
	} else {
		c.renamed = append(c.renamed, rename{v.ID, v.Name, number})
	}
	if v.ExternalID != nil {
		c.claims = append(c.claims, claim{i, valueID, v.ID.IsZero(), *v.ExternalID})
	}
	if c.added.Len()+len(c.renamed) >= pieceSize {
		return c.write(ctx)
	}
	return nil
}

// flush writes the last piece and tells of the values that did not fit the type.
func (c *change) flush(ctx context.Context) error {
	if err := c.write(ctx); err != nil {
		return err
	}
	return fault.Fields(c.fields)
}

func (c *change) write(ctx context.Context) error {
	if err := c.writeRenamed(ctx); err != nil {
		return err
	}
	if err := c.writeClaims(ctx); err != nil {
		return err
	}
	if err := c.writeAdded(ctx); err != nil {
		return err
	}
	c.a.ValueCount += int64(c.added.Len())
	c.written += int64(c.added.Len())
	c.added.Reset()
	c.claims = c.claims[:0]
	return nil
}

func (c *change) writeRenamed(ctx context.Context) error {
	if len(c.renamed) == 0 {
		return nil
	}
	ids := make([]ValueID, len(c.renamed))
	for i, v := range c.renamed {
		ids[i] = v.id
	}
	keys, err := valueKeys(ctx, c.q, c.storeID, c.a.Key, ids)
	if err != nil {
		return err
	}
	if len(keys) != len(ids) {
		return &suspectError{ids}
	}
	batch := database.NewBatch(database.BigInt, database.Text, database.Double)
	for _, v := range c.renamed {
		batch.Add(keys[v.id], v.name, v.number)
	}
	n, err := c.q.ExecRows(ctx, renameValuesSQL, batch, c.storeID, c.at)
	if err != nil {
		return err
	}
	if n != int64(len(ids)) {
		return &suspectError{ids}
	}
	c.written += n
	c.renamed = c.renamed[:0]
	return nil
}

// remove deletes the listed values and takes them off what carried them.
func (c *change) remove(ctx context.Context, e Edit) error {
	if e.Removed == nil {
		return nil
	}
	piece := make([]ValueID, 0, min(e.RemovedLen, pieceSize))
	flush := func() error {
		if len(piece) == 0 {
			return nil
		}
		found, err := valueKeys(ctx, c.q, c.storeID, c.a.Key, piece)
		if err != nil {
			return err
		}
		if len(found) != len(piece) {
			return &suspectError{piece}
		}
		keys := slices.Sorted(maps.Values(found))
		values := make([]link, len(keys))
		for i, key := range keys {
			values[i] = link{c.a.Key, key}
		}
		if err := c.cascade.detach(ctx, values); err != nil {
			return err
		}
		n, err := c.q.ExecRows(ctx, deleteValuesSQL, keyBatch(keys), c.storeID)
		c.a.ValueCount -= n
		c.written += n
		piece = piece[:0]
		return err
	}
	err := e.Removed(func(_ int, v ValueID) error {
		piece = append(piece, v)
		if len(piece) < pieceSize {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// suspectError says that among these ids some are unknown, or stand in the request more than once.
type suspectError struct{ ids []ValueID }

func (*suspectError) Error() string { return "some ids are unknown or repeated" }

// diagnose finds out which of the suspects are wrong, and why, by reading the lists once more.
func (c *change) diagnose(ctx context.Context, e Edit, suspects []ValueID) error {
	type place struct{ removed, values []int }
	places := make(map[ValueID]*place, len(suspects))
	for _, s := range suspects {
		places[s] = &place{}
	}
	if e.Removed != nil {
		err := e.Removed(func(i int, v ValueID) error {
			if p := places[v]; p != nil && len(p.removed) < 2 {
				p.removed = append(p.removed, i)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if e.Values != nil {
		err := e.Values(func(i int, v ValueEdit) error {
			if p := places[v.ID]; p != nil && len(p.values) < 2 {
				p.values = append(p.values, i)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	known, err := valueKeys(ctx, c.q, c.storeID, c.a.Key, suspects)
	if err != nil {
		return err
	}
	var fields []fault.Field
	told := map[ValueID]bool{}
	for _, s := range suspects {
		if told[s] || len(fields) >= wire.MaxFields {
			continue
		}
		told[s] = true
		p := places[s]
		switch {
		case len(p.removed) > 1:
			fields = append(fields, repeated("removed_values[%d]", p.removed))
		case len(p.values) > 1:
			fields = append(fields, repeated("values[%d].id", p.values))
		case len(p.removed) > 0 && len(p.values) > 0:
			fields = append(fields, fault.Field{Field: fmt.Sprintf("values[%d].id", p.values[0]), Code: "removed_too",
				Message: "This value is in removed_values too; rename it or remove it."})
		case !has(known, s) && len(p.removed) > 0:
			fields = append(fields, c.unknown("removed_values[%d]", p.removed[0], "It may have been removed before."))
		case !has(known, s):
			fields = append(fields, c.unknown("values[%d].id", p.values[0], "Leave the id out to add a new value."))
		}
	}
	if len(fields) == 0 {
		return fmt.Errorf("%d ids of attribute %s did not take effect, and none of them is wrong", len(suspects), c.a.ID)
	}
	return fault.Fields(fields)
}

func has(known map[ValueID]int64, v ValueID) bool {
	_, ok := known[v]
	return ok
}

func repeated(form string, at []int) fault.Field {
	return fault.Field{Field: fmt.Sprintf(form, at[1]), Code: "duplicate_id",
		Message: fmt.Sprintf("This id appears twice in one request (first at %s); each value may be named once.", fmt.Sprintf(form, at[0]))}
}

func (c *change) unknown(form string, at int, hint string) fault.Field {
	return fault.Field{Field: fmt.Sprintf(form, at), Code: "unknown_value",
		Message: fmt.Sprintf("This is not the id of a value of this %s. %s", c.a.Kind.Noun(), hint)}
}

// save writes the attribute itself, behind all that happened to its values.
func (c *change) save(ctx context.Context) error {
	if err := updateAttribute(ctx, c.q, c.storeID, c.a); err != nil {
		return err
	}
	if err := countAgain(ctx, c.q, c.written); err != nil {
		return err
	}
	return raiseAttributesVersion(ctx, c.q, c.storeID)
}

// misfitMessage says which values do not fit the type that their feature would get, of which at most misfitsTold are told.
const (
	misfitMessage = "These values are not %s: %s. Rename or remove them in the same request."
	misfitsTold   = 20
)

// retype makes the values that the edit left alone fit the attribute's type, or says which of them do not.
func (c *change) retype(ctx context.Context, was Attribute) error {
	if was.FieldType == c.a.FieldType && was.RangeType == c.a.RangeType {
		return nil
	}
	if c.a.FieldType == Select {
		_, err := c.q.Exec(ctx, forgetNumbersSQL, c.storeID, c.a.Key)
		return err
	}
	var misfits []string
	numbers := database.NewBatch(database.BigInt, database.Double)
	for last, more := int64(0), true; more; {
		numbers.Reset()
		read := 0
		err := database.Each(ctx, c.q, untouchedValuesSQL, []any{c.storeID, c.a.Key, last, c.at, pieceSize}, func(rows database.Rows) error {
			var name string
			if err := rows.Scan(&last, &name); err != nil {
				return err
			}
			read++
			if n, ok := c.a.number(name); ok {
				numbers.Add(last, n)
			} else if len(misfits) < misfitsTold {
				misfits = append(misfits, fmt.Sprintf("%q", name))
			}
			return nil
		})
		if err != nil {
			return err
		}
		more = read == pieceSize && len(misfits) == 0
		if _, err := c.q.ExecRows(ctx, setNumbersSQL, numbers, c.storeID); err != nil {
			return err
		}
	}
	if len(misfits) == 0 {
		return nil
	}
	field := "field_type"
	if was.FieldType == c.a.FieldType {
		field = "range_type"
	}
	return fault.OneField(field, "values_do_not_fit", misfitMessage, c.a.wants(), strings.Join(misfits, ", "))
}
