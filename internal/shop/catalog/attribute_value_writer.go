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

// valueWriter writes one edit of one attribute's values, chunk by chunk, inside the caller's transaction.
type valueWriter struct {
	tx      store.Tx
	a       *Attribute
	at      int64 // the time of the edit, later than that of any stored value
	cascade *valueCascade

	added   *database.Batch
	renamed []valueRename
	claims  []externalIDClaim
	written int64 // the number of values added, renamed or removed
	fields  []fault.Field
}

// valueRename is the new name of a value, with its number on a range feature.
type valueRename struct {
	id     ValueID
	name   string
	number any
}

func newValueWriter(tx store.Tx, a *Attribute) *valueWriter {
	return &valueWriter{
		tx: tx, a: a, at: a.UpdatedAt.UnixMicro(),
		cascade: &valueCascade{tx: tx, kind: a.Kind},
		added:   database.NewBatch(database.UUID, database.Text, database.Text, database.Double),
	}
}

// apply applies the lists of an edit: removals, then renames and additions.
func (c *valueWriter) apply(ctx context.Context, e AttributeEdit) error {
	err := c.remove(ctx, e)
	if err == nil && e.Values != nil {
		err = e.Values(func(i int, v ValueEdit) error { return c.add(ctx, i, v) })
		if err == nil {
			err = c.flush(ctx)
		}
	}
	var suspects *suspectIDsError
	if errors.As(err, &suspects) {
		return c.explainSuspects(ctx, e, suspects.ids)
	}
	return err
}

// add adds one element of the list of values to the chunk, and writes the chunk when it is full.
func (c *valueWriter) add(ctx context.Context, i int, v ValueEdit) error {
	number, ok := c.a.number(v.Name)
	if !ok {
		c.fields = append(c.fields, fault.Field{
			Field: fmt.Sprintf("values[%d].name", i), Code: "not_a_number",
			Message: fmt.Sprintf("A value of this range feature must be %s.", c.a.expectedName()),
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
		c.renamed = append(c.renamed, valueRename{v.ID, v.Name, number})
	}
	if v.ExternalID != nil {
		c.claims = append(c.claims, externalIDClaim{i, valueID, v.ID.IsZero(), *v.ExternalID})
	}
	if c.added.Len()+len(c.renamed) >= chunkSize {
		return c.write(ctx)
	}
	return nil
}

// flush writes the last chunk. It returns fault.Invalid naming the values that do not fit the attribute's type.
func (c *valueWriter) flush(ctx context.Context) error {
	if err := c.write(ctx); err != nil {
		return err
	}
	return fault.Fields(c.fields)
}

func (c *valueWriter) write(ctx context.Context) error {
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

func (c *valueWriter) writeRenamed(ctx context.Context) error {
	if len(c.renamed) == 0 {
		return nil
	}
	ids := make([]ValueID, len(c.renamed))
	for i, v := range c.renamed {
		ids[i] = v.id
	}
	keys, err := valueKeysByID(ctx, c.tx, c.a.Key, ids)
	if err != nil {
		return err
	}
	if len(keys) != len(ids) {
		return &suspectIDsError{ids}
	}
	batch := database.NewBatch(database.BigInt, database.Text, database.Double)
	for _, v := range c.renamed {
		batch.Add(keys[v.id], v.name, v.number)
	}
	n, err := renameValues(ctx, c.tx, batch, c.at)
	if err != nil {
		return err
	}
	if n != int64(len(ids)) {
		return &suspectIDsError{ids}
	}
	c.written += n
	c.renamed = c.renamed[:0]
	return nil
}

// remove deletes the listed values and detaches them from variants and products.
func (c *valueWriter) remove(ctx context.Context, e AttributeEdit) error {
	if e.Removed == nil {
		return nil
	}
	chunk := make([]ValueID, 0, min(e.RemovedLen, chunkSize))
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		found, err := valueKeysByID(ctx, c.tx, c.a.Key, chunk)
		if err != nil {
			return err
		}
		if len(found) != len(chunk) {
			return &suspectIDsError{chunk}
		}
		keys := slices.Sorted(maps.Values(found))
		values := make([]valueKeys, len(keys))
		for i, key := range keys {
			values[i] = valueKeys{c.a.Key, key}
		}
		if err := c.cascade.detach(ctx, values); err != nil {
			return err
		}
		n, err := deleteValues(ctx, c.tx, keys)
		c.a.ValueCount -= n
		c.written += n
		chunk = chunk[:0]
		return err
	}
	err := e.Removed(func(_ int, v ValueID) error {
		chunk = append(chunk, v)
		if len(chunk) < chunkSize {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// suspectIDsError reports that some of these ids are unknown or occur more than once in the request.
type suspectIDsError struct{ ids []ValueID }

func (*suspectIDsError) Error() string { return "some ids are unknown or repeated" }

// explainSuspects reads the lists again and returns fault.Invalid saying which of the suspects are wrong, and why.
func (c *valueWriter) explainSuspects(ctx context.Context, e AttributeEdit, suspects []ValueID) error {
	type positions struct{ removed, values []int }
	places := make(map[ValueID]*positions, len(suspects))
	for _, s := range suspects {
		places[s] = &positions{}
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
	known, err := valueKeysByID(ctx, c.tx, c.a.Key, suspects)
	if err != nil {
		return err
	}
	var fields []fault.Field
	reported := map[ValueID]bool{}
	for _, s := range suspects {
		if reported[s] || len(fields) >= wire.MaxFields {
			continue
		}
		reported[s] = true
		p := places[s]
		switch {
		case len(p.removed) > 1:
			fields = append(fields, repeatedID("removed_values[%d]", p.removed))
		case len(p.values) > 1:
			fields = append(fields, repeatedID("values[%d].id", p.values))
		case len(p.removed) > 0 && len(p.values) > 0:
			fields = append(fields, fault.Field{Field: fmt.Sprintf("values[%d].id", p.values[0]), Code: "removed_too",
				Message: "This value is in removed_values too; rename it or remove it."})
		case !containsValue(known, s) && len(p.removed) > 0:
			fields = append(fields,
				c.unknownValue("removed_values[%d]", p.removed[0], "It may have been removed before."))
		case !containsValue(known, s):
			fields = append(fields,
				c.unknownValue("values[%d].id", p.values[0], "Leave the id out to add a new value."))
		}
	}
	if len(fields) == 0 {
		return fmt.Errorf("attribute %[2]s: a write of %[1]d values was incomplete, but all their ids are valid",
			len(suspects), c.a.ID)
	}
	return fault.Fields(fields)
}

func containsValue(known map[ValueID]int64, v ValueID) bool {
	_, ok := known[v]
	return ok
}

func repeatedID(form string, at []int) fault.Field {
	return fault.Field{Field: fmt.Sprintf(form, at[1]), Code: "duplicate_id",
		Message: fmt.Sprintf("This id appears twice in one request (first at %s); each value may be named once.",
			fmt.Sprintf(form, at[0]))}
}

func (c *valueWriter) unknownValue(form string, at int, hint string) fault.Field {
	return fault.Field{Field: fmt.Sprintf(form, at), Code: "unknown_value",
		Message: fmt.Sprintf("This is not the id of a value of this %s. %s", c.a.Kind.Noun(), hint)}
}

// save writes the attribute's own row. It runs after all writes to the values.
func (c *valueWriter) save(ctx context.Context) error {
	if err := updateAttribute(ctx, c.tx, c.a); err != nil {
		return err
	}
	if err := analyzeValues(ctx, c.tx.Unscoped(), c.written); err != nil {
		return err
	}
	return raiseAttributesVersion(ctx, c.tx)
}

// misfitMessage lists the values that do not fit the feature's new type, at most maxMisfits of them.
const (
	misfitMessage = "These values are not %s: %s. Rename or remove them in the same request."
	maxMisfits    = 20
)

// convertNumbers sets the numbers of the values that the edit has not written to fit the attribute's new type. It
// returns fault.Invalid if some of them do not fit.
func (c *valueWriter) convertNumbers(ctx context.Context, was Attribute) error {
	if was.FieldType == c.a.FieldType && was.RangeType == c.a.RangeType {
		return nil
	}
	if c.a.FieldType == Select {
		return clearNumbers(ctx, c.tx, c.a.Key)
	}
	var misfits []string
	numbers := database.NewBatch(database.BigInt, database.Double)
	for last, more := int64(0), true; more; {
		numbers.Reset()
		read := 0
		err := untouchedValues(ctx, c.tx, c.a.Key, last, c.at, func(key int64, name string) {
			last = key
			read++
			if n, ok := c.a.number(name); ok {
				numbers.Add(key, n)
			} else if len(misfits) < maxMisfits {
				misfits = append(misfits, fmt.Sprintf("%q", name))
			}
		})
		if err != nil {
			return err
		}
		more = read == chunkSize && len(misfits) == 0
		if err := setNumbers(ctx, c.tx, numbers); err != nil {
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
	return fault.OneField(field, "values_do_not_fit", misfitMessage, c.a.expectedName(), strings.Join(misfits, ", "))
}
