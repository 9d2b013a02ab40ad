package catalog

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// ErrOvertaken is returned where somebody else changed what a batch was about to change, between our look and our lock: nothing of it may
// be committed, and the batch is to be applied anew.
var ErrOvertaken = errors.New("somebody else changed this at the same time")

// ApplyProducts brings products, all different, to what accounting says, and tells what became of each in their order. An item that breaks
// rules has changed nothing; the others are applied. One that equals what was last pushed is left alone. The number of statements does not
// depend on that of the products. It returns ErrOvertaken, or what the database says; the caller then rolls back. The transaction ends with End.
func (s *Pushes) ApplyProducts(ctx context.Context, tx store.Tx, items []ProductPush) ([]Pushed, error) {
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	b := &productPushes{s: s, tx: tx, items: items, outcomes: make([]Pushed, len(items))}
	for _, step := range []func(context.Context) error{b.find, b.warnOfPending, b.decide, b.save} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return b.outcomes, nil
}

// productPushes is one batch of pushed products on its way into the database.
type productPushes struct {
	s        *Pushes
	tx       store.Tx
	items    []ProductPush
	outcomes []Pushed
	changed  []int // positions of the items that are not as they were last pushed
	images   pushedImages
	writes   []*pushWrite
}

// pushWrite is a product that is written, and what it waits for then.
type pushWrite struct {
	*productWrite
	outcome           *Pushed
	push              *ProductPush
	pendingCategories pendingRefs
	pendingFeatures   pendingRefs
	pendingOptions    []pendingRefs // by variant
	knownOptions      [][]ValueRef  // by variant: what it shall carry of what is there
}

// find tells which items are as they were last pushed.
func (b *productPushes) find(ctx context.Context) error {
	at := make(map[string]int, len(b.items))
	externalIDs := make([]string, len(b.items))
	for i, p := range b.items {
		at[p.ID], externalIDs[i] = i, p.ID
	}
	err := productDigests(ctx, b.tx, externalIDs, func(key int64, externalID string, pushed []byte, archived bool) {
		i := at[externalID]
		b.outcomes[i].Key = key
		if !archived && string(pushed) == string(b.items[i].Digest[:]) {
			b.outcomes[i].Outcome = Unchanged
		}
	})
	for i := range b.items {
		if b.outcomes[i].Outcome != Unchanged {
			b.changed = append(b.changed, i)
		}
	}
	return err
}

// decide locks what the items are about and settles what becomes of each product.
func (b *productPushes) decide(ctx context.Context) error {
	if len(b.changed) == 0 {
		return nil
	}
	items := make([]*ProductPush, len(b.changed))
	var keys []int64
	for n, i := range b.changed {
		items[n] = &b.items[i]
		if key := b.outcomes[i].Key; key != 0 {
			keys = append(keys, key)
		}
	}
	refs, err := lockPushReferences(ctx, b.tx, items)
	if err != nil {
		return err
	}
	if err := b.lockImages(ctx); err != nil {
		return err
	}
	locked, err := lockProducts(ctx, b.tx, keys)
	if err != nil {
		return err
	}
	now := b.s.now().UTC().Truncate(time.Microsecond)
	for _, i := range b.changed {
		w := &pushWrite{push: &b.items[i], outcome: &b.outcomes[i]}
		if key := w.outcome.Key; key == 0 {
			w.productWrite = &productWrite{p: Product{ID: id.New[Product](), CreatedAt: now}, added: true}
		} else if w.productWrite = locked[key]; w.productWrite == nil || !equalStrings(w.p.ExternalID, &w.push.ID) {
			return ErrOvertaken
		}
		w.p.ExternalID, w.pushed = &w.push.ID, &w.push.Digest
		var wrong breaches
		w.apply(refs, &wrong)
		if len(wrong.fields) > 0 {
			w.outcome.fail(wrong.fields...)
			continue
		}
		b.writes = append(b.writes, w)
	}
	return refs.createStocks(ctx, b.s, b.tx, b.writes)
}

// apply makes an edit of what was pushed and decides by it what becomes of the product.
func (w *pushWrite) apply(refs *pushReferences, wrong *breaches) {
	p := w.push
	w.e = ProductEdit{Name: p.Name, Description: p.Description, Modifiers: p.Modifiers}
	w.resolveReferences(refs)
	if p.Variants != nil {
		w.e.Variants = w.variants(refs)
	}
	w.decide(refs.references, wrong)
	if len(wrong.fields) == 0 && w.plan != nil {
		w.plan.checkCombinations(wrong)
	}
	w.p.ArchivedAt = nil // what is pushed is in the shop
}

// resolveReferences finds out what the product refers to, and what of that is not there yet.
func (w *pushWrite) resolveReferences(refs *pushReferences) {
	p := w.push
	if p.Categories != nil {
		var known []CategoryID
		known, w.pendingCategories = refs.categoriesOf(*p.Categories)
		w.e.Categories = &known
	}
	if p.Features != nil {
		var known []ValueRef
		known, w.pendingFeatures = refs.valuesOf(Feature, *p.Features, func(i int, name string) string { return fieldPath("").element("features", i).member(name) })
		w.e.Features = &known
	}
	w.pendingOptions, w.knownOptions = make([]pendingRefs, len(p.variants())), make([][]ValueRef, len(p.variants()))
	for i, v := range p.variants() {
		w.knownOptions[i], w.pendingOptions[i] = refs.valuesOf(Option, orEmpty(v.Options), func(n int, name string) string {
			return fieldPath(p.variantMember(i, "options")).index(n).member(name)
		})
	}
}

// variants makes edits of what was pushed of the variants.
func (w *pushWrite) variants(refs *pushReferences) *[]VariantEdit {
	sent := *w.push.Variants
	edits := make([]VariantEdit, len(sent))
	matched := matchPushedVariants(w.stored, w.push.Single, sent)
	for i, v := range sent {
		e := VariantEdit{Name: v.Name, SKU: v.SKU, Price: v.Price}
		e.ExternalID = &sent[i].ID // a single variant has none
		if was := matched[i]; was != nil {
			e.ID = was.ID
		} else if v.Price == nil {
			e.Price = new(Money)
			w.outcome.Warnings = append(w.outcome.Warnings, fault.Field{Field: w.push.variantMember(i, "price"), Code: "no_price",
				Message: "A new variant came without a price; it is 0 until one is pushed."})
		}
		if v.Options != nil {
			e.Options, e.pending = &w.knownOptions[i], w.pendingOptions[i].refs
		}
		if v.Remainders != nil {
			remainders := make([]RemainderEdit, len(*v.Remainders))
			for n, m := range *v.Remainders {
				remainders[n] = RemainderEdit{refs.stocks[m.Stock].id, m.Quantity}
			}
			e.Remainders = &remainders
		}
		edits[i] = e
	}
	return &edits
}

// save writes the products, what they wait for, and their images.
func (b *productPushes) save(ctx context.Context) error {
	if len(b.writes) == 0 {
		return nil
	}
	ws := &productWrites{tx: b.tx, list: make([]*productWrite, len(b.writes))}
	last := time.Time{}
	for i, w := range b.writes {
		ws.list[i] = w.productWrite
		if w.p.UpdatedAt.After(last) {
			last = w.p.UpdatedAt
		}
	}
	ws.at = b.s.after(last)
	for _, w := range ws.list {
		w.p.Version++
		w.p.UpdatedAt = ws.at
	}
	if err := ws.save(ctx); err != nil {
		if database.IsUniqueViolation(err) || fault.KindOf(err) == fault.Conflict {
			return errors.Join(ErrOvertaken, err)
		}
		return err
	}
	var pending []pendingReference
	for _, w := range b.writes {
		w.setOutcome()
		pending = w.appendPending(pending)
	}
	if err := savePending(ctx, b.tx, pending); err != nil {
		return err
	}
	if err := b.pushImages(ctx, ws.at); err != nil {
		return err
	}
	return b.s.stats.productsWritten(ctx, b.tx.Unscoped(), int64(len(b.writes)))
}

// setOutcome tells what became of the item.
func (w *pushWrite) setOutcome() {
	w.outcome.Outcome, w.outcome.Key, w.outcome.changedProduct = Updated, w.p.Key, w.p.Key
	if w.added {
		w.outcome.Outcome = Created
	}
	w.warn()
}

// warn tells what the product waits for.
func (w *pushWrite) warn() {
	w.outcome.Warnings = append(w.outcome.Warnings, w.pendingCategories.warnings...)
	w.outcome.Warnings = append(w.outcome.Warnings, w.pendingFeatures.warnings...)
	for _, o := range w.pendingOptions {
		w.outcome.Warnings = append(w.outcome.Warnings, o.warnings...)
	}
}

// warnOfPending tells of items that are as they were last pushed what they still wait for, in the words of the first time.
func (b *productPushes) warnOfPending(ctx context.Context) error {
	positions, err := b.unchangedWithPending(ctx)
	if err != nil || len(positions) == 0 {
		return err
	}
	items := make([]*ProductPush, len(positions))
	for n, i := range positions {
		items[n] = &b.items[i]
	}
	refs, err := lockPushReferences(ctx, b.tx, items)
	if err != nil {
		return err
	}
	for n, i := range positions {
		w := &pushWrite{productWrite: &productWrite{}, push: items[n], outcome: &b.outcomes[i]}
		w.resolveReferences(refs)
		w.warn()
	}
	return nil
}

// appendPending appends what the product and its variants wait for.
func (w *pushWrite) appendPending(list []pendingReference) []pendingReference {
	for _, ref := range w.pendingCategories.refs {
		list = append(list, pendingReference{kind: pendingCategory, externalID: ref.Attribute, productKey: w.p.Key})
	}
	for _, ref := range w.pendingFeatures.refs {
		list = append(list, pendingReference{kind: pendingFeature, externalID: ref.Attribute, valueID: ref.Value, productKey: w.p.Key})
	}
	for i, o := range w.pendingOptions {
		p := w.plan.sent[i]
		if p.was != nil && !p.combinationChanged() {
			continue // it waits for the same as before
		}
		for _, ref := range o.refs {
			list = append(list, pendingReference{kind: pendingOption, externalID: ref.Attribute, valueID: ref.Value, variantKey: p.Key})
		}
	}
	return list
}
