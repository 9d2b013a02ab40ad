package order

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

const (
	// deleteDraftsInterval is how often old drafts are looked for.
	deleteDraftsInterval = time.Hour
	// deleteDraftsBatch is how many are deleted in one transaction: with MaxItems lines in each, what SQLite's one writer deletes in about a second.
	deleteDraftsBatch = 100
)

// Run deletes drafts that nobody has changed for the time that they are kept, until ctx ends; then it returns nil. What could not be deleted
// is logged and tried again.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(deleteDraftsInterval)
	defer tick.Stop()
	for {
		if err := s.deleteExpiredDrafts(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "cannot delete expired drafts of orders; it will be retried", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// deleteExpiredDrafts deletes the drafts of all stores that are old enough, with their items, in rounds between which others write.
func (s *Service) deleteExpiredDrafts(ctx context.Context) error {
	if s.draftRetention <= 0 {
		return nil
	}
	before := s.now().Add(-s.draftRetention)
	for {
		var drafts []expiredDraft
		err := s.db.Read(ctx, func(q database.Querier) (err error) {
			drafts, err = selectDraftsBefore(ctx, q, before, deleteDraftsBatch)
			return err
		})
		if err != nil {
			return fmt.Errorf("read expired drafts: %w", err)
		}
		if len(drafts) == 0 {
			return nil
		}
		if err := s.db.WriteAlone(ctx, func(q database.Querier) error { return deleteDrafts(ctx, q, drafts) }); err != nil {
			return fmt.Errorf("delete %d expired drafts: %w", len(drafts), err)
		}
	}
}
