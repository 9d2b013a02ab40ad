package inquiry

import (
	"context"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// SubmitFeedback keeps what a visitor wrote, whose members were checked, and emits feedback.submitted. It returns it with its id and time.
func (s *Service) SubmitFeedback(ctx context.Context, q database.Querier, shop store.Store, f Feedback) (Feedback, error) {
	f.ID, f.CreatedAt = id.New[Feedback](), s.moment()
	if err := insertFeedback(ctx, q, shop.ID, &f); err != nil {
		return Feedback{}, fmt.Errorf("keep feedback: %w", err)
	}
	return f, s.events.Emit(ctx, q, shop.ID, event.FeedbackSubmitted, f.AppendJSON(nil, s.dates(shop)))
}

// Feedback returns one piece of feedback, or fault.NotFound.
func (s *Service) Feedback(ctx context.Context, q database.Querier, storeID store.ID, feedbackID FeedbackID) (Feedback, error) {
	return oneFeedback(ctx, q, storeID, feedbackID)
}

// FeedbackList returns one page of a store's feedback, the newest first, and how much the filter leaves in all.
func (s *Service) FeedbackList(ctx context.Context, q database.Querier, storeID store.ID, f Filter, limit, offset int64) ([]Feedback, int64, error) {
	return pageOf(ctx, q, listFeedbackSQL, countFeedbackSQL, storeID, f, limit, offset, scanFeedback)
}
