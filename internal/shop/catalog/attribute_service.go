package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// maxCachedBytes is the default limit of the size of all cached pages of attributes. attributeSize is the approximate
// size in bytes of an attribute without its name.
const (
	maxCachedBytes = 16 << 20
	attributeSize  = 200
)

// attributePageKey identifies a page of a store's attributes. Every transaction that changes an attribute also raises
// the version of the store's attributes, which is part of the key. So a cached page of the current version is valid on
// every node.
type attributePageKey struct {
	storeID       store.ID
	version       int64
	stamp         int64 // of the version
	kind          Kind
	search        string
	limit, offset int64
}

type attributePage struct {
	list  []Attribute
	total int64
}

func newAttributePages(share *memory.Share) *cache.Cache[attributePageKey, attributePage] {
	if share == nil {
		share = memory.NewShare("attribute_cache", "options and features", maxCachedBytes)
	}
	return cache.NewShared(share, attributePageSize,
		func(key attributePageKey) cache.Owner { return key.storeID.Bytes() })
}

// attributePageSize estimates the memory of a page and its key, in bytes.
func attributePageSize(key attributePageKey, page attributePage) int {
	size := len(key.search)
	for _, a := range page.list {
		size += attributeSize + len(a.Name)
	}
	return size
}

// List returns one page of a store's options or features, oldest first, and their total number. If search is not empty,
// only those whose names match it are listed and counted. The slice is shared with other callers and must not be
// modified. List runs several statements, so tx should read from a snapshot.
func (s *Attributes) List(
	ctx context.Context, tx store.Tx, kind Kind, search string, limit, offset int64,
) (_ []Attribute, _ int64, err error) {
	defer fault.AddContext(&err, "list %ss", kind.Noun())
	version, stamp, err := attributesVersion(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	key := attributePageKey{tx.StoreID(), version, stamp, kind, search, limit, offset}
	if page, ok := s.pages.Get(key); ok {
		return page.list, page.total, nil
	}
	list, total, err := listAttributes(ctx, tx, kind, search, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	s.pages.Put(key, attributePage{list, total})
	return list, total, nil
}

// Find returns one option or feature, or fault.NotFound.
func (s *Attributes) Find(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID,
) (_ Attribute, err error) {
	defer fault.AddContext(&err, "find %s %s", kind.Noun(), attributeID)
	return selectAttribute(ctx, tx, kind, attributeID, "")
}

// Create creates an option or a feature with its values in the given order. Ids in the values are ignored. Pending
// references to the new external ids are linked. Create returns fault.Invalid naming each broken rule, or
// fault.Conflict if an external id is taken; the caller then rolls back.
func (s *Attributes) Create(ctx context.Context, tx store.Tx, kind Kind, e AttributeEdit) (_ Attribute, err error) {
	defer fault.AddContext(&err, "create %s", kind.Noun())

	a, err := s.newAttribute(kind, e)
	if err != nil {
		return Attribute{}, err
	}

	if e.setsExternalIDs() {
		if err := LockPushes(ctx, tx); err != nil {
			return Attribute{}, err
		}
	}

	if err := insertAttribute(ctx, tx, &a); err != nil {
		return Attribute{}, err
	}
	if err := audit.Record(ctx, tx, a.entry(kind.actions().created)); err != nil {
		return Attribute{}, err
	}
	if e.Values.Len == 0 {
		return a, RaiseAttributesVersion(ctx, tx)
	}

	values := newValueWriter(tx, &a)
	values.allNew = true
	if err := values.write(ctx, e.Values); err != nil {
		return Attribute{}, err
	}

	return a, s.saveAndLink(ctx, values, e)
}

// newAttribute returns an attribute without a key and without values, or fault.Invalid.
func (s *Attributes) newAttribute(kind Kind, e AttributeEdit) (Attribute, error) {
	now := s.Now().UTC().Truncate(time.Microsecond)
	a := Attribute{ID: id.New[Attribute](), Kind: kind, FieldType: Select, Version: 1, CreatedAt: now, UpdatedAt: now}
	var wrong rule.Violations
	a.Apply(e, &wrong)
	return a, wrong.Fault()
}

// saveAndLink saves the attribute and links the pending references to the external ids that the edit sets.
func (s *Attributes) saveAndLink(ctx context.Context, c *valueWriter, e AttributeEdit) error {
	if !e.setsExternalIDs() || c.a.ExternalID == nil {
		return c.save(ctx)
	}

	// Linking looks values up in the table that has just grown, so PostgreSQL needs fresh statistics first.
	if err := AnalyzeValues(ctx, c.tx.Unscoped(), c.written); err != nil {
		return err
	}

	c.written = 0
	l := &pendingLinker{tx: c.tx, kind: pendingKindOf(c.a.Kind)}
	if err := l.linkAll(ctx, pendingArrival{externalID: *c.a.ExternalID, key: c.a.Key}); err != nil {
		return err
	}
	if err := c.save(ctx); err != nil {
		return err
	}

	return s.RecordChangedProducts(ctx, c.tx, l.products)
}

// Edit applies an edit: removals first, then renames and additions. Values that the edit does not mention stay
// unchanged. Pending references to new external ids are linked. Edit returns fault.NotFound, fault.Stale, fault.Invalid
// naming each broken rule, or fault.Conflict if an external id is taken; the caller then rolls back.
func (s *Attributes) Edit(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, e AttributeEdit, pre fault.Precondition,
) (_ Attribute, err error) {
	defer fault.AddContext(&err, "edit %s %s", kind.Noun(), attributeID)
	a, was, err := s.edit(ctx, tx, kind, attributeID, e, pre, nil)
	if err != nil {
		return Attribute{}, err
	}
	return a, audit.Record(ctx, tx, a.editEntry(&was))
}

// edit implements Edit, without the log, and returns the attribute after and before the edit. If the function detached
// is not nil, it is called with the keys of the variants or products that lose values.
func (s *Attributes) edit(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, e AttributeEdit, pre fault.Precondition,
	detached func(ctx context.Context, ownerKeys []int64) error,
) (a, was Attribute, err error) {
	if e.setsExternalIDs() {
		if err := LockPushes(ctx, tx); err != nil {
			return a, was, err
		}
	}

	a, err = selectAttribute(ctx, tx, kind, attributeID, tx.Dialect().ForUpdate)
	if err != nil {
		return a, was, err
	}
	if err := pre.Check(a.Version); err != nil {
		return a, was, err
	}

	was = a
	var wrong rule.Violations
	if a.Apply(e, &wrong); wrong.Fault() != nil {
		return a, was, wrong.Fault()
	}

	a.Version++
	a.UpdatedAt = s.UpdateTimeAfter(a.UpdatedAt)
	values := newValueWriter(tx, &a)
	values.cascade.detached = detached
	values.cascade.Left = s.MaxDirectLinks
	values.hide = func(ctx context.Context, removed []ValueKeys) error {
		return s.HideValues(ctx, tx, removed, values.at)
	}

	if err := values.apply(ctx, e); err != nil {
		return a, was, err
	}
	if err := ConvertNumbers(ctx, tx, &a, was); err != nil {
		return a, was, err
	}
	if err := s.recordIDs(ctx, tx, was, a, e); err != nil {
		return a, was, err
	}
	if a.Name != was.Name {
		if err := write.TouchAttributes(ctx, tx, []int64{a.Key}); err != nil {
			return a, was, err
		}
	}

	return a, was, s.saveAndLink(ctx, values, e)
}

// recordIDs records what an edit of an attribute may change in exports of products: its external id, the external ids
// of its values, and values that are gone.
func (s *Attributes) recordIDs(ctx context.Context, tx store.Tx, was, a Attribute, e AttributeEdit) error {
	if e.setsExternalIDs() || e.Removed.Len > 0 {
		if err := s.MarkReferences(ctx, tx); err != nil {
			return err
		}
	}
	return s.IDChanged(ctx, tx, a.Kind.Entity(), was.ExternalID, a.ExternalID)
}

// Delete deletes an option or a feature with its values. Variants and products lose the values but are not deleted. If
// there are very many, Delete hides them, and Deletions.Run deletes them later.
// Delete returns fault.NotFound or fault.Stale.
func (s *Attributes) Delete(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "delete %s %s", kind.Noun(), attributeID)

	a, err := selectAttribute(ctx, tx, kind, attributeID, tx.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(a.Version); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, a.entry(kind.actions().deleted)); err != nil {
		return err
	}

	if err := s.deleteOrHide(ctx, tx, a); err != nil {
		return err
	}
	if err := s.IDGone(ctx, tx, kind.Entity(), a.ExternalID); err != nil {
		return err
	}
	if err := s.MarkReferences(ctx, tx); err != nil {
		return err
	}

	return RaiseAttributesVersion(ctx, tx)
}

// deleteOrHide deletes an attribute, its values and the links to them. If there are very many, it hides the attribute,
// and Deletions.Run and Run delete it later.
func (s *Attributes) deleteOrHide(ctx context.Context, tx store.Tx, a Attribute) error {
	hidden, err := deleteValueDeletions(ctx, tx, a.Key)
	if err != nil {
		return err
	}

	cascade := ValueCascade{Tx: tx, Kind: a.Kind, Left: s.MaxDirectLinks}
	detached := false
	if hidden == 0 {
		if detached, err = cascade.detachAllUpTo(ctx, a.Key); err != nil {
			return err
		}
	}

	if detached && a.ValueCount <= LongList {
		return deleteAttribute(ctx, tx, a.Key)
	}

	if !detached {
		if err := s.addDeletions(ctx, tx, deletion{kind: deletedAttribute, target: a.Key}); err != nil {
			return err
		}
	}

	return s.hide(ctx, tx, a.Key, a.Kind)
}
