package inquiry

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// Service implements the operations on inquiries. It is safe for concurrent use.
type Service struct {
	events *event.Emitter
	now    func() time.Time
}

// NewService returns a service that emits through events. now is the clock.
func NewService(events *event.Emitter, now func() time.Time) *Service { return &Service{events: events, now: now} }

// SubmitCallback stores a callback request and emits callback.submitted. The caller has validated the fields. It
// returns the request with its id and creation time.
func (s *Service) SubmitCallback(ctx context.Context, tx store.Tx, shop store.Store, c Callback) (Callback, error) {
	c.ID, c.CreatedAt = id.New[Callback](), s.moment()
	if err := insertCallback(ctx, tx, &c); err != nil {
		return Callback{}, fmt.Errorf("insert a callback request: %w", err)
	}
	return c, s.events.Emit(ctx, tx, event.CallbackSubmitted, c.AppendJSON(nil, s.dates(shop)))
}

// Callback returns a callback request, or fault.NotFound.
func (s *Service) Callback(ctx context.Context, tx store.Tx, callbackID CallbackID) (Callback, error) {
	return selectCallback(ctx, tx, callbackID)
}

// CallbackList returns one page of a store's callback requests, newest first, and the total number that match the
// filter.
func (s *Service) CallbackList(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) ([]Callback, int64, error) {
	return selectCallbacks(ctx, tx, f, limit, offset)
}

// SubmitFeedback stores feedback and emits feedback.submitted. The caller has validated the fields. It returns the
// feedback with its id and creation time.
func (s *Service) SubmitFeedback(ctx context.Context, tx store.Tx, shop store.Store, f Feedback) (Feedback, error) {
	f.ID, f.CreatedAt = id.New[Feedback](), s.moment()
	if err := insertFeedback(ctx, tx, &f); err != nil {
		return Feedback{}, fmt.Errorf("insert feedback: %w", err)
	}
	return f, s.events.Emit(ctx, tx, event.FeedbackSubmitted, f.AppendJSON(nil, s.dates(shop)))
}

// Feedback returns a piece of feedback, or fault.NotFound.
func (s *Service) Feedback(ctx context.Context, tx store.Tx, feedbackID FeedbackID) (Feedback, error) {
	return selectFeedback(ctx, tx, feedbackID)
}

// FeedbackList returns one page of a store's feedback, newest first, and the total number that match the filter.
func (s *Service) FeedbackList(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) ([]Feedback, int64, error) {
	return selectFeedbackPage(ctx, tx, f, limit, offset)
}

// moment returns the current time in the precision of the database.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// dates returns a formatter of dates in the language and the timezone of the store.
func (s *Service) dates(shop store.Store) *locale.Dates {
	return locale.NewDates(shop.Language(), shop.Zone(), s.now())
}
