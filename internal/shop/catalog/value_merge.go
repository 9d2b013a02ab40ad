package catalog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ValueMerge says which values of an attribute become one.
type ValueMerge struct {
	From []ValueID
	Into ValueID
}

// Merge moves the products or variants that have one of some values to another value of the same attribute, and deletes
// these values. Their external ids mean the value that stays from then on. Variants of a product that get the same
// combination are kept, as when a value is deleted. If very many products or variants have the values, Merge only
// records the merge: Merges.Run moves them in short transactions, and deletes each value once nothing has it any more.
//
// The values of a range feature may be merged too: the products get the number of the value that stays.
//
// Merge returns fault.NotFound, fault.Stale, or fault.Invalid naming each broken rule; the caller then rolls back.
func (s *Attributes) Merge(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, m ValueMerge, pre fault.Precondition,
) (_ Attribute, err error) {
	defer fault.AddContext(&err, "merge values of %s %s", kind.Noun(), attributeID)
	from, into, err := s.mergedNames(ctx, tx, kind, attributeID, m)
	if err != nil {
		return Attribute{}, err
	}
	a, err := s.merge(ctx, tx, kind, attributeID, m, pre, nil)
	if err != nil {
		return Attribute{}, err
	}
	return a, audit.Record(ctx, tx,
		a.entry(audit.ValuesMerged, audit.Change{Field: "values", From: firstNames(from), To: firstNames(into)}))
}

// mergedNames returns the names of the values that a merge deletes and of the value that stays, for the log.
func (s *Attributes) mergedNames(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, m ValueMerge,
) (from, into []string, err error) {
	a, err := s.Find(ctx, tx, kind, attributeID)
	if err != nil {
		return nil, nil, err
	}
	if from, err = s.valueNames(ctx, tx, a, m.From); err != nil {
		return nil, nil, err
	}
	into, err = s.valueNames(ctx, tx, a, []ValueID{m.Into})
	return from, into, err
}

// MergeImpact returns what a merge would change, as Impact does for an edit.
func (s *Attributes) MergeImpact(
	ctx context.Context, write func(context.Context, func(database.Querier) error) error, storeID store.ID, kind Kind,
	attributeID AttributeID, m ValueMerge,
) (_ *Impact, err error) {
	defer fault.AddContext(&err, "read impact of a merge of values of %s %s", kind.Noun(), attributeID)
	return impactOf(ctx, write, storeID, kind, func(tx store.Tx, moved func(context.Context, []int64) error) error {
		_, err := s.merge(ctx, tx, kind, attributeID, m, nil, moved)
		return err
	})
}

// merge implements Merge. If the function moved is not nil, it is called with the keys of the variants or products that
// move, and all of them move in the caller's transaction.
func (s *Attributes) merge(
	ctx context.Context, tx store.Tx, kind Kind, attributeID AttributeID, m ValueMerge, pre fault.Precondition,
	moved func(ctx context.Context, ownerKeys []int64) error,
) (Attribute, error) {
	a, err := selectAttribute(ctx, tx, kind, attributeID, tx.Dialect().ForUpdate)
	if err != nil {
		return Attribute{}, err
	}
	if err := pre.Check(a.Version); err != nil {
		return Attribute{}, err
	}

	from, into, err := findMergedValues(ctx, tx, a, m)
	if err != nil {
		return Attribute{}, err
	}
	if err := replaceByAliases(ctx, tx, a.Key, from, into); err != nil {
		return Attribute{}, err
	}

	mover := &valueMover{tx: tx, kind: kind, into: into, moved: moved}
	few, err := mover.moveUpTo(ctx, a.Key, from, s.MaxDirectLinks)
	if err != nil {
		return Attribute{}, err
	}

	a.Version++
	a.UpdatedAt = s.UpdateTimeAfter(a.UpdatedAt)

	if few {
		_, err = DeleteValues(ctx, tx, from)
		a.ValueCount -= int64(len(from))
	} else {
		err = s.addMerges(ctx, tx, a.Key, from, into)
	}

	if err != nil {
		return Attribute{}, err
	}
	if err := newValueWriter(tx, &a).save(ctx); err != nil {
		return Attribute{}, err
	}

	return a, s.RecordChangedProducts(ctx, tx, mover.products)
}

// addMerges lets Run merge values after the commit.
func (c *Core) addMerges(ctx context.Context, tx store.Tx, attributeKey int64, from []int64, into int64) error {
	tx.Unscoped().AfterCommit(func() { wake(c.mergeAdded) })
	return insertMerges(ctx, tx, attributeKey, from, into)
}

// findMergedValues returns the row keys of the values, sorted, or fault.Invalid.
func findMergedValues(
	ctx context.Context, tx store.Tx, a Attribute, m ValueMerge,
) (from []int64, into int64, err error) {
	known, err := mergeableValues(ctx, tx, a.Key, append(slices.Clone(m.From), m.Into))
	if err != nil {
		return nil, 0, err
	}

	var wrong rule.Violations
	if len(m.From) == 0 {
		wrong.Add("from", "required", "Name at least one value that is to be merged.")
	}

	check := func(at string, valueID ValueID) mergeableValue {
		v, found := known[valueID]
		switch {
		case !found:
			wrong.Add(at, "unknown_value", "This is not the id of a value of this %s.", a.Kind.Noun())
		case v.merging:
			wrong.Add(at, "being_merged", "This value is being merged into another one already.")
		}
		return v
	}

	into = check("into", m.Into).key

	for i, valueID := range m.From {
		at := string(rule.FieldPath("from").Index(i))
		v := check(at, valueID)
		if valueID == m.Into {
			wrong.Add(at, "merged_into_itself", "The value that stays cannot be among those that are merged.")
		}
		from = append(from, v.key)
	}

	slices.Sort(from)
	return slices.Compact(from), into, wrong.Fault()
}

// Merges completes the merges of values that many products or variants have.
type Merges struct{ *Core }

// Run moves products and variants from merged values to those that stay, until ctx ends. It may run on several nodes.
// After a crash it continues with what is left.
func (s *Merges) Run(ctx context.Context, db *database.DB, log *slog.Logger) error {
	return periodic.Run(ctx, log, periodic.Task{
		Name: "merge values of options and features", Every: deletionsEvery, Wake: s.mergeAdded,
		Do: func(ctx context.Context) error { return s.Complete(database.InBackground(ctx), db) },
	})
}

// Complete completes all merges, in short transactions. If it fails for one, it completes the others, and returns the
// error.
func (s *Merges) Complete(ctx context.Context, db *database.DB) error {
	var failed []error
	for last := (pendingMerge{}); ; {
		var next pendingMerge
		var found bool
		err := db.Read(ctx, func(q database.Querier) (err error) {
			next, found, err = nextMerge(ctx, q, last)
			return err
		})
		if err != nil || !found {
			return errors.Join(append(failed, err)...)
		}

		if err := s.complete(ctx, db, next); err != nil {
			failed = append(failed, err)
		}

		last = next
	}
}

// complete moves everything from one value, and deletes the value.
func (s *Merges) complete(ctx context.Context, db *database.DB, m pendingMerge) (err error) {
	defer fault.AddContext(&err, "merge a value of store %s", m.storeID)
	for position, done := int64(0), false; !done && err == nil; {
		var next int64
		err = db.WriteAlone(ctx, func(q database.Querier) (err error) {
			next, done, err = s.mergeSome(ctx, store.In(q, m.storeID), m, position)
			return err
		})
		position = next
	}
	return err
}

// mergeSome moves products or variants for one transaction of about deletionSlice. position is the key of the last one
// that was moved. It reports whether the merge has ended.
func (s *Merges) mergeSome(
	ctx context.Context, tx store.Tx, m pendingMerge, position int64,
) (next int64, done bool, err error) {
	// Lock order: the attribute before its products, as in an edit.
	a, found, err := lockAttributeOfMerge(ctx, tx, m)
	if err != nil || !found {
		return 0, true, err
	}

	mover := &valueMover{tx: tx, kind: a.Kind, into: m.into}
	began := time.Now()
	first := position == 0
	for time.Since(began) < deletionSlice {
		links, err := mover.linksAfter(ctx, ValueKeys{m.attribute, m.value}, position)
		switch {
		case err != nil:
			return 0, false, err
		case len(links) == 0 && first:
			return 0, true, s.endMerge(ctx, tx, a, m)
		case len(links) == 0: // make sure that no link was added before the position
			return 0, false, s.RecordChangedProducts(ctx, tx, mover.products)
		}

		if err := mover.move(ctx, links); err != nil {
			return 0, false, err
		}

		position = links[len(links)-1].owner
		first = false
	}

	return position, false, s.RecordChangedProducts(ctx, tx, mover.products)
}

// endMerge deletes a value that nothing has any more.
func (s *Merges) endMerge(ctx context.Context, tx store.Tx, a Attribute, m pendingMerge) error {
	n, err := DeleteValues(ctx, tx, []int64{m.value})
	if err != nil {
		return err
	}
	a.ValueCount -= n
	a.Version++
	return newValueWriter(tx, &a).save(ctx)
}
