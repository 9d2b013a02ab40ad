package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// maxLinksPerTx is how many references are linked in one transaction, and how many wanted values are looked at: some hundred milliseconds.
	maxLinksPerTx = 2000
	// maxArrivalsPerTx is how many attributes or categories they belong to.
	maxArrivalsPerTx = 200
)

// arrival is an attribute or a category that references may have waited for.
type arrival struct {
	externalID string
	key        int64  // 0 where it is not known to be there
	after      string // of an attribute, the last of its wanted values that was looked at
}

// target is something that is there now and that references wait for: a value of an attribute, or a category.
type target struct {
	externalID, valueID string
	valueKeys                 // value is 0 for a category, whose key is that of the attribute
	after               int64 // the last of its references that was linked
}

// pendingRow is a reference that can be linked: owner is the product, the variant or the category that waits.
type pendingRow struct {
	key, owner int64
	target     int // its position in the list
	valueKeys
}

// linkProgress is how far linking has come. What is behind it is never looked at again: PostgreSQL would walk over all that was deleted
// there, as long as anybody's snapshot shows that.
type linkProgress struct {
	arrived []arrival // still to be looked at
	targets []target  // looked at and there; more may wait for them
}

func (p linkProgress) done() bool { return len(p.arrived) == 0 && len(p.targets) == 0 }

// LinkAttributes links what waited for options or features, those with these external ids, and for their values, and returns how many
// references that were. A value that a variant can have no more, since it got another of that option meanwhile, is waited for no more
// either. The products are changed, which is what their push asked for: it need not be applied again. It works in transactions of its own;
// to repeat it after a failure does no harm.
func (s *Pushes) LinkAttributes(ctx context.Context, db *database.DB, storeID store.ID, kind Kind, externalIDs []string) (linked int64, err error) {
	return s.linkArrived(ctx, db, storeID, pendingKindOf(kind), externalIDs)
}

// LinkCategories links what waited for the categories with these external ids: products, and categories that they are the parents of. A
// parent that would make a ring is waited for no more. It is as LinkAttributes otherwise.
func (s *Pushes) LinkCategories(ctx context.Context, db *database.DB, storeID store.ID, externalIDs []string) (linked int64, err error) {
	for _, kind := range []pendingKind{pendingParent, pendingCategory} {
		n, err := s.linkArrived(ctx, db, storeID, kind, externalIDs)
		linked += n
		if err != nil {
			return linked, err
		}
	}
	return linked, nil
}

// LinkAll links in all stores whatever waits for things that are there: those that arrived before a crash, which kept them from being linked.
func (s *Pushes) LinkAll(ctx context.Context, db *database.DB) (linked int64, err error) {
	var stores []store.ID
	err = db.Read(ctx, func(q database.Querier) (err error) {
		stores, err = storesWithPending(ctx, q)
		return err
	})
	for _, storeID := range stores {
		for _, kind := range []pendingKind{pendingOption, pendingFeature, pendingParent, pendingCategory} {
			if err != nil {
				return linked, err
			}
			var n int64
			n, err = s.linkAllWanted(ctx, db, storeID, kind)
			linked += n
		}
	}
	return linked, err
}

// linkAllWanted is linkArrived for all that anything waits for.
func (s *Pushes) linkAllWanted(ctx context.Context, db *database.DB, storeID store.ID, kind pendingKind) (linked int64, err error) {
	for after, more := "", true; more; {
		var names []string
		err := db.Read(ctx, func(q database.Querier) (err error) {
			names, err = wantedIDsAfter(ctx, store.In(q, storeID), kind, after, maxArrivalsPerTx)
			return err
		})
		if err != nil {
			return linked, err
		}
		if more = len(names) == maxArrivalsPerTx; more {
			after = names[len(names)-1]
		}
		n, err := s.linkExternalIDs(ctx, db, storeID, kind, names)
		linked += n
		if err != nil {
			return linked, err
		}
	}
	return linked, nil
}

// linkArrived links what waited for things with these external ids, as far as they are there.
func (s *Pushes) linkArrived(ctx context.Context, db *database.DB, storeID store.ID, kind pendingKind, externalIDs []string) (linked int64, err error) {
	var names []string
	err = db.Read(ctx, func(q database.Querier) (err error) {
		names, err = wantedIDs(ctx, store.In(q, storeID), kind, externalIDs)
		return err
	})
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(names, maxArrivalsPerTx) {
		n, err := s.linkExternalIDs(ctx, db, storeID, kind, chunk)
		linked += n
		if err != nil {
			return linked, err
		}
	}
	return linked, nil
}

// linkExternalIDs links what waits for things with these external ids, at most maxArrivalsPerTx of them, a piece in each transaction.
func (s *Pushes) linkExternalIDs(ctx context.Context, db *database.DB, storeID store.ID, kind pendingKind, externalIDs []string) (linked int64, err error) {
	rest := linkProgress{arrived: make([]arrival, len(externalIDs))}
	for i, e := range externalIDs {
		rest.arrived[i].externalID = e
	}
	for !rest.done() {
		var next linkProgress
		var n int64
		err := db.WriteAlone(ctx, func(q database.Querier) (err error) {
			if err := lockPushes(ctx, store.In(q, storeID)); err != nil {
				return err
			}
			l := &linker{tx: store.In(q, storeID), kind: kind}
			if next, err = l.resume(ctx, rest); err != nil {
				return err
			}
			if next, err = l.linkChunk(ctx, next); err != nil {
				return err
			}
			n = l.linked
			return s.recordChangedProducts(ctx, store.In(q, storeID), l.products)
		})
		if err != nil {
			return linked, err
		}
		linked, rest = linked+n, next
	}
	return linked, nil
}

// linker links references of one kind in the caller's transaction, which has locked the pushes.
type linker struct {
	tx       store.Tx
	kind     pendingKind
	linked   int64
	products changedProducts
}

// linksValues reports whether the references are to values of attributes.
func (l *linker) linksValues() bool { return l.kind == pendingOption || l.kind == pendingFeature }

// linkAll links whatever waits for something that is there and that the caller has locked. The caller tells of the products then.
func (l *linker) linkAll(ctx context.Context, a arrival) (err error) {
	for rest := (linkProgress{arrived: []arrival{a}}); !rest.done() && err == nil; {
		rest, err = l.linkChunk(ctx, rest)
	}
	return err
}

// resume takes up what an earlier transaction has left: it locks the things anew, and leaves out those that are not there.
func (l *linker) resume(ctx context.Context, p linkProgress) (now linkProgress, err error) {
	named := map[string]bool{}
	for _, a := range p.arrived {
		named[a.externalID] = true
	}
	for _, t := range p.targets {
		named[t.externalID] = true
	}
	keys, err := l.lockTargets(ctx, sortedStrings(named))
	if err != nil {
		return now, err
	}
	for _, a := range p.arrived {
		if a.key = keys[a.externalID]; a.key != 0 {
			now.arrived = append(now.arrived, a)
		}
	}
	for _, t := range p.targets {
		if t.attribute = keys[t.externalID]; t.attribute != 0 {
			now.targets = append(now.targets, t)
		}
	}
	if l.linksValues() {
		now.targets, err = l.existingValues(ctx, now.targets)
	}
	return now, err
}

// linkChunk links at most maxLinksPerTx references to things that are locked, and returns how far that came.
func (l *linker) linkChunk(ctx context.Context, p linkProgress) (linkProgress, error) {
	if len(p.targets) == 0 {
		var err error
		if p, err = l.findTargets(ctx, p.arrived); err != nil || len(p.targets) == 0 {
			return p, err
		}
	}
	rows, err := pendingFor(ctx, l.tx, l.kind, p.targets, maxLinksPerTx)
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
	switch l.kind {
	case pendingParent:
		err = l.linkParents(ctx, rows)
	case pendingOption:
		err = l.linkOptions(ctx, rows)
	case pendingFeature, pendingCategory:
		err = l.linkProducts(ctx, rows)
	}
	return p, err
}

// findTargets finds out which of the wanted things are there.
func (l *linker) findTargets(ctx context.Context, arrived []arrival) (p linkProgress, err error) {
	if l.linksValues() {
		p.targets, p.arrived, err = wantedValues(ctx, l.tx, l.kind, arrived, maxLinksPerTx)
		return p, err
	}
	for _, a := range arrived {
		p.targets = append(p.targets, target{externalID: a.externalID, valueKeys: valueKeys{attribute: a.key}})
	}
	return p, nil
}

// linkProducts gives products the categories or the values of features that they waited for.
func (l *linker) linkProducts(ctx context.Context, rows []pendingRow) error {
	if err := l.lockProducts(ctx, pendingOwners(rows)); err != nil {
		return err
	}
	rows, err := l.takePending(ctx, rows)
	if err != nil {
		return err
	}
	changed, err := l.insertLinks(ctx, rows)
	if err != nil {
		return err
	}
	return l.raiseVersions(ctx, changed)
}

// linkOptions gives variants the values of options that they waited for.
func (l *linker) linkOptions(ctx context.Context, rows []pendingRow) error {
	products, err := l.productsOf(ctx, pendingOwners(rows))
	if err != nil {
		return err
	}
	if err := l.lockProducts(ctx, slices.Collect(maps.Values(products))); err != nil {
		return err
	}
	if rows, err = l.takePending(ctx, rows); err != nil {
		return err
	}
	changed, err := l.insertLinks(ctx, rows)
	if err != nil {
		return err
	}
	if err := updateCombinations(ctx, l.tx, pendingOwners(rows)); err != nil {
		return err
	}
	for i, variant := range changed {
		changed[i] = products[variant]
	}
	return l.raiseVersions(ctx, changed)
}

// linkParents puts categories under the parents that they waited for, one after another: a ring is made by the last of them alone. The rows
// are shared before the tree is held, as lockCategoryTree does.
func (l *linker) linkParents(ctx context.Context, rows []pendingRow) error {
	if len(rows) == 0 {
		return nil
	}
	if err := l.shareLockCategories(ctx, pendingOwners(rows)); err != nil {
		return err
	}
	if err := raiseCategoriesVersion(ctx, l.tx); err != nil {
		return err
	}
	rows, err := l.takePending(ctx, rows)
	if err != nil {
		return err
	}
	named := make(map[int64]bool, len(rows))
	for _, row := range rows {
		named[row.owner], named[row.attribute] = true, true
	}
	above, err := ancestorsOf(ctx, l.tx, slices.Sorted(maps.Keys(named)))
	if err != nil {
		return err
	}
	placed := map[int64]int64{}
	for _, row := range rows {
		at := row.attribute
		for at != 0 && at != row.owner {
			at = above[at]
		}
		if at == 0 {
			above[row.owner], placed[row.owner] = row.attribute, row.attribute
		}
	}
	return l.setParents(ctx, placed)
}

// pendingOwners are those of the rows, each once, in the order of their keys.
func pendingOwners(rows []pendingRow) []int64 {
	keys := make([]int64, len(rows))
	for i, row := range rows {
		keys[i] = row.owner
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
