package exchange

import (
	"context"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// archiveChunk is the maximum number of products that are archived in one transaction.
const archiveChunk = 1000

// archiveMissing archives the products that have an external id, existed when the push began and were not in it. It
// returns fault.Conflict if they exceed MaxArchiveShare. Each chunk is archived in a transaction of its own.
func (p *pushRun) archiveMissing(ctx context.Context) error {
	if err := p.resolveIDs(ctx); err != nil {
		return err
	}

	var missing []int64
	err := p.pushes.DB.Snapshot(ctx, func(q querier) (err error) {
		missing, err = p.missingProducts(ctx, q)
		return err
	})
	if err != nil || p.run.DryRun {
		p.run.Archived = int64(len(missing))
		return err
	}

	for chunk := range slices.Chunk(missing, p.pushes.archiveChunk) {
		var next Run
		err := p.pushes.DB.WriteAlone(ctx, func(q querier) error {
			next = *p.run
			return p.archiveIn(ctx, q, &next, chunk)
		})
		if err != nil {
			return err
		}

		*p.run = next
	}

	return nil
}

// archiveIn archives products in the caller's transaction and adds their number to the counts of the run next.
func (p *pushRun) archiveIn(ctx context.Context, q querier, next *Run, keys []int64) error {
	if _, err := p.checkMayContinue(ctx, q); err != nil {
		return err
	}
	at := p.pushes.now()
	archived, err := p.pushes.Catalog.Products.ArchiveAll(ctx, store.In(q, p.storeID), keys, at)
	if err != nil {
		return err
	}
	if err := insertArchivedProducts(ctx, store.In(q, p.storeID), next.Key, archived, at); err != nil {
		return err
	}
	next.Archived += int64(len(archived))
	return saveRun(ctx, store.In(q, p.storeID), next)
}

// missingProducts returns the keys of the products to archive. It returns fault.Conflict if they exceed
// MaxArchiveShare, or if an item without a readable id makes it unknown which products are missing.
func (p *pushRun) missingProducts(ctx context.Context, q querier) (keys []int64, err error) {
	if p.run.Format == item.Mapped {
		return p.pushes.Importer.MissingProducts(ctx, store.In(q, p.storeID), p.run)
	}

	if p.unreadableID {
		return nil, fault.New(fault.Conflict, "archive_refused",
			"Some items have no readable id, so it is not known which products are missing. %s",
			nothingArchivedMessage(p.run))
	}

	live := 0
	began := p.run.StartedAt.UnixMicro()
	err = p.pushes.Catalog.Products.EachLive(ctx, store.In(q, p.storeID), func(key int64, known bool, createdAt int64) {
		live++
		if known && createdAt < began && !p.seenRows.has(key, 0) {
			keys = append(keys, key)
		}
	})
	if err != nil {
		return nil, err
	}

	if p.rollsBack {
		live += int(p.run.Created) // the rows that the dry run created were rolled back
	}

	if ExceedsShare(int64(len(keys)), int64(live), p.run.MaxArchiveShare) {
		return nil, fault.New(fault.Conflict, "archive_refused", "%d of the store's %d products are missing from this "+
			"push, more than the share of %g that max_archive_share allows. %s",
			len(keys), live, p.run.MaxArchiveShare, nothingArchivedMessage(p.run))
	}

	return keys, nil
}

// ExceedsShare reports whether a part is more than a share of all. A share such as 0.29 has no exact float64; the
// margin allows a count that equals the limit.
func ExceedsShare(part, all int64, share float64) bool {
	return float64(part) > share*float64(all)+1e-6
}

// nothingArchivedMessage returns a sentence that says which part of a push was applied although archiving was refused.
func nothingArchivedMessage(run *Run) string {
	switch {
	case run.DryRun:
		return "Nothing was changed: it was a dry run."
	case run.Atomic:
		return "Nothing was applied and nothing archived: it was sent with atomic=true."
	}
	return "The items were applied, nothing was archived."
}

// revertChunk is the maximum number of products that are restored in one transaction.
const revertChunk = 1000

// Revert restores the products that a run archived because they were missing from its push. It skips products that were
// restored, or archived again, since then. It returns the run with the total number of restored products. Each chunk is
// restored in a transaction of its own. Revert may be called repeatedly, also after a failure. It returns
// fault.Conflict if the run is not finished.
func (s *Runs) Revert(ctx context.Context, storeID store.ID, run Run) (_ Run, err error) {
	defer fault.AddContext(&err, "revert run %s", run.ID)

	if run.FinishedAt == nil {
		return run, fault.New(fault.Conflict, "run_not_finished",
			"This push is still being applied; revert it once its run is completed or failed.")
	}

	for after, more := int64(0), true; more; {
		var last, reverted int64

		err := s.DB.WriteAlone(ctx, func(q querier) error {
			tx := store.In(q, storeID)
			archived, err := archivedProductsAfter(ctx, tx, run.Key, after, int64(s.revertChunk))
			if more = len(archived) == s.revertChunk; err != nil || len(archived) == 0 {
				return err
			}

			last = archived[len(archived)-1].Key
			restored, err := s.Catalog.Products.RestoreAll(ctx, tx, archived)
			if err != nil || len(restored) == 0 {
				return err
			}

			reverted, err = addReverted(ctx, tx, run.Key, int64(len(restored)))
			return err
		})
		if err != nil {
			return run, err
		}

		after = last
		run.Reverted = max(run.Reverted, reverted)
	}

	return run, nil
}

// Revertible returns the number of products that Revert would restore.
func (s *Runs) Revertible(ctx context.Context, tx store.Tx, run Run) (n int64, err error) {
	defer fault.AddContext(&err, "count the revertible products of run %s", run.ID)
	if run.FinishedAt == nil || run.Archived == 0 {
		return 0, nil
	}
	return countRevertible(ctx, tx, run.Key)
}
