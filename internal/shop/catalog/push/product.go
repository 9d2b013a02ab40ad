package push

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ErrOvertaken says that another transaction changed the rows of a batch between the read and the lock. The caller must
// roll back and apply the batch again.
var ErrOvertaken = errors.New("another transaction changed the same rows")

// ApplyProducts creates and updates products as they were pushed, and returns an outcome for each item, in the order of
// items. The ids of the items must be distinct. An item that fails validation changes nothing; the other items are
// applied. An item is skipped as Unchanged if its digest is the same as at the last push, or if it has all members of
// an export and differs in none from what is stored. The number of statements does not depend on the number of items.
// The caller calls End as the last step of the transaction. After an error, such as ErrOvertaken, the caller must roll
// back.
func (s *Pushes) ApplyProducts(ctx context.Context, tx store.Tx, items []catalog.ProductPush) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed products", len(items))
	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}
	b := &productPushes{s: s, tx: tx, items: items, outcomes: make([]Pushed, len(items))}
	leading := leadingMarks(items, func(p *catalog.ProductPush) catalog.Mark { return p.Mark })
	return b.outcomes, write.InOrder(ctx, b.find, b.warnOfPending, b.warnOfUnsellable,
		func(ctx context.Context) error { return b.applyMarks(ctx, 0, leading) }, b.planWrites, b.save,
		func(ctx context.Context) error { return b.applyMarks(ctx, leading, len(items)) },
		func(ctx context.Context) error { return s.deleteEmptyAwaited(ctx, tx, b.lists) })
}

// productPushes is one batch of pushed products and the state of applying it.
type productPushes struct {
	s        *Pushes
	tx       store.Tx
	items    []catalog.ProductPush
	outcomes []Pushed
	changed  []int        // indexes of the items that differ from their last push
	repeated map[int]bool // indexes of the items in changed that equal their last push
	raised   raisedVersions
	images   pushedImages
	writes   []*pushWrite
	lists    map[string]listRow // the price lists of the changed items
	// categoryKeys has the categories that the changed items name.
	categoryKeys map[string]pushedRow
}

// pushWrite is one product that is to be written, with its pending references.
type pushWrite struct {
	*catalog.ProductWrite
	outcome           *Pushed
	push              *catalog.ProductPush
	pendingCategories []catalog.ReferencePush
	pendingFeatures   []catalog.ReferencePush
	pendingOptions    [][]catalog.ReferencePush // by variant
	knownOptions      [][]catalog.ValueRef      // by variant: its option values that exist
	variantsOfPlan    []int                     // by planned variant: its index in the item
	warnings          []fault.Field             // of the pending references
	dropped           productfield.Set          // members of the item that are locked
	differing         []string                  // paths of the dropped members whose values differ from the stored ones
	lockedPrices      catalog.ListPrices        // the stored prices in lists, if they are locked
}

// planWrites locks the rows that the items need and decides the outcome of each item.
func (b *productPushes) planWrites(ctx context.Context) error {
	if len(b.changed)+len(b.raised) == 0 {
		return nil
	}

	var keys []int64
	for _, i := range b.changed {
		if key := b.outcomes[i].Key; key != 0 {
			keys = append(keys, key)
		}
	}

	refs, err := b.lockReferences(ctx, b.changed)
	if err != nil {
		return err
	}
	b.categoryKeys = refs.categories
	if err := b.lockImages(ctx); err != nil {
		return err
	}

	locked, err := catalog.LockProducts(ctx, b.tx, keys, b.raised.keys())
	if err != nil {
		return err
	}
	stored, err := b.readLocked(ctx, locked, refs)
	if err != nil {
		return err
	}

	now := b.s.Now().UTC().Truncate(time.Microsecond)
	for _, i := range b.changed {
		w := &pushWrite{push: &b.items[i], outcome: &b.outcomes[i]}
		if key := w.outcome.Key; key == 0 {
			w.ProductWrite = &catalog.ProductWrite{Product: catalog.Product{ID: id.New[catalog.Product](),
				CreatedAt: now}, Added: true}
		} else if w.ProductWrite = locked[key]; w.ProductWrite == nil ||
			!write.EqualStrings(w.Product.ExternalID, &w.push.ID) {
			return ErrOvertaken
		}

		w.Product.ExternalID = &w.push.ID
		w.SourceVersion = w.push.Version
		w.Pushed = (*catalog.PushMark)(pushMark(w.StoredMark).with(w.push))
		w.dropForeignPrices(refs)
		w.obeyLocks(stored, refs, &b.images)

		if len(imageLists(w.push)) > 0 {
			w.WrittenApart |= productfield.Images
		}

		var wrong rule.Violations
		w.planPush(refs, stored, now, &wrong)
		unchanged := b.repeated[i] || w.leavesNothing() || w.offersNothing()
		if len(wrong.Fields) > 0 && !unchanged {
			w.outcome.fail(wrong.Fields...)
			continue
		}

		w.warnOfLocked()
		if w.push.Part == catalog.WholeProduct && !w.HasVariants() {
			w.outcome.warnOfNoVariants(w.push)
		}

		if unchanged {
			w.outcome.Outcome = Unchanged
			w.outcome.Warnings = append(w.outcome.Warnings, w.warnings...)
			continue
		}

		b.writes = append(b.writes, w)
	}

	if err := b.dropUnchanged(ctx); err != nil {
		return err
	}

	if err := b.chooseSlugs(ctx); err != nil {
		return err
	}

	return refs.createStocks(ctx, b.s, b.tx, b.writes)
}

// chooseSlugs decides which slugs the products get that ask for one, and fails the items whose slugs others have.
func (b *productPushes) chooseSlugs(ctx context.Context) error {
	writes := make([]*catalog.ProductWrite, len(b.writes))
	for i, w := range b.writes {
		writes[i] = w.ProductWrite
	}
	taken, err := catalog.ChooseSlugs(ctx, b.tx, writes)
	if err != nil || len(taken) == 0 {
		return err
	}

	b.writes = slices.DeleteFunc(b.writes, func(w *pushWrite) bool {
		if !slices.Contains(taken, w.ProductWrite) {
			return false
		}
		w.outcome.fail(w.SlugTaken())
		return true
	})
	return nil
}

// planPush converts the item to a ProductEdit, and computes the product's new state from the edit.
func (w *pushWrite) planPush(refs *pushReferences, stored *lockedLists, now time.Time, wrong *rule.Violations) {
	if w.push.Part == catalog.WithdrawnPart {
		w.planWithdrawal()
		return
	}

	w.checkIDs(refs, wrong)
	w.dropPlainOffer()
	p := w.push
	w.Edit = catalog.ProductEdit{Modifiers: p.Modifiers}
	catalog.ProductScalars.CopyPush(&w.Edit, p)
	w.resolveReferences(refs)
	w.planCanonical(refs, stored, wrong)
	if p.Variants != nil {
		w.Edit.Variants = w.variants(refs)
	}

	w.planPart()
	w.PlanWrite(refs.References, wrong)

	if len(wrong.Fields) == 0 && w.Plan != nil {
		if p.Part == catalog.OffersPart {
			w.archivePlainOffer()
			w.separateEqualOffers()
		}
		w.Plan.CheckCombinations(wrong)
	}

	w.planArchived(now)
}

// checkIDs adds the rules that the ids break which the push may create something with: the product, its stocks and its
// price lists. The edit checks the ids of variants.
func (w *pushWrite) checkIDs(refs *pushReferences, wrong *rule.Violations) {
	_, broken := rule.ExternalID(w.push.ID)
	wrong.Check("", "id", broken)
	for i, v := range write.OrEmpty(w.push.Variants) {
		for _, m := range write.OrEmpty(v.Remainders) {
			if _, broken := rule.ExternalID(m.Stock); broken != nil {
				wrong.Check("", w.push.VariantMember(i, "remainders"), broken)
			}
		}

		for _, p := range write.OrEmpty(v.Prices) {
			if _, found := refs.lists[p.List]; found {
				continue
			}
			path := w.push.VariantMember(i, "prices")
			_, broken := rule.ExternalID(p.List)
			switch {
			case broken != nil:
				wrong.Check("", path, broken)
			case !p.Price.IsSet(): // there is no price to remove
			case w.push.Part == catalog.OffersPart:
				w.warnings = append(w.warnings, tooManyAwaited(path, p.List)) // the rest of the good is applied
			default:
				wrong.Fields = append(wrong.Fields, tooManyAwaited(path, p.List))
			}
		}
	}
}

// resolveReferences splits the references of the product into those whose targets exist and pending ones.
func (w *pushWrite) resolveReferences(refs *pushReferences) {
	p := w.push
	if p.Categories != nil {
		var known []catalog.CategoryID
		known, w.pendingCategories = w.splitCategories(refs, *p.Categories)
		w.Edit.Categories = &known
	}

	if p.Features != nil {
		var known []catalog.ValueRef
		known, w.pendingFeatures = w.splitValues(refs, catalog.Feature, *p.Features,
			func() string { return "features" })
		w.Edit.Features = &known
	}

	variants := write.OrEmpty(p.Variants)
	w.pendingOptions = make([][]catalog.ReferencePush, len(variants))
	w.knownOptions = make([][]catalog.ValueRef, len(variants))
	for i, v := range variants {
		if v.Options != nil {
			w.knownOptions[i], w.pendingOptions[i] = w.splitValues(refs, catalog.Option, *v.Options,
				func() string { return p.VariantMember(i, "options") })
		}
	}
	w.warnOfAwaitedLists(refs)
}

// warnOfAwaitedLists warns of prices in lists that were not pushed yet, once of each list.
func (w *pushWrite) warnOfAwaitedLists(refs *pushReferences) {
	warned := map[string]bool{}
	for i, v := range write.OrEmpty(w.push.Variants) {
		for n, p := range write.OrEmpty(v.Prices) {
			if refs.lists[p.List].awaited && p.Price.IsSet() && !warned[p.List] {
				warned[p.List] = true
				path := rule.FieldPath(w.push.VariantMember(i, "prices")).Index(n)
				w.warnings = append(w.warnings, awaitedList(path.Member("price_list_id"), p.List))
			}
		}
	}
}

// variants returns the pushed variants as edits.
func (w *pushWrite) variants(refs *pushReferences) *[]catalog.VariantEdit {
	if !w.push.OwnedMembers().Has(productfield.Variants) {
		return w.ownedOfVariants(refs)
	}

	sent := *w.push.Variants
	edits := make([]catalog.VariantEdit, len(sent))
	matched := matchPushedVariants(w.Stored, w.push.Single, sent)
	for i, v := range sent {
		e := &edits[i]
		w.variantsOfPlan = append(w.variantsOfPlan, i)
		e.ExternalID = &sent[i].ID // empty for a single variant
		if matched[i] != nil {
			w.dropLocked(i, matched[i], &v, refs)
		}

		catalog.VariantScalars.CopyPush(e, &v)
		e.SKU = w.skuOf(v, matched[i])

		if was := matched[i]; was != nil {
			e.ID = was.ID
		} else if v.Price == nil {
			e.Price = new(money.Price)
			w.outcome.warn(w.push.VariantMember(i, "price"), "no_price",
				"A new variant came without a price; it is not for sale until one is pushed.")
		}

		if v.Options != nil {
			e.Options = &w.knownOptions[i]
			e.Pending = w.pendingOptions[i]
		}

		sentRemainders := v.Remainders
		if matched[i] == nil && len(write.OrEmpty(sentRemainders)) == 0 && w.push.EmptyStock != "" &&
			w.push.OwnedMembers().Has(productfield.Remainders) {
			sentRemainders = &[]catalog.StockedPush{{Stock: w.push.EmptyStock}}
		}

		e.Remainders = refs.remainderEdits(sentRemainders)
		e.Prices = refs.priceEdits(v.Prices)
	}

	if w.push.KeepVariants {
		edits = w.appendOthers(edits)
	}
	return &edits
}

// appendOthers appends edits that leave the other live variants of the product as they are.
func (w *pushWrite) appendOthers(edits []catalog.VariantEdit) []catalog.VariantEdit {
	edited := make(map[catalog.VariantID]bool, len(edits))
	for i := range edits {
		edited[edits[i].ID] = true
	}
	for i := range w.Stored {
		if v := &w.Stored[i]; v.Live() && !edited[v.ID] {
			edits = append(edits, catalog.VariantEdit{ID: v.ID})
		}
	}
	return edits
}

// ownedOfVariants returns the edits of a push whose token writes members of variants, such as prices, but not the
// variants themselves: it neither creates nor restores nor archives any.
func (w *pushWrite) ownedOfVariants(refs *pushReferences) *[]catalog.VariantEdit {
	sent := *w.push.Variants
	w.pendingOptions, w.knownOptions = nil, nil
	edits := make([]catalog.VariantEdit, 0, len(w.Stored))

	for i, was := range matchPushedVariants(w.Stored, w.push.Single, sent) {
		if was == nil || !was.Live() {
			w.outcome.NotOwned |= productfield.Variants
			continue
		}
		v := sent[i]
		w.dropLocked(i, was, &v, refs)
		e := catalog.VariantEdit{ID: was.ID, Remainders: refs.remainderEdits(v.Remainders),
			Prices: refs.priceEdits(v.Prices)}
		catalog.VariantScalars.CopyPush(&e, &v)
		edits = append(edits, e)
		w.variantsOfPlan = append(w.variantsOfPlan, i)
	}

	edits = w.appendOthers(edits)
	return &edits
}

// save writes the products, their pending references and their images.
func (b *productPushes) save(ctx context.Context) error {
	if err := b.raised.saveOfProducts(ctx, b.tx); err != nil || len(b.writes) == 0 {
		return err
	}

	var takenLater []int64
	ws := &catalog.ProductWrites{Tx: b.tx, List: make([]*catalog.ProductWrite, len(b.writes))}
	ws.ReadTaken = func(ctx context.Context, variantKeys []int64) (taken catalog.Quantities, err error) {
		taken, takenLater, err = b.s.readTaken(ctx, b.tx, b.freeStock(), variantKeys)
		return taken, err
	}
	ws.CategoryKey = func(externalID string) int64 { return b.categoryKeys[externalID].key }
	var last time.Time

	for i, w := range b.writes {
		ws.List[i] = w.ProductWrite
		last = write.LaterTime(last, w.Product.UpdatedAt)
	}

	ws.Time = b.s.UpdateTimeAfter(last)
	for _, w := range ws.List {
		w.Product.Version++
		w.Product.UpdatedAt = ws.Time
	}

	since, err := b.pendingSince(ctx)
	if err != nil {
		return err
	}

	if err := ws.Save(ctx); err != nil {
		if database.IsUniqueViolation(err) || fault.KindOf(err) == fault.Conflict ||
			errors.Is(err, catalog.ErrSlugTaken) {
			return errors.Join(ErrOvertaken, err)
		}
		return err
	}

	// The same quantities will mean something else when accounting sends them again, which knows of more orders now.
	if err := catalog.ForgetPushedQuantities(ctx, b.tx, takenLater); err != nil {
		return err
	}

	var pending []catalog.PendingReference
	for _, w := range b.writes {
		w.outcome.Outcome, w.outcome.Key, w.outcome.changedProduct = Updated, w.Product.Key, w.Product.Key
		w.outcome.pricesOnly = w.PricesOnly()
		if w.Added {
			w.outcome.Outcome = Created
		}
		w.outcome.Warnings = append(w.outcome.Warnings, w.warnings...)
		pending = w.appendPending(pending)
	}

	if err := catalog.SavePending(ctx, b.tx, pending, since, ws.Time); err != nil {
		return err
	}
	if err := b.pushImages(ctx, ws.Time); err != nil {
		return err
	}

	return b.s.Analyzer.ProductsWritten(ctx, b.tx.Unscoped(), int64(len(b.writes)))
}

// freeStock returns the FreeStock of the items, which all items with remainders share, or nil.
func (b *productPushes) freeStock() *catalog.FreeStock {
	for i := range b.items {
		if free := b.items[i].Free; free != nil {
			return free
		}
	}
	return nil
}

// warnOfPending repeats, for Unchanged items, the warnings about references that are still pending.
func (b *productPushes) warnOfPending(ctx context.Context) error {
	positions, err := b.unchangedWithPending(ctx)
	if err != nil {
		return err
	}
	priced, err := b.unchangedWithAwaited(ctx)
	if err != nil {
		return err
	}

	positions = slices.Compact(slices.Sorted(slices.Values(append(positions, priced...))))
	if len(positions) == 0 {
		return nil
	}
	refs, err := b.lockReferences(ctx, positions)
	if err != nil {
		return err
	}
	for _, i := range positions {
		w := &pushWrite{ProductWrite: &catalog.ProductWrite{}, push: &b.items[i]}
		w.resolveReferences(refs)
		b.outcomes[i].Warnings = w.warnings
	}
	return nil
}

// unchangedWithAwaited returns the indexes of the Unchanged items with prices in lists, if the store awaits lists.
func (b *productPushes) unchangedWithAwaited(ctx context.Context) (positions []int, err error) {
	for i := range b.outcomes {
		o := &b.outcomes[i]
		if o.Outcome == Unchanged && !o.Stale && slices.ContainsFunc(write.OrEmpty(b.items[i].Variants),
			func(v catalog.VariantPush) bool { return v.Prices != nil }) {
			positions = append(positions, i)
		}
	}
	if len(positions) == 0 {
		return nil, nil
	}

	awaited, err := countAwaitedLists(ctx, b.tx)
	if awaited == 0 {
		return nil, err
	}
	return positions, err
}

// warnOfNoVariants adds the warning that nobody can buy the product.
func (p *Pushed) warnOfNoVariants(push *catalog.ProductPush) {
	hint := "Send variants, or single_variant: true with variant_price."
	if n := len(push.Misplaced); n > 0 {
		advice := " belongs to a variant: put it into variants, "
		if n > 1 {
			advice = " belong to a variant: put them into variants, "
		}
		hint = strings.Join(push.Misplaced, " and ") + advice + "or send single_variant: true with variant_" +
			strings.Join(push.Misplaced, " and variant_") + "."
	}
	p.warn("variants", "no_variants", "The product has no variant, so nobody can buy it. %s", hint)
}

// pendingSince returns since when the targets of the pending references are referred to.
func (b *productPushes) pendingSince(ctx context.Context) (catalog.PendingTimes, error) {
	targets := map[catalog.PendingReference]bool{}
	add := func(kind catalog.PendingKind, refs []catalog.ReferencePush) {
		for _, ref := range refs {
			targets[catalog.PendingReference{Kind: kind, Ref: ref}] = true
		}
	}
	for _, w := range b.writes {
		add(catalog.PendingCategory, w.pendingCategories)
		add(catalog.PendingFeature, w.pendingFeatures)
		for _, refs := range w.pendingOptions {
			add(catalog.PendingOption, refs)
		}
	}
	return catalog.PendingSince(ctx, b.tx, targets)
}

// appendPending appends the pending references of the product and its variants to list.
func (w *pushWrite) appendPending(list []catalog.PendingReference) []catalog.PendingReference {
	add := func(kind catalog.PendingKind, owner int64, refs []catalog.ReferencePush) {
		for _, ref := range refs {
			list = append(list, catalog.PendingReference{Kind: kind, Ref: ref, Owner: owner})
		}
	}
	for _, ref := range w.pendingCategories {
		list = append(list, catalog.PendingReference{Kind: catalog.PendingCategory, Ref: ref, Owner: w.Product.Key,
			Canonical: ref.Attribute == w.AwaitedCanonical})
	}

	add(catalog.PendingFeature, w.Product.Key, w.pendingFeatures)
	for i, refs := range w.pendingOptions {
		// If the combination stays, the stored pending references of the variant stay, too.
		if p := w.Plan.Sent[i]; p.Before == nil || p.CombinationChanged() {
			add(catalog.PendingOption, p.Key, refs)
		}
	}
	return list
}
