package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
)

const (
	// deleteDraftsInterval is the time between two searches for expired drafts.
	deleteDraftsInterval = time.Hour
	// deleteDraftsBatch is the maximum number of drafts that one transaction deletes. SQLite, which has one writer,
	// needs about a second for them if each draft has MaxItems items.
	deleteDraftsBatch = 100
)

// Run deletes drafts that were not changed during DraftRetention, at once and then every hour. It returns nil when ctx
// ends. Failures are logged, and the deletion is retried an hour later.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log, periodic.Task{
		Name: "delete expired drafts", Every: deleteDraftsInterval, Do: s.deleteExpiredDrafts,
	})
}

// deleteExpiredDrafts deletes the expired drafts of all stores with their items. It uses one transaction per batch, so
// that other writes can run between them.
func (s *Service) deleteExpiredDrafts(ctx context.Context) error {
	if s.DraftRetention <= 0 {
		return nil
	}
	before := s.Now().Add(-s.DraftRetention)
	for {
		drafts, err := database.Read(ctx, s.DB, func(q database.Querier) ([]expiredDraft, error) {
			return selectDraftsBefore(ctx, q, before, deleteDraftsBatch)
		})
		if err != nil || len(drafts) == 0 {
			return err
		}
		err = s.DB.WriteAlone(ctx, func(q database.Querier) error { return deleteDrafts(ctx, q, drafts) })
		if err != nil {
			return err
		}
	}
}
