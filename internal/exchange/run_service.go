package exchange

import (
	"context"
	"math"

	"vitrine/internal/access"
	"vitrine/internal/database"
	"vitrine/internal/store"
)

// Runs returns runs that were pushed with a credential, the newest first: those with keys below before, or the very newest if that is 0.
func (s *Service) Runs(ctx context.Context, q database.Querier, storeID store.ID, credential access.KeyID, before, limit int64) ([]Run, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	runs, err := runsBefore(ctx, q, storeID, credential, before, limit)
	for i := range runs {
		runs[i].Warnings += runs[i].late
	}
	return runs, err
}

// Find returns a run that was pushed with a credential; that of another one is fault.NotFound.
func (s *Service) Find(ctx context.Context, q database.Querier, storeID store.ID, credential access.KeyID, runID RunID) (Run, error) {
	run, err := oneRun(ctx, q, storeID, credential, runID)
	run.Warnings += run.late
	return run, err
}

// Notes returns errors or warnings of a run in the order of the items, late warnings behind: those with numbers above after.
func (s *Service) Notes(ctx context.Context, q database.Querier, storeID store.ID, run Run, severity Severity, after, limit int64) ([]Note, error) {
	return notesAfter(ctx, q, storeID, run.Key, severity, after, limit)
}

// EachReject gives fn the items of a run that failed, as they were sent, in their order. The bytes are fn's only until it returns.
func (s *Service) EachReject(ctx context.Context, q database.Querier, storeID store.ID, run Run, fn func(sent []byte) error) error {
	return eachReject(ctx, q, storeID, run.Key, fn)
}
