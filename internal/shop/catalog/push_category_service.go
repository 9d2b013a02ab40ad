package catalog

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// CategoryPush is what accounting says of a category. Members that are nil stay as they are.
type CategoryPush struct {
	ID     string
	Digest Digest
	Name   *string
	Parent *string
	Root   bool // takes it from under its parent; Parent is nil then
}

// namesParent reports whether the item says where in the tree the category is.
func (p *CategoryPush) namesParent() bool { return p.Parent != nil || p.Root }

// ApplyCategories brings categories, all different, to what accounting says, and tells what became of each in their order. An item that
// breaks rules has changed nothing; the others are applied. One that equals what was last pushed is left alone. A parent may be among the
// items, before or behind its children; one that is not there yet is waited for, and its children stay where they are, new ones at the
// root. The number of statements does not depend on that of the categories.
func (s *Pushes) ApplyCategories(ctx context.Context, tx store.Tx, items []CategoryPush) ([]Pushed, error) {
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	b := &categoryPushes{tx: tx, items: items, at: make(map[string]int, len(items))}
	for i, item := range items {
		b.at[item.ID] = i
	}
	if err := b.find(ctx, forKeyShare); err != nil {
		return nil, err
	}
	if b.changed > 0 {
		// The rows are shared before the tree is held, as lockCategoryTree does. What they say is settled only then.
		if err := raiseCategoriesVersion(ctx, tx); err != nil {
			return nil, err
		}
		if err := b.find(ctx, unlocked); err != nil {
			return nil, err
		}
		if err := b.placeItems(ctx); err != nil {
			return nil, err
		}
		if err := b.save(ctx, s.after(b.last)); err != nil {
			return nil, err
		}
	}
	return b.outcomes, b.warnOfPending(ctx)
}

// categoryPushes is one batch of pushed categories on its way into the database.
type categoryPushes struct {
	tx       store.Tx
	items    []CategoryPush
	outcomes []Pushed
	at       map[string]int            // positions of the items by their ids
	known    map[string]pushedCategory // those of the items and of their parents that the store has, by external id
	changed  int                       // how many items are to be applied
	last     time.Time                 // when one of the known was last written
	tree     pushedTree
}

// pushedCategory is a category as it is before a push, and what was last pushed of it.
type pushedCategory struct {
	key    int64
	name   string
	pushed []byte
}

// compare tells which items are as they were last pushed and which are to be applied, wherever that puts them.
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
			var wrong breaches
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

// parentPending reports whether the i-th item names a parent that is not there yet, neither in the store nor with the items.
func (b *categoryPushes) parentPending(i int) bool {
	return b.items[i].Parent != nil && b.written(i) && b.nodeOf(*b.items[i].Parent) == 0
}

// written reports whether the i-th item is applied.
func (b *categoryPushes) written(i int) bool {
	return b.outcomes[i].Outcome == Created || b.outcomes[i].Outcome == Updated
}

// unknownParent is the warning about a parent that is waited for.
func unknownParent(externalID string) fault.Field {
	return fault.Field{Field: "parent_id", Code: "unknown_parent", Message: fmt.Sprintf(
		"There is no category with the id %s yet. The reference is kept, and is linked by itself when it arrives.", externalID)}
}
