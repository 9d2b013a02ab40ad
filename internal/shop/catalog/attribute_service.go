package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// List returns one page of a store's options or features, oldest first, and their total number. If search is not empty,
// it must match the name. The slice is shared with other callers and must not be modified. List runs several
// statements, so tx should read from a snapshot.
func (s *Attributes) List(
	ctx context.Context, tx store.Tx, kind Kind, search string, limit, offset int64,
) ([]Attribute, int64, error) {
	version, err := attributesVersion(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	key := attributePageKey{tx.StoreID(), kind, search, limit, offset}
	if found, ok := s.pages.get(key, version); ok {
		return found.list, found.total, nil
	}
	list, total, err := listAttributes(ctx, tx, kind, search, limit, offset)
	if err == nil {
		s.pages.put(key, attributePage{version, list, total})
	}
	return list, total, err
}

// Find returns one option or feature, or fault.NotFound.
func (s *Attributes) Find(ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID) (Attribute, error) {
	return selectAttribute(ctx, tx, kind, attributeID, unlocked)
}

// EachValue calls fn for each value of an attribute in order.
func (s *Attributes) EachValue(ctx context.Context, tx store.Tx, a Attribute, fn func(Value) error) error {
	return listValues(ctx, tx, a.Key, fn)
}

// Values calls fn for each value on one page of an attribute's values.
func (s *Attributes) Values(
	ctx context.Context, tx store.Tx, a Attribute, limit, offset int64, fn func(Value) error,
) error {
	if offset >= a.ValueCount {
		return nil
	}
	return pageValues(ctx, tx, a.Key, limit, offset, fn)
}

// EachValueOf reads the values of several attributes with one query, ordered by attribute key. attributeKeys must be
// sorted. The database sorts the rows in memory, so this is meant for short lists.
func (s *Attributes) EachValueOf(
	ctx context.Context, tx store.Tx, attributeKeys []int64, fn func(attributeKey int64, v Value) error,
) error {
	if len(attributeKeys) == 0 {
		return nil
	}
	return listValuesOf(ctx, tx, attributeKeys, fn)
}

// Create creates an option or a feature with its values in the given order. Ids in the values are ignored. Pending
// references to the new external ids are linked. Create returns fault.Invalid naming each broken rule, or
// fault.Conflict if an external id is taken; the caller then rolls back.
func (s *Attributes) Create(ctx context.Context, tx store.Tx, kind Kind, e AttributeEdit) (Attribute, error) {
	if e.Name == nil {
		return Attribute{}, fault.OneField("name", "required", "A %s needs a name of 1 to 255 characters.", kind.Noun())
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	a := Attribute{ID: id.New[Attribute](), Kind: kind, FieldType: Select, Version: 1, CreatedAt: now, UpdatedAt: now}
	if err := a.apply(e); err != nil {
		return Attribute{}, err
	}
	if e.bringsExternalIDs() {
		if err := lockPushes(ctx, tx); err != nil {
			return Attribute{}, err
		}
	}
	if err := insertAttribute(ctx, tx, &a); err != nil {
		return Attribute{}, err
	}
	if e.Values == nil {
		return a, raiseAttributesVersion(ctx, tx)
	}
	values := newValueWriter(tx, &a)
	err := e.Values(func(i int, v ValueEdit) error {
		v.ID = ValueID{}
		return values.add(ctx, i, v)
	})
	if err == nil {
		err = values.flush(ctx)
	}
	if err != nil {
		return Attribute{}, err
	}
	return a, s.saveAndLink(ctx, values, e)
}

// saveAndLink saves the attribute and links the pending references to the external ids that the edit set.
func (s *Attributes) saveAndLink(ctx context.Context, c *valueWriter, e AttributeEdit) error {
	if !e.bringsExternalIDs() || c.a.ExternalID == nil {
		return c.save(ctx)
	}
	// Linking looks values up in the table that has just grown, so PostgreSQL needs fresh statistics first.
	if err := analyzeValues(ctx, c.tx.Unscoped(), c.written); err != nil {
		return err
	}
	c.written = 0
	l := &linker{tx: c.tx, kind: pendingKindOf(c.a.Kind)}
	if err := l.linkAll(ctx, arrival{externalID: *c.a.ExternalID, key: c.a.Key}); err != nil {
		return err
	}
	if err := c.save(ctx); err != nil {
		return err
	}
	return s.recordChangedProducts(ctx, c.tx, l.products)
}

// Edit applies an edit: removals first, then renames and additions. Values that the edit does not mention stay
// unchanged. Pending references to new external ids are linked. Edit returns fault.NotFound, fault.Stale, fault.Invalid
// naming each broken rule, or fault.Conflict if an external id is taken; the caller then rolls back.
func (s *Attributes) Edit(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, e AttributeEdit, pre fault.Precondition,
) (Attribute, error) {
	return s.edit(ctx, tx, kind, attributeID, e, pre, nil)
}

func (s *Attributes) edit(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, e AttributeEdit, pre fault.Precondition,
	impact *Impact,
) (Attribute, error) {
	if e.bringsExternalIDs() {
		if err := lockPushes(ctx, tx); err != nil {
			return Attribute{}, err
		}
	}
	a, err := selectAttribute(ctx, tx, kind, attributeID, forUpdate)
	if err != nil {
		return Attribute{}, err
	}
	if err := pre.Check(a.Version); err != nil {
		return Attribute{}, err
	}
	was := a
	if err := a.apply(e); err != nil {
		return Attribute{}, err
	}
	a.Version++
	a.UpdatedAt = s.timeAfter(a.UpdatedAt)
	values := newValueWriter(tx, &a)
	values.cascade.impact = impact
	if err := values.apply(ctx, e); err != nil {
		return Attribute{}, err
	}
	if err := values.convertNumbers(ctx, was); err != nil {
		return Attribute{}, err
	}
	return a, s.saveAndLink(ctx, values, e)
}

// Delete deletes an option or a feature with its values. Variants and products lose it but are not deleted. It returns
// fault.NotFound or fault.Stale.
func (s *Attributes) Delete(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, pre fault.Precondition,
) error {
	a, err := selectAttribute(ctx, tx, kind, attributeID, forUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(a.Version); err != nil {
		return err
	}
	if err := newValueWriter(tx, &a).cascade.detachAll(ctx, a.Key); err != nil {
		return err
	}
	if err := deleteAttribute(ctx, tx, a.Key); err != nil {
		return err
	}
	return raiseAttributesVersion(ctx, tx)
}
