package push

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ApplyAttributes creates and updates options or features as they were pushed. It has the same contract as
// ApplyProducts. After the commit, LinkAttributes links the pending references to these attributes.
func (s *Pushes) ApplyAttributes(
	ctx context.Context, tx store.Tx, kind catalog.Kind, items []catalog.AttributePush,
) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed %ss", len(items), kind)

	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}

	apply := func(items []catalog.AttributePush) ([]Pushed, error) {
		b := &attributePushes{s: s, tx: tx, kind: kind, items: items, outcomes: make([]Pushed, len(items))}
		return b.outcomes, write.InOrder(ctx, b.find, b.decide, b.save)
	}
	push := markedPush[catalog.AttributePush]{tx: tx, entity: kind.Entity(), items: items, apply: apply,
		of: func(p *catalog.AttributePush) markedItem { return markedItem{p.ID, p.Mark, p.Version} }}
	push.deleteOne = func(p *catalog.AttributePush, o *Pushed) error {
		attributeID, version, err := attributeIDOf(ctx, tx, kind, p.ID)
		if err != nil || o.leaveStale(p.Version, version) {
			return err
		}
		return (&catalog.Attributes{Core: s.Core}).Delete(ctx, tx, kind, attributeID, nil)
	}

	return push.run(ctx)
}

// attributePushes is one batch of pushed attributes and the state of applying it.
type attributePushes struct {
	s        *Pushes
	tx       store.Tx
	kind     catalog.Kind
	items    []catalog.AttributePush
	outcomes []Pushed
	raised   raisedVersions
	writes   []*attributeWrite
	written  int64 // number of values that were added, renamed or removed
	renamed  int64 // number of values that got another name
}

// attributeWrite is one attribute that is to be written.
type attributeWrite struct {
	push    *catalog.AttributePush
	outcome *Pushed
	was     catalog.Attribute
	a       catalog.Attribute // the new state
	added   bool              // the attribute is new; insert sets its key
	misfits []string          // names of stored values that do not fit the new type
	// stored has an element for each of push.Values: the key of the stored value if its name changes, 0 if its name
	// stays or it was merged into another one, newValue if there is no stored value.
	stored []int64
}

const newValue = -1

// decide locks the attributes of the items that differ from their last push, and decides the outcome of each item.
func (b *attributePushes) decide(ctx context.Context) error {
	keys := b.raised.keys()
	for i := range b.items {
		if o := &b.outcomes[i]; o.Outcome != Unchanged && o.Key != 0 {
			keys = append(keys, o.Key)
		}
	}

	locked, err := b.lock(ctx, keys)
	if err != nil {
		return err
	}

	now := b.s.Now().UTC().Truncate(time.Microsecond)
	for i := range b.items {
		w := &attributeWrite{push: &b.items[i], outcome: &b.outcomes[i]}
		if w.outcome.Outcome == Unchanged {
			continue
		}

		if w.added = w.outcome.Key == 0; w.added {
			w.was = catalog.Attribute{ID: id.New[catalog.Attribute](), ExternalID: &w.push.ID, Kind: b.kind,
				FieldType: catalog.Select,
				CreatedAt: now, UpdatedAt: now}
		} else if w.was = locked[w.outcome.Key]; !write.EqualStrings(w.was.ExternalID, &w.push.ID) {
			return ErrOvertaken
		}

		w.apply(b.s)
		b.writes = append(b.writes, w)
	}

	err = b.checkFit(ctx)
	b.writes = slices.DeleteFunc(b.writes, func(w *attributeWrite) bool { return w.outcome.Outcome == Failed })
	return err
}

// apply computes the new state and the outcome of the attribute from the item. It does not look at stored values.
func (w *attributeWrite) apply(s *Pushes) {
	var wrong rule.Violations
	w.a = w.was
	w.a.Apply(catalog.AttributeEdit{Name: w.push.Name, Filterable: w.push.Filterable, FieldType: w.push.FieldType,
		RangeType: w.push.RangeType}, &wrong)
	w.checkValues(&wrong)

	if len(wrong.Fields) > 0 {
		w.outcome.fail(wrong.Fields...)
		return
	}

	w.a.Version++
	w.outcome.Outcome = Created

	if !w.added {
		w.outcome.Outcome = Updated
		w.a.UpdatedAt = s.UpdateTimeAfter(w.was.UpdatedAt)
	}
}

// checkValues adds a violation for each value that breaks a rule or is in both Values and Removed.
func (w *attributeWrite) checkValues(wrong *rule.Violations) {
	removed := make(map[string]bool, len(w.push.Removed))
	for _, r := range w.push.Removed {
		removed[r] = true
	}

	for i, v := range w.push.Values {
		name, _, broken := w.a.ValueName(v.Name)
		externalID, brokenID := rule.ExternalID(v.ID)
		if broken != nil || brokenID != nil {
			at := rule.FieldPath("").Element("values", i)
			wrong.Check(at, "id", brokenID)
			wrong.Check(at, "name", broken)
		}

		w.push.Values[i] = catalog.ValuePush{ID: externalID, Name: name}
		if removed[v.ID] {
			wrong.Add(rule.FieldPath("").Element("values", i).Member("id"), "removed_too",
				"This value is in removed_values too; send it or remove it.")
		}
	}
}

// retyped reports whether the type of a stored attribute changes, so that its values must fit another type.
func (w *attributeWrite) retyped() bool {
	return !w.added && (w.was.FieldType != w.a.FieldType || w.was.RangeType != w.a.RangeType)
}

// mentionedIDs returns the external ids of the values that the item sets or removes.
func (w *attributeWrite) mentionedIDs() map[string]bool {
	ids := make(map[string]bool, len(w.push.Values)+len(w.push.Removed))
	for _, v := range w.push.Values {
		ids[v.ID] = true
	}
	for _, r := range w.push.Removed {
		ids[r] = true
	}
	return ids
}

// checkFit fails items that change a feature's type although stored values that they do not mention do not fit it.
func (b *attributePushes) checkFit(ctx context.Context) error {
	at := map[int64]*attributeWrite{}
	mentioned := map[int64]map[string]bool{}
	for _, w := range b.writes {
		if w.outcome.Outcome != Failed && w.retyped() && w.a.FieldType == catalog.Range {
			at[w.a.Key], mentioned[w.a.Key] = w, w.mentionedIDs()
		}
	}

	err := b.eachValue(ctx, at, func(attributeKey int64, externalID *string, name string) {
		w := at[attributeKey]
		if externalID != nil && mentioned[attributeKey][*externalID] || len(w.misfits) == catalog.MaxMisfits {
			return
		}
		if _, ok := w.a.Number(name); !ok {
			w.misfits = append(w.misfits, fmt.Sprintf("%q", name))
		}
	})

	for _, w := range at {
		if len(w.misfits) == 0 {
			continue
		}
		var wrong rule.Violations
		catalog.AddMisfits(&wrong, &w.a, w.was, w.misfits)
		w.outcome.fail(wrong.Fields...)
	}

	return err
}

// save writes the attributes. It removes values first, then renames and inserts values, for all attributes together.
func (b *attributePushes) save(ctx context.Context) error {
	if len(b.writes) == 0 {
		return b.raised.saveOfAttributes(ctx, b.tx)
	}
	err := write.InOrder(ctx, b.insert, b.compare, b.keepAliased, b.takeTexts, b.dropUnchanged, b.remove,
		b.writeValues, b.retype, b.update)
	if err != nil {
		return err
	}
	if err := b.raised.saveOfAttributes(ctx, b.tx); err != nil {
		return err
	}
	for _, w := range b.writes {
		w.outcome.attributeChanged = true
	}
	return catalog.AnalyzeValues(ctx, b.tx.Unscoped(), b.written)
}

// dropUnchanged removes the writes of items that have all members and would change nothing, such as the items of an
// export.
func (b *attributePushes) dropUnchanged(context.Context) error {
	b.writes = slices.DeleteFunc(b.writes, func(w *attributeWrite) bool {
		same := !w.added && w.push.IsWhole(b.kind) && w.a.Name == w.was.Name && w.a.Filterable == w.was.Filterable &&
			!w.retyped() && !slices.ContainsFunc(w.stored, func(key int64) bool { return key != 0 })
		if same {
			w.outcome.Outcome = Unchanged
		}
		if same && w.push.Version != nil {
			b.raised[w.a.Key] = *w.push.Version
		}
		return same
	})
	return nil
}

// retype converts the stored values that the items do not mention to the new types. It runs statements for each
// attribute, since changing the type of a feature that has values is rare.
func (b *attributePushes) retype(ctx context.Context) error {
	for _, w := range b.writes {
		if w.retyped() {
			if err := catalog.ConvertNumbers(ctx, b.tx, &w.a, w.was); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknownRemoved warns that the i-th value to remove does not exist. This is no error, so that a push can be repeated.
func (w *attributeWrite) unknownRemoved(i int) {
	if len(w.outcome.Warnings) < wire.MaxFields {
		w.outcome.warn(string(rule.FieldPath("removed_values").Index(i)), "unknown_value",
			"This %s has no value with the id %s; it may have been removed before.", w.a.Kind.Noun(), w.push.Removed[i])
	}
}
