package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const (
	// maxLinksPerTx limits the references that one transaction links, and the referenced values that it looks up. A
	// transaction at this limit takes a few hundred milliseconds.
	maxLinksPerTx = 2000
	// maxArrivalsPerTx limits the attributes or categories that one transaction looks up.
	maxArrivalsPerTx = 200
)

// pendingArrival is an attribute or a category that may have been created since references to it became pending.
type pendingArrival struct {
	externalID string
	key        int64  // 0 if it is not known to exist
	after      string // for an attribute: the last referenced value that was looked up
}

// pendingTarget is an existing value or category that pending references refer to.
type pendingTarget struct {
	externalID, valueID string
	ValueKeys                 // for a category, attribute is its key and value is 0
	after               int64 // key of its last reference that was linked
}

// canonicalLink is the value of a link to a category that is to be the canonical one of its product. That of others is
// 0.
const canonicalLink = 1

// pendingRow is a pending reference to an existing target. owner is the key of the referring object.
type pendingRow struct {
	key, owner int64
	target     int // index in linkProgress.targets
	ValueKeys
}

// linkProgress is the state of linking between two transactions. It has the positions at which the next scans of the
// index start. If a scan started at the beginning of the index, PostgreSQL would read all entries that were deleted
// since and that an old snapshot still protects.
type linkProgress struct {
	arrived []pendingArrival // still to be looked up
	targets []pendingTarget  // found; more references to them may be pending
}

func (p linkProgress) done() bool { return len(p.arrived) == 0 && len(p.targets) == 0 }

// LinkAttributes links the pending references to the options or features with these external ids, and to their values,
// and returns the number of references linked. If a variant now has another value of the option, its reference is
// deleted instead. Linking completes the last push of a product, so the product's version grows, but the digest of that
// push stays. LinkAttributes uses transactions of its own and can be repeated after an error.
func (s *Links) LinkAttributes(
	ctx context.Context, db *database.DB, storeID store.ID, kind Kind, externalIDs []string,
) (linked int64, err error) {
	defer fault.AddContext(&err, "link references to %ss", kind)
	run := &pendingLinkRun{s: s, db: db, storeID: storeID, kind: pendingKindOf(kind)}
	err = run.linkArrived(ctx, externalIDs)
	return run.linked, err
}

// LinkCategories is like LinkAttributes, for the pending references of products and child categories to categories. A
// reference to a parent is deleted instead if the link would close a cycle.
func (s *Links) LinkCategories(
	ctx context.Context, db *database.DB, storeID store.ID, externalIDs []string,
) (linked int64, err error) {
	defer fault.AddContext(&err, "link references to categories")
	run := &pendingLinkRun{s: s, db: db, storeID: storeID}
	for _, kind := range []PendingKind{PendingParent, PendingCategory} {
		run.kind = kind
		if err := run.linkArrived(ctx, externalIDs); err != nil {
			return run.linked, err
		}
	}
	return run.linked, nil
}

// LinkAll links, in all stores, the pending references whose targets exist. A crash between the creation of a target
// and the linking leaves such references.
func (s *Links) LinkAll(ctx context.Context, db *database.DB) (linked int64, err error) {
	defer fault.AddContext(&err, "link references in all stores")

	var stores []store.ID
	err = db.Read(ctx, func(q database.Querier) (err error) {
		stores, err = storesWithPending(ctx, q)
		return err
	})
	if err != nil {
		return 0, err
	}

	run := &pendingLinkRun{s: s, db: db}
	for _, storeID := range stores {
		for _, kind := range []PendingKind{PendingOption, PendingFeature, PendingParent, PendingCategory} {
			run.storeID, run.kind = storeID, kind
			if err := run.linkAllReferenced(ctx); err != nil {
				return run.linked, err
			}
		}
	}

	return run.linked, nil
}

// pendingLinkRun links pending references of one kind and one store, one chunk in each transaction.
type pendingLinkRun struct {
	s       *Links
	db      *database.DB
	storeID store.ID
	kind    PendingKind
	linked  int64 // number of references linked
}

// linkAllReferenced links all pending references whose targets exist.
func (r *pendingLinkRun) linkAllReferenced(ctx context.Context) error {
	for after, more := "", true; more; {
		var names []string
		err := r.db.Read(ctx, func(q database.Querier) (err error) {
			names, err = referencedIDsAfter(ctx, store.In(q, r.storeID), r.kind, after)
			return err
		})
		if err != nil || len(names) == 0 {
			return err
		}
		if err := r.linkExternalIDs(ctx, names); err != nil {
			return err
		}

		after = names[len(names)-1]
		more = len(names) == maxArrivalsPerTx
	}

	return nil
}

// linkArrived links the pending references to those attributes or categories with these external ids that exist.
func (r *pendingLinkRun) linkArrived(ctx context.Context, externalIDs []string) error {
	var names []string
	err := r.db.Read(ctx, func(q database.Querier) (err error) {
		names, err = referencedIDs(ctx, store.In(q, r.storeID), r.kind, externalIDs)
		return err
	})
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(names, maxArrivalsPerTx) {
		if err := r.linkExternalIDs(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// linkExternalIDs is like linkArrived, for at most maxArrivalsPerTx external ids that pending references refer to.
func (r *pendingLinkRun) linkExternalIDs(ctx context.Context, externalIDs []string) error {
	rest := linkProgress{arrived: make([]pendingArrival, len(externalIDs))}
	for i, e := range externalIDs {
		rest.arrived[i].externalID = e
	}

	for !rest.done() {
		var next linkProgress
		var l *pendingLinker

		err := r.db.WriteAlone(ctx, func(q database.Querier) (err error) {
			l = &pendingLinker{tx: store.In(q, r.storeID), kind: r.kind}
			if err := LockPushes(ctx, l.tx); err != nil {
				return err
			}

			if next, err = l.resume(ctx, rest); err != nil {
				return err
			}
			if next, err = l.linkChunk(ctx, next); err != nil {
				return err
			}

			return r.s.RecordChangedProducts(ctx, l.tx, l.products)
		})
		if err != nil {
			return err
		}

		r.linked += l.linked
		rest = next
	}

	return nil
}

// pendingLinker links pending references of one kind in the caller's transaction, which has called LockPushes.
type pendingLinker struct {
	tx       store.Tx
	kind     PendingKind
	linked   int64
	products ChangedProducts
}

// linksValues reports whether the references are to values of attributes.
func (l *pendingLinker) linksValues() bool {
	return l.kind == PendingOption || l.kind == PendingFeature
}

// linkAll links all pending references to a locked attribute or category. The caller then records l.products.
func (l *pendingLinker) linkAll(ctx context.Context, a pendingArrival) (err error) {
	for rest := (linkProgress{arrived: []pendingArrival{a}}); !rest.done() && err == nil; {
		rest, err = l.linkChunk(ctx, rest)
	}
	return err
}

// resume prepares the next transaction: it locks the attributes or categories of p again, and drops deleted ones.
func (l *pendingLinker) resume(ctx context.Context, p linkProgress) (now linkProgress, err error) {
	named := map[string]bool{}
	for _, a := range p.arrived {
		named[a.externalID] = true
	}

	for _, t := range p.targets {
		named[t.externalID] = true
	}

	keys, err := l.lockTargets(ctx, write.SortedStrings(named))
	if err != nil {
		return now, err
	}

	for _, a := range p.arrived {
		if a.key = keys[a.externalID]; a.key != 0 {
			now.arrived = append(now.arrived, a)
		}
	}

	for _, t := range p.targets {
		if t.Attribute = keys[t.externalID]; t.Attribute != 0 {
			now.targets = append(now.targets, t)
		}
	}

	if l.linksValues() {
		now.targets, err = l.existingValues(ctx, now.targets)
	}

	return now, err
}

// linkChunk links at most maxLinksPerTx references to locked targets, and returns the new progress.
func (l *pendingLinker) linkChunk(ctx context.Context, p linkProgress) (linkProgress, error) {
	if len(p.targets) == 0 {
		var err error
		if p, err = l.findTargets(ctx, p.arrived); err != nil || len(p.targets) == 0 {
			return p, err
		}
	}

	rows, err := l.pendingRowsFor(ctx, p.targets)
	if err != nil {
		return p, err
	}

	for _, row := range rows {
		t := &p.targets[row.target]
		t.after = max(t.after, row.key)
	}

	if len(rows) < maxLinksPerTx {
		p.targets = nil
	}

	if l.kind == PendingParent {
		return p, l.linkParents(ctx, rows)
	}

	return p, l.linkOwners(ctx, rows)
}

// findTargets returns the existing targets: the referenced values of the arrived attributes, or the arrived categories.
func (l *pendingLinker) findTargets(ctx context.Context, arrived []pendingArrival) (p linkProgress, err error) {
	if l.linksValues() {
		return l.referencedValues(ctx, arrived)
	}
	for _, a := range arrived {
		p.targets = append(p.targets, pendingTarget{externalID: a.externalID, ValueKeys: ValueKeys{Attribute: a.key}})
	}
	return p, nil
}

// linkOwners links products to categories and feature values, and variants to option values.
func (l *pendingLinker) linkOwners(ctx context.Context, rows []pendingRow) (err error) {
	var productOf map[int64]int64 // by variant key
	products := pendingOwners(rows)
	if l.kind == PendingOption {
		if productOf, err = productsOfVariants(ctx, l.tx, products); err != nil {
			return err
		}
		products = slices.Collect(maps.Values(productOf))
	}

	if err := lockProductRows(ctx, l.tx, products, func(int64, *int64) {}); err != nil {
		return err
	}
	if _, err := RemoveHiddenLinks(ctx, l.tx, products); err != nil {
		return err
	}
	if rows, err = l.deletePending(ctx, rows); err != nil {
		return err
	}

	changed, err := l.insertLinks(ctx, rows)
	if err != nil {
		return err
	}

	if l.kind == PendingOption {
		if err := updateCombinations(ctx, l.tx, pendingOwners(rows)); err != nil {
			return err
		}
		for i, variant := range changed {
			changed[i] = productOf[variant]
		}
	}

	return l.raiseVersions(ctx, changed)
}

// linkParents moves categories under their parents, one after another, so that only a link that would close a cycle is
// dropped. Lock order, as in lockCategoryEdit: share locks on the rows, then the lock on the tree.
func (l *pendingLinker) linkParents(ctx context.Context, rows []pendingRow) error {
	if len(rows) == 0 {
		return nil
	}
	if err := l.shareLockCategories(ctx, pendingOwners(rows)); err != nil {
		return err
	}
	if err := RaiseCategoriesVersion(ctx, l.tx); err != nil {
		return err
	}

	rows, err := l.deletePending(ctx, rows)
	if err != nil {
		return err
	}

	named := make(map[int64]bool, len(rows))
	for _, row := range rows {
		named[row.owner], named[row.Attribute] = true, true
	}

	above, err := AncestorsOf(ctx, l.tx, write.SortedKeys(named))
	if err != nil {
		return err
	}

	placed := map[int64]int64{}
	for _, row := range rows {
		at := row.Attribute
		for at != 0 && at != row.owner {
			at = above[at]
		}
		if at == 0 {
			above[row.owner], placed[row.owner] = row.Attribute, row.Attribute
		}
	}

	return l.setParents(ctx, placed)
}

// pendingOwners returns the distinct owners of the rows, sorted by key.
func pendingOwners(rows []pendingRow) []int64 {
	keys := make([]int64, len(rows))
	for i, row := range rows {
		keys[i] = row.owner
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
