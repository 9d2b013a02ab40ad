package exchange

import (
	"context"
	"slices"

	"vitrine/internal/shop/store"
)

// results has the errors and warnings of items, and the failed items as they were sent.
type results struct {
	errors   []RunNote
	warnings []RunNote
	rejects  []reject
}

// save inserts the results and saves the run with its counts, in the caller's transaction.
func (r *results) save(ctx context.Context, tx store.Tx, run *Run) error {
	for chunk := range slices.Chunk(r.errors, batchItems) {
		if err := insertNotes(ctx, tx, run.Key, Error, chunk); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(r.warnings, batchItems) {
		if err := insertNotes(ctx, tx, run.Key, Warning, chunk); err != nil {
			return err
		}
	}
	if err := insertRejects(ctx, tx, run.Key, r.rejects); err != nil {
		return err
	}
	return saveRun(ctx, tx, run)
}
