package catalog

import (
	"bytes"
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// CategoryPush is a pushed category, identified by the accounting system's id. A nil member keeps the stored value.
type CategoryPush struct {
	ID     string
	Digest Digest
	Name   *string
	Parent *string
	Root   bool // moves the category to the root; Parent is nil then
}

// namesParent reports whether the item sets the category's parent or moves the category to the root.
func (p *CategoryPush) namesParent() bool { return p.Parent != nil || p.Root }

// ApplyCategories creates and updates categories as they were pushed. It has the same contract as ApplyProducts.
//
// A parent may be among the items, before or after its children. A reference to a parent that does not exist is stored
// as pending, and the category keeps its parent, or is created at the root.
func (s *Pushes) ApplyCategories(ctx context.Context, tx store.Tx, items []CategoryPush) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed categories", len(items))
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	b := &categoryPushes{tx: tx, items: items, at: make(map[string]int, len(items))}
	for i, item := range items {
		b.at[item.ID] = i
	}
	if err := b.find(ctx, b.tx.Dialect().ForKeyShare); err != nil {
		return nil, err
	}
	if b.changed > 0 {
		// Lock order, as in lockCategoryEdit: share locks on the rows, then the lock on the tree. The rows are read
		// again, since they may have changed before the tree was locked.
		if err := raiseCategoriesVersion(ctx, tx); err != nil {
			return nil, err
		}
		if err := b.find(ctx, ""); err != nil {
			return nil, err
		}
		if err := b.placeItems(ctx); err != nil {
			return nil, err
		}
		if err := b.save(ctx, s.updateTimeAfter(b.last)); err != nil {
			return nil, err
		}
	}
	return b.outcomes, b.warnOfPending(ctx)
}

// categoryPushes is one batch of pushed categories and the state of applying it.
type categoryPushes struct {
	tx       store.Tx
	items    []CategoryPush
	outcomes []Pushed
	at       map[string]int            // indexes of the items by id
	known    map[string]pushedCategory // stored categories among the items and their parents, by external id
	changed  int                       // number of items to apply
	last     time.Time                 // latest update time of the known categories
	tree     pushedTree
}

// pushedCategory is a category as stored before the push, with the digest of its last push.
type pushedCategory struct {
	key    int64
	name   string
	pushed []byte
}

// compare sets the outcomes by comparing digests, and counts the items to apply. placeItems later refuses cycles.
func (b *categoryPushes) compare() {
	b.outcomes, b.changed = make([]Pushed, len(b.items)), 0
	for i, item := range b.items {
		c, found := b.known[item.ID]
		o := &b.outcomes[i]
		o.Key = c.key
		switch {
		case found && bytes.Equal(c.pushed, item.Digest[:]):
			o.Outcome = Unchanged
		case found:
			o.Outcome = Updated
		case item.Name == nil:
			var wrong violations
			wrong.nameRequired("category")
			o.fail(wrong.fields...)
		default:
			o.Outcome = Created
		}
		if b.written(i) {
			b.changed++
		}
	}
}

// parentPending reports whether the i-th item is applied and its parent is neither stored nor an applied item.
func (b *categoryPushes) parentPending(i int) bool {
	return b.items[i].Parent != nil && b.written(i) && b.nodeOf(*b.items[i].Parent) == 0
}

// written reports whether the i-th item is applied.
func (b *categoryPushes) written(i int) bool {
	return b.outcomes[i].Outcome == Created || b.outcomes[i].Outcome == Updated
}

// warnOfParent adds the warning that the reference to a parent is pending.
func (p *Pushed) warnOfParent(externalID string) {
	p.warn("parent_id", "unknown_parent", "There is no category with the id %s yet."+isKept, externalID)
}
