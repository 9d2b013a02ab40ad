package exchange

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// revertChunk is the number of products that are restored in one transaction.
const revertChunk = 1000

// Revert restores the products that a run archived because they were missing from it. It skips products that were
// restored, or archived again, since then. It returns the run with the total number of restored products. Each chunk is
// restored in a transaction of its own, and Revert may be called again, after a failure or not. It returns
// fault.Conflict if the run is not finished.
func (s *Service) Revert(ctx context.Context, storeID store.ID, run Run) (_ Run, err error) {
	defer fault.AddContext(&err, "revert run %s", run.ID)
	if run.FinishedAt == nil {
		return run, fault.New(fault.Conflict, "run_not_finished",
			"This push is still being applied; revert it once its run is completed or failed.")
	}
	for after, more := int64(0), true; more; {
		var last, reverted int64
		err := s.DB.WriteAlone(ctx, func(q querier) error {
			tx := store.In(q, storeID)
			archived, err := archivedProductsAfter(ctx, tx, run.Key, after, revertChunk)
			if more = len(archived) == revertChunk; err != nil || len(archived) == 0 {
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
		after, run.Reverted = last, max(run.Reverted, reverted)
	}
	return run, nil
}

// Revertible returns the number of products that Revert would restore.
func (s *Service) Revertible(ctx context.Context, tx store.Tx, run Run) (n int64, err error) {
	defer fault.AddContext(&err, "count the revertible products of run %s", run.ID)
	if run.FinishedAt == nil || run.Archived == 0 {
		return 0, nil
	}
	return countRevertible(ctx, tx, run.Key)
}
