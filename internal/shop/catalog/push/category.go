package push

import (
	"bytes"
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// ApplyCategories creates and updates categories as they were pushed. It has the same contract as ApplyProducts.
//
// A parent may be among the items, before or after its children. A reference to a parent that does not exist is stored
// as pending, and the category keeps its parent, or is created at the root.
func (s *Pushes) ApplyCategories(
	ctx context.Context, tx store.Tx, items []catalog.CategoryPush,
) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed categories", len(items))
	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}
	apply := func(items []catalog.CategoryPush) ([]Pushed, error) { return s.applyCategories(ctx, tx, items) }
	push := markedPush[catalog.CategoryPush]{tx: tx, entity: catalog.CategoryEntity, items: items, apply: apply,
		of: func(p *catalog.CategoryPush) markedItem { return markedItem{p.ID, p.Mark, p.Version} }}
	push.deleteOne = func(p *catalog.CategoryPush, o *Pushed) error {
		categoryID, version, err := categoryIDOf(ctx, tx, p.ID)
		if err != nil || o.leaveStale(p.Version, version) {
			return err
		}
		return (&catalog.Categories{Core: s.Core}).Delete(ctx, tx, categoryID, nil)
	}
	return push.run(ctx)
}

// applyCategories applies items without a mark.
func (s *Pushes) applyCategories(ctx context.Context, tx store.Tx, items []catalog.CategoryPush) ([]Pushed, error) {
	b := &categoryPushes{s: s, tx: tx, items: items, at: make(map[string]int, len(items))}
	for i, item := range items {
		b.at[item.ID] = i
	}

	if err := b.find(ctx, b.tx.Dialect().ForKeyShare); err != nil {
		return nil, err
	}

	if b.changed+len(b.raised) > 0 {
		// Lock order, as in lockCategoryEdit: share locks on the rows, then the lock on the tree. The rows are read
		// again, since they may have changed before the tree was locked.
		if err := catalog.RaiseCategoriesVersion(ctx, tx); err != nil {
			return nil, err
		}
		if err := b.find(ctx, ""); err != nil {
			return nil, err
		}
		if err := b.placeAndAddress(ctx); err != nil {
			return nil, err
		}

		if err := b.save(ctx, s.UpdateTimeAfter(b.last)); err != nil {
			return nil, err
		}
	}

	return b.outcomes, b.warnOfPending(ctx)
}

// categoryPushes is one batch of pushed categories and the state of applying it.
type categoryPushes struct {
	s        *Pushes
	tx       store.Tx
	items    []catalog.CategoryPush
	outcomes []Pushed
	at       map[string]int            // indexes of the items by id
	known    map[string]pushedCategory // stored categories among the items and their parents, by external id
	changed  int                       // number of items to apply
	raised   raisedVersions
	last     time.Time // latest update time of the known categories
	tree     pushedTree
	slugs    map[int]*slug.Claim // of the applied items that get a slug
}

// pushedCategory is a category as stored before the push, with the digest of its last push.
type pushedCategory struct {
	key  int64
	id   catalog.CategoryID
	name string
	slug slug.Slug
	seo  seo.Meta
	// description may be empty.
	description string
	pushed      []byte
	// version is the version of the item that was applied last, or nil.
	version *int64
	// parentKey is 0 for a root. PendingParent is the external id of the parent that the category waits for, or nil.
	parentKey     int64
	pendingParent *string
}

// equals reports whether the i-th item has a name and a parent, and differs in nothing from the stored category.
func (b *categoryPushes) equals(i int, c pushedCategory) bool {
	item := b.items[i]
	switch {
	case item.Name == nil || *item.Name != c.name || !item.NamesParent() ||
		item.Slug != nil && *item.Slug != c.slug || item.SEO != nil && *item.SEO != c.seo ||
		item.Description != nil && *item.Description != c.description:
		return false
	case c.pendingParent != nil:
		return item.Parent != nil && *item.Parent == *c.pendingParent
	case item.Root:
		return c.parentKey == 0
	}
	parent, found := b.known[*item.Parent]
	return found && parent.key == c.parentKey
}

// compare sets the outcomes by comparing the items with the stored versions, their last pushes and what is stored. It
// counts the items to apply. placeItems later refuses cycles.
func (b *categoryPushes) compare() {
	b.outcomes = make([]Pushed, len(b.items))
	b.changed = 0
	b.raised = raisedVersions{}
	for i, item := range b.items {
		c, found := b.known[item.ID]
		o := &b.outcomes[i]
		o.Key = c.key
		switch {
		case found && o.leaveStale(item.Version, c.version):
		case found && (bytes.Equal(c.pushed, item.Digest[:]) || b.equals(i, c)):
			o.Outcome = Unchanged
			b.raised.add(c.key, item.Version, c.version)
		case found:
			o.Outcome = Updated
		default:
			o.Outcome = Created
		}

		if b.written(i) {
			b.checkTexts(i, found)
		}

		if b.written(i) {
			b.changed++
		}
	}
}

// checkTexts fails the i-th item if its name, slug, description or texts for search engines break a rule, or
// if it has no name and the category is new.
func (b *categoryPushes) checkTexts(i int, found bool) {
	var wrong rule.Violations
	rule.AssignChecked(&wrong, b.items[i].Slug, b.items[i].Slug, slug.Slug.Normalized, "", "slug")
	rule.AssignChecked(&wrong, b.items[i].SEO, b.items[i].SEO, seo.Meta.Normalized, "", "seo")
	if text := b.items[i].Description; text != nil {
		wrong.Assign(text, text, catalog.Description, "", "description")
	}
	name := b.items[i].Name
	if name != nil {
		wrong.Assign(name, name, rule.Name, "", "name")
	} else if !found {
		wrong.NameRequired("", "category")
	}
	if len(wrong.Fields) > 0 {
		b.outcomes[i].fail(wrong.Fields...)
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
