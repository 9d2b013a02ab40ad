package exchange

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// querier executes statements, usually in a transaction.
type querier = database.Querier

const (
	// maxAttempts is the maximum number of attempts of a transaction, whatever the reason of its retries.
	maxAttempts = 20
	// A transaction that gave up waiting for a lock is retried until lockRetryTime has passed since the first attempt.
	// Each retry follows a pause of lockRetryPause.
	lockRetryTime  = 5 * time.Minute
	lockRetryPause = 50 * time.Millisecond
)

// errRollBack rolls back the transaction of a dry run.
var errRollBack = errors.New("roll back a dry run")

// write runs fn in a short transaction, which may share its commit with other transactions: see database.DB.Write.
func (s *core) write(ctx context.Context, fn func(q querier) error) error {
	return s.DB.Write(ctx, fn)
}

// pushBatch applies a batch of a push that is applied while it is read:
//
//  1. It skips the items that were applied before the push was interrupted.
//  2. It opens the transaction of the batch, which applies the items, stores their results and saves the run.
//     push.Pushes.End is its last statement: after it, the transaction must not take any lock. The transaction commits
//     when the function returns nil, and is retried as a whole. A dry run rolls it back and stores the results in
//     another transaction. On SQLite the transaction ends early if other writes wait, and a further one applies the
//     rest. In a dry run it does not, since its items must find what earlier ones have changed.
//  3. After the commit, it adds the results to p. So p is never ahead of the database.
//  4. After the commit, it links pending references to the entities of this batch, in separate transactions. If a crash
//     prevents that, Service.Run links them later.
func (p *pushRun) pushBatch(ctx context.Context, b itemBatch) (err error) {
	ctx, span := trace.Start(ctx, "push batch")
	span.Int("vitrine.push.items", int64(len(b.items())))
	defer func() { endBatchSpan(span, err) }()

	b, err = p.skipApplied(ctx, b)
	for done := 0; err == nil && done < len(b.items()); {
		var applied *appliedItems
		if applied, err = p.commitPart(ctx, b, done); err != nil {
			return err
		}

		p.merge(applied)
		if !p.rollsBack {
			err = p.pushes.linkReferences(ctx, p.storeID, p.run.Entity, applied.linkableIDs())
		}

		done += len(applied.items)

		pause := span.StartInterval()
		p.pace.pause(ctx)
		pause.End("pause for other requests")
	}

	return err
}

// commitPart applies the next items of a batch in a transaction. The first done items were applied by earlier ones. It
// does not change the counts of p.
func (p *pushRun) commitPart(ctx context.Context, b itemBatch, done int) (applied *appliedItems, err error) {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout+lockRetryTime)
	defer cancel()

	err = p.pushes.withStoreLock(ctx, p.storeID, func() error {
		return p.pushes.DB.WriteAlone(ctx, func(q querier) (err error) {
			if applied, err = p.fillTransaction(ctx, q, b, done); err != nil {
				return err
			}
			if p.rollsBack {
				return errRollBack
			}

			tx := store.In(q, p.storeID)
			if err := applied.results.save(ctx, tx, &applied.run, p.pushes.keptLimit()); err != nil {
				return err
			}

			return p.pushes.catalogPushes.End(ctx, tx, applied.end)
		})
	})

	if errors.Is(err, errRollBack) {
		err = p.pushes.write(ctx, func(q querier) error {
			return applied.results.save(ctx, store.In(q, p.storeID), &applied.run, p.pushes.keptLimit())
		})
	}

	return applied, err
}

// fillTransaction applies the items of a batch after the first done ones in the caller's transaction, in steps. It ends
// when short writes wait for the transaction, except in a dry run. It does not change p, except for its pace.
func (p *pushRun) fillTransaction(ctx context.Context, q querier, b itemBatch, done int) (*appliedItems, error) {
	owned, err := p.checkMayContinue(ctx, q)
	if err != nil {
		return nil, err
	}

	n := len(b.items())
	a := &appliedItems{run: *p.run}
	for from := done; from < n; {
		to := n
		if p.run.Entity != Categories { // which refer to each other
			to = min(n, from+p.pace.step())
		}

		began := time.Now()
		if err := p.applyItems(ctx, q, owned, b.slice(from, to), a); err != nil {
			return nil, err
		}

		p.pace.add(to-from, time.Since(began))
		if from = to; !p.rollsBack && (p.pace.busy() || p.pushes.shortWritesWait()) {
			break
		}
	}

	return a, nil
}

// retryTransaction calls fn again if its transaction conflicted with concurrent changes, or gave up waiting for a lock.
// Another push to the same store may hold such a lock for a long time.
func retryTransaction(ctx context.Context, fn func() error) error {
	began := time.Now()
	for n := 1; ; n++ {
		err := fn()
		if !errors.Is(err, push.ErrOvertaken) && (!isLockTimeout(err) || time.Since(began) > lockRetryTime) {
			return err
		}

		if n == maxAttempts {
			return fault.New(fault.Unavailable, "busy", "Other writes changed the same data at every attempt. "+
				"The items that the run counts were applied; push again.").Because(err)
		}

		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockRetryPause):
		}
	}
}

func isLockTimeout(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Code == "database_busy"
}

// appliedItems has the items that a transaction has applied.
type appliedItems struct {
	run      Run // its counts include the items
	items    []*item.Item
	outcomes []push.Pushed // by item
	rows     seenRowSet    // of the items
	// warnedProducts has the products of which an item has had its ProductWarning.
	warnedProducts seenRowSet
	results        pushResults
	end            push.PushEnd
}

// runBatch applies a batch in the caller's transaction. It does not change p, so the transaction can be retried.
func (p *pushRun) runBatch(ctx context.Context, q querier, b itemBatch) (*appliedItems, error) {
	owned, err := p.checkMayContinue(ctx, q)
	if err != nil {
		return nil, err
	}
	a := &appliedItems{run: *p.run}
	return a, p.applyItems(ctx, q, owned, b, a)
}

// applyItems applies items in the caller's transaction and adds them to a. It does not change p.
func (p *pushRun) applyItems(
	ctx context.Context, q querier, owned productfield.Set, b itemBatch, a *appliedItems,
) error {
	tx := store.In(q, p.storeID)
	var before map[string]described
	if p.run.keepsChanges() || p.run.matchesSKUs() {
		err := catalog.LockPushes(ctx, tx) // what is described or found must not change before it is written
		if err != nil {
			return err
		}
	}

	if p.run.matchesSKUs() {
		changed, err := b.match(ctx, tx, p.pushes.catalogExports)
		if err != nil {
			return err
		}
		a.end.AddProducts(changed)
	}

	if p.run.keepsChanges() {
		var err error
		if before, err = b.describe(ctx, tx); err != nil {
			return err
		}
	}

	outcomes, err := b.write(ctx, tx, p.run, owned)
	if err != nil {
		return err
	}

	if p.run.keepsChanges() {
		after, err := b.describe(ctx, tx)
		if err != nil {
			return err
		}
		p.addChanges(b, outcomes, before, after, a)
	}

	a.end.Add(outcomes)

	for i, it := range b.items() {
		if it.Variant != "" {
			outcomes[i].Part = p.partNumber(it)
		}
		if p.rollsBack {
			outcomes[i].Part = p.partNumber(it)
			p.leaveStale(it, &outcomes[i])
		}
		p.warnOfDuplicate(it, &outcomes[i], b.idMember(), &a.rows)
		p.warnOfProduct(&outcomes[i], &a.warnedProducts)
		a.count(it, &outcomes[i])
		a.items = append(a.items, it)
	}

	a.outcomes = append(a.outcomes, outcomes...)
	return nil
}

// checkMayContinue returns an error if the push must stop: another node has taken it over, its token was revoked, or
// this node stops and has applied a part of the push.
// Otherwise it returns the members of products that the push writes.
func (p *pushRun) checkMayContinue(ctx context.Context, q querier) (owned productfield.Set, err error) {
	if p.fence != nil {
		if err := p.fence(ctx, q); err != nil {
			return 0, err
		}
	} else if p.run.Received > 0 && p.pushes.isInterrupted() {
		return 0, errServerStops()
	}

	if p.run.Credential.IsZero() {
		return productfield.All, nil // an operator's file
	}

	key, active, err := p.pushes.Access.ActiveKey(ctx, store.In(q, p.storeID), p.run.Credential)
	if err == nil && !active {
		err = fault.New(fault.Unauthenticated, "invalid_exchange_token",
			"The exchange token was revoked or has expired while the push was on its way.")
	}

	return key.Owned(), err
}

// count adds the outcome of an item to the counts of the run, and its errors and warnings to the results.
func (a *appliedItems) count(it *item.Item, o *push.Pushed) {
	a.run.Received++

	switch o.Outcome {
	case push.Created:
		a.run.Created++
	case push.Updated:
		a.run.Updated++
	case push.Unchanged:
		a.run.Unchanged++
	case push.Failed:
		a.run.Failed++
		a.results.rejects = append(a.results.rejects, newReject(it, o.Errors))
		for _, f := range o.Errors {
			a.run.Errors++
			a.results.errors = append(a.results.errors, newRunNote(a.run.Errors, it, f))
		}
		return
	}

	for _, f := range slices.Concat(it.Warnings, o.Warnings) {
		a.run.Warnings++
		a.results.warnings = append(a.results.warnings, newRunNote(a.run.Warnings, it, f))
	}
}

func newRunNote(number int64, it *item.Item, f fault.Field) RunNote {
	field, line := it.Locate(f.Field)
	n := RunNote{Number: number, Index: it.Index, Line: line, Name: item.Truncate(it.Name, rule.MaxName), Field: field,
		Code: f.Code, Message: f.Message}
	if it.ID != "" {
		n.ID = new(item.Truncate(it.ID, rule.MaxName))
	}
	return n
}

// linkableIDs returns the external ids of the options, features or categories of the batch, so that pending references
// to them can be linked. It includes unchanged ones: an earlier push that created them may have failed before it linked
// their references. It returns nil for other entities.
func (a *appliedItems) linkableIDs() (ids []string) {
	switch a.run.Entity {
	case VariantOptions, Features, Categories:
	default:
		return nil
	}
	for i, it := range a.items {
		if a.outcomes[i].Outcome != push.Failed {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// pushResults holds the errors and warnings of items, the failed items as they were sent, and the changes of a dry run.
type pushResults struct {
	errors   []RunNote
	warnings []RunNote
	rejects  []reject
	changes  []RunChange // of a run that keeps them
	// warningsBefore is that number of the run before keep has added some, if counted is true: a transaction may be
	// repeated.
	warningsBefore int64
	counted        bool
}

// save inserts the results and saves the run with its counts, in the caller's transaction.
func (r *pushResults) save(ctx context.Context, tx store.Tx, run *Run, keptLimit int64) error {
	if err := r.insert(ctx, tx, run, keptLimit); err != nil {
		return err
	}
	return saveRun(ctx, tx, run)
}

// insert inserts the results in the caller's transaction. What does not fit into keptLimit becomes a warning, which the
// run then counts.
func (r *pushResults) insert(ctx context.Context, tx store.Tx, run *Run, keptLimit int64) error {
	if !r.counted {
		r.warningsBefore = run.Warnings
		r.counted = true
	}

	kept := *r
	notKept, err := kept.keep(ctx, tx, run, keptLimit)
	if err != nil {
		return err
	}

	for i := range notKept {
		notKept[i].Number = r.warningsBefore + int64(i) + 1
	}

	run.Warnings = r.warningsBefore + int64(len(notKept))

	if err := nameNotes(ctx, tx, run.Entity, r.errors); err != nil {
		return err
	}
	if err := nameNotes(ctx, tx, run.Entity, r.warnings); err != nil {
		return err
	}

	if err := insertRunNotes(ctx, tx, run.Key, Error, r.errors); err != nil {
		return err
	}
	if err := insertRunNotes(ctx, tx, run.Key, Warning, slices.Concat(r.warnings, notKept)); err != nil {
		return err
	}
	if err := insertRunRejects(ctx, tx, run.Key, kept.rejects); err != nil {
		return err
	}

	return insertRunChanges(ctx, tx, run.Key, kept.changes)
}

// linkReferences links pending references to the committed entities with these external ids, in its own transactions.
func (s *Pushes) linkReferences(ctx context.Context, storeID store.ID, entity string, ids []string) (err error) {
	if len(ids) == 0 {
		return nil
	}
	switch entity {
	case VariantOptions:
		_, err = s.Catalog.Links.LinkAttributes(ctx, s.DB, storeID, catalog.Option, ids)
	case Features:
		_, err = s.Catalog.Links.LinkAttributes(ctx, s.DB, storeID, catalog.Feature, ids)
	case Categories:
		_, err = s.Catalog.Links.LinkCategories(ctx, s.DB, storeID, ids)
	}
	return err
}

// linkPending links the pending references of all stores whose targets exist. A node that stops between the commit of a
// batch and linkReferences leaves such references behind.
func (s *Pushes) linkPending(ctx context.Context) error {
	linked, err := s.Catalog.Links.LinkAll(ctx, s.DB)
	if linked > 0 {
		s.Log.InfoContext(ctx, "linked pending references", "count", linked)
	}
	return err
}
