package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
)

// querier is what statements run on.
type querier = database.Querier

// overtakenTimes is how often a batch is applied anew because somebody else changed the same things at the same time.
const (
	overtakenTimes = 20
	// busyTime is for how long a batch is tried again because others hold what it wants, busyWait how long it waits in between.
	busyTime = 5 * time.Minute
	busyWait = 50 * time.Millisecond
)

// errUndo ends a transaction whose work is not to stay.
var errUndo = errors.New("undone on purpose")

// write is for what is short enough to share its commit with others.
func (s *Service) write(ctx context.Context, fn func(q querier) error) error {
	return s.DB.Write(ctx, fn)
}

// apply applies a batch in one transaction, with what there is to say of it and how far the push is then.
func (p *pushRun) apply(ctx context.Context, b batch) error {
	b, err := p.notDone(ctx, b)
	if err != nil || len(b.items()) == 0 {
		return err
	}
	done, err := p.applyBatch(ctx, b)
	if err != nil {
		return err
	}
	p.remember(done)
	return p.link(ctx, done)
}

// applyBatch applies a batch, and stores what there is to say of it.
func (p *pushRun) applyBatch(ctx context.Context, b batch) (done *applied, err error) {
	ctx, cancel := context.WithTimeout(ctx, batchTime+busyTime)
	defer cancel()
	err = p.retry(ctx, func() error {
		return p.s.DB.WriteAlone(ctx, func(q querier) (err error) {
			if done, err = p.applyIn(ctx, q, b); err != nil {
				return err
			}
			if p.rollsBack {
				return errUndo
			}
			if err := p.record(ctx, q, done); err != nil {
				return err
			}
			return p.s.Catalog.Pushes.End(ctx, q, p.storeID, done.end)
		})
	})
	if errors.Is(err, errUndo) {
		err = p.s.write(ctx, func(q querier) error { return p.record(ctx, q, done) })
	}
	return done, err
}

// retry repeats what somebody else overtook, or what waited in vain for another push to the same store, which may be a long one.
func (p *pushRun) retry(ctx context.Context, fn func() error) error {
	began := time.Now()
	for n := 1; ; n++ {
		err := fn()
		if !errors.Is(err, catalog.ErrOvertaken) && (!isBusy(err) || time.Since(began) > busyTime) {
			return err
		}
		if n == overtakenTimes {
			return fault.New(fault.Unavailable, "busy", "Others change the same things all the time; what the counts say was applied. Push again.").Because(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(busyWait):
		}
	}
}

// isBusy reports whether a lock was waited for in vain.
func isBusy(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == "database_busy"
}

// notDone leaves out the items that were applied before the push was interrupted; what they are about counts as seen.
func (p *pushRun) notDone(ctx context.Context, b batch) (batch, error) {
	items := b.items()
	n := 0
	for n < len(items) && items[n].Index < p.done {
		p.unapplied(items[n])
		n++
	}
	b = b.slice(n, len(items))
	if len(p.unseen) < batchItems {
		return b, nil
	}
	return b, p.lookUpUnseen(ctx)
}

// unapplied notes an item whose row is not known here.
func (p *pushRun) unapplied(it *item.Item) {
	switch {
	case !p.run.ArchiveMissing:
	case it.ID == "":
		p.unread = true
	default:
		p.unseen = append(p.unseen, it.ID)
	}
}

// lookUpUnseen finds the products of items that were not applied here, and counts them as seen: they are not missing.
func (p *pushRun) lookUpUnseen(ctx context.Context) error {
	return p.s.DB.Read(ctx, func(q querier) error {
		keys, err := p.s.Catalog.Products.KeysByExternalID(ctx, q, p.storeID, p.unseen)
		for _, key := range keys {
			p.seen.add(key, 0)
		}
		p.unseen = nil
		return err
	})
}

// applied is what became of a batch.
type applied struct {
	run      Run // as it is then
	items    []*item.Item
	outcomes []catalog.Pushed // by item
	errors   []Note
	warnings []Note
	rejects  []reject
	end      catalog.PushEnd
}

// applyIn applies a batch in the caller's transaction. It changes nothing outside of it: it may be called again.
func (p *pushRun) applyIn(ctx context.Context, q querier, b batch) (*applied, error) {
	if p.fence != nil {
		if err := p.fence(ctx, q); err != nil {
			return nil, err
		}
	}
	if err := p.s.checkToken(ctx, q, p.storeID, p.run.Credential); err != nil {
		return nil, err
	}
	outcomes, err := b.apply(ctx, q, p.storeID, p.run.Key)
	if err != nil {
		return nil, err
	}
	a := &applied{run: *p.run, items: b.items(), outcomes: outcomes}
	a.end.Add(outcomes)
	var here seen
	for i, it := range a.items {
		p.warnOfDuplicate(it, &outcomes[i], b.idMember(), &here)
		a.count(it, &outcomes[i])
	}
	return a, nil
}

// warnOfDuplicate says that an item is about the same thing as an earlier one of the push, over which it was applied. here has the things
// of this batch.
func (p *pushRun) warnOfDuplicate(it *item.Item, o *catalog.Pushed, idMember string, here *seen) {
	if o.Outcome == catalog.Failed {
		return
	}
	twice := here.has(o.Key, o.Part)
	here.add(o.Key, o.Part)
	if p.rollsBack && o.Outcome == catalog.Created {
		// What an earlier batch made is unmade, so rows say nothing of it.
		if p.created.has(it.Subject) {
			twice, o.Outcome = true, catalog.Updated
		}
	} else {
		twice = twice || p.seen.has(o.Key, o.Part)
	}
	if twice {
		o.Warnings = append(o.Warnings, fault.Field{Field: idMember, Code: "duplicate_id",
			Message: fmt.Sprintf("An earlier item of this push has the id %s too; this one was applied over it.", it.ID)})
	}
}

// count adds an item to the run and notes what there is to say of it.
func (a *applied) count(it *item.Item, o *catalog.Pushed) {
	a.run.Received++
	switch o.Outcome {
	case catalog.Created:
		a.run.Created++
	case catalog.Updated:
		a.run.Updated++
	case catalog.Unchanged:
		a.run.Unchanged++
	case catalog.Failed:
		a.run.Failed++
		a.rejects = append(a.rejects, reject{it.Index, it.Raw})
		for _, f := range o.Errors {
			a.run.Errors++
			a.errors = append(a.errors, note(a.run.Errors, it, f))
		}
		return
	}
	for _, f := range o.Warnings {
		a.run.Warnings++
		a.warnings = append(a.warnings, note(a.run.Warnings, it, f))
	}
}

func note(number int64, it *item.Item, f fault.Field) Note {
	n := Note{Number: number, Index: it.Index, Field: f.Field, Code: f.Code, Message: f.Message}
	if it.ID != "" {
		n.ID = new(item.Truncate(it.ID, wire.MaxName))
	}
	return n
}

// record stores what there is to say of a batch.
func (p *pushRun) record(ctx context.Context, q querier, a *applied) error {
	if err := insertNotes(ctx, q, p.storeID, p.run.Key, Error, a.errors); err != nil {
		return err
	}
	if err := insertNotes(ctx, q, p.storeID, p.run.Key, Warning, a.warnings); err != nil {
		return err
	}
	if err := insertRejects(ctx, q, p.storeID, p.run.Key, a.rejects); err != nil {
		return err
	}
	return saveRun(ctx, q, p.storeID, &a.run)
}

// remember takes over what a batch came to, once that is certain.
func (p *pushRun) remember(a *applied) {
	*p.run = a.run
	for i, it := range a.items {
		switch o := a.outcomes[i]; {
		case o.Outcome == catalog.Failed && o.Key == 0:
			p.unapplied(it)
		case p.rollsBack && o.Outcome == catalog.Created:
			p.created.add(it.Subject)
		case o.Key != 0:
			p.seen.add(o.Key, o.Part)
		}
	}
}
