package search

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// changePoll finds the stores whose catalogues changed since the last poll, with the same few statements for any number
// of stores. It is not safe for concurrent use.
type changePoll struct {
	// from is the mark at which the next poll begins; 0 before the first one. It is not above the mark of any
	// transaction that the last poll did not see, nor above that of the newest change.
	from int64
	// seen has the marks of the stores that the last poll found. Those at or above from are found again.
	seen map[store.ID]int64
	// newest is the store with the highest mark, in the state that the last poll found. If the database has lost
	// commits, it has lost the last ones, so this store's state has changed.
	newest      store.ID
	newestMark  int64
	newestState State
}

// polledChanges are the results of a poll.
type polledChanges struct {
	stores map[store.ID]bool
	// all says that every store may have changed: in the first poll, and after the database has lost commits.
	all bool
}

func (c polledChanges) includes(storeID store.ID) bool { return c.all || c.stores[storeID] }

// next polls the database. After an error the same changes are found again.
func (p *changePoll) next(ctx context.Context, db *database.DB) (found polledChanges, err error) {
	updated := changePoll{}
	err = db.Snapshot(ctx, func(q database.Querier) error {
		found = polledChanges{}
		updated = *p
		return updated.read(ctx, q, &found)
	})
	if err == nil {
		*p = updated
	}
	return found, err
}

func (p *changePoll) read(ctx context.Context, q database.Querier, found *polledChanges) error {
	marks, err := store.ReadMarks(ctx, q)
	if err != nil {
		return err
	}
	lost, err := p.lostNewest(ctx, q)
	if err != nil {
		return err
	}

	if p.from == 0 || lost {
		*p = changePoll{}
		found.all = true
		p.setFrom(marks)
	}

	changed, err := store.ChangedStores(ctx, q, p.from, marks.End)
	if err != nil {
		return err
	}

	found.stores = map[store.ID]bool{}
	for storeID, mark := range changed {
		if p.seen[storeID] != mark {
			found.stores[storeID] = true
		}
		if mark > p.newestMark {
			p.newest, p.newestMark = storeID, mark
		}
	}

	p.seen = changed
	p.setFrom(marks)

	if p.newestMark == 0 {
		return nil
	}

	current, err := readVersions(ctx, store.In(q, p.newest))
	if errors.Is(err, database.ErrNoRows) { // the store was deleted
		p.newestMark = 0
		return nil
	}

	p.newestState = current.State
	return err
}

// setFrom makes the next poll find all transactions that the snapshot with these marks does not see, and its newest
// change.
func (p *changePoll) setFrom(marks store.Marks) {
	p.from = marks.Complete
	if marks.Newest > 0 {
		p.from = min(p.from, marks.Newest)
	}
}

// lostNewest reports whether the database has lost the newest state that a poll has seen: it was restored to an older
// one, or a failover lost commits. Requests notice what this does not see, since they compare versions, too.
func (p *changePoll) lostNewest(ctx context.Context, q database.Querier) (bool, error) {
	if p.newestMark == 0 {
		return false, nil
	}
	current, err := readVersions(ctx, store.In(q, p.newest))
	if errors.Is(err, database.ErrNoRows) {
		return true, nil // a store that was deleted, or that the older state does not have
	}
	return current.OlderThan(p.newestState) || current.DivergedFrom(p.newestState), err
}
