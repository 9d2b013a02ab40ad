package inquiry

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of the service.
type Deps struct {
	Events *event.Emitter
	Now    func() time.Time
	// Announce is called in the transaction that stores an inquiry. It may be nil.
	Announce func(ctx context.Context, tx store.Tx, kind Kind, inquiryID ID) error
}

// Service implements the operations on inquiries. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// SubmitCallback stores a callback request and emits callback.submitted. The caller must have validated the fields. It
// returns the request with its id and creation time.
func (s *Service) SubmitCallback(
	ctx context.Context, tx store.Tx, shop store.Store, c Callback,
) (_ Callback, err error) {
	defer fault.AddContext(&err, "submit a callback request")
	c.ID, c.CreatedAt = id.New[Callback](), database.Moment(s.Now())
	if err := insertCallback(ctx, tx, &c); err != nil {
		return Callback{}, err
	}
	if err := s.announce(ctx, tx, KindCallback, ID(c.ID)); err != nil {
		return Callback{}, err
	}
	if err := s.Events.Emit(ctx, tx, event.CallbackSubmitted, c.AppendJSON(nil, s.dates(shop))); err != nil {
		return Callback{}, err
	}
	return c, audit.Record(ctx, tx, logEntry(audit.InquiryCreated, c.ID, cmp.Or(c.Name, c.Phone)))
}

func (s *Service) announce(ctx context.Context, tx store.Tx, kind Kind, inquiryID ID) error {
	if s.Announce == nil {
		return nil
	}
	return s.Announce(ctx, tx, kind, inquiryID)
}

// Callback returns a callback request, or fault.NotFound.
func (s *Service) Callback(ctx context.Context, tx store.Tx, callbackID CallbackID) (_ Callback, err error) {
	defer fault.AddContext(&err, "read callback request %s", callbackID)
	return selectCallback(ctx, tx, callbackID)
}

// CallbackList returns one page of a store's callback requests, newest first, and the total number that match the
// filter.
func (s *Service) CallbackList(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) (_ []Callback, total int64, err error) {
	defer fault.AddContext(&err, "list the callback requests of store %s", tx.StoreID())
	return selectCallbacks(ctx, tx, f, limit, offset)
}

// SubmitFeedback stores feedback and emits feedback.submitted. The caller must have validated the fields. It returns
// the feedback with its id and creation time.
func (s *Service) SubmitFeedback(
	ctx context.Context, tx store.Tx, shop store.Store, f Feedback,
) (_ Feedback, err error) {
	defer fault.AddContext(&err, "submit feedback")
	f.ID, f.CreatedAt = id.New[Feedback](), database.Moment(s.Now())
	if err := insertFeedback(ctx, tx, &f); err != nil {
		return Feedback{}, err
	}
	if err := s.announce(ctx, tx, KindFeedback, ID(f.ID)); err != nil {
		return Feedback{}, err
	}
	if err := s.Events.Emit(ctx, tx, event.FeedbackSubmitted, f.AppendJSON(nil, s.dates(shop))); err != nil {
		return Feedback{}, err
	}
	return f, audit.Record(ctx, tx, logEntry(audit.InquiryCreated, f.ID, cmp.Or(f.Name, f.Phone)))
}

// Feedback returns a piece of feedback, or fault.NotFound.
func (s *Service) Feedback(ctx context.Context, tx store.Tx, feedbackID FeedbackID) (_ Feedback, err error) {
	defer fault.AddContext(&err, "read feedback %s", feedbackID)
	return selectFeedback(ctx, tx, feedbackID)
}

// FeedbackList returns one page of a store's feedback, newest first, and the total number that match the filter.
func (s *Service) FeedbackList(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) (_ []Feedback, total int64, err error) {
	defer fault.AddContext(&err, "list the feedback of store %s", tx.StoreID())
	return selectFeedbackPage(ctx, tx, f, limit, offset)
}

// dates returns a formatter of dates in the language and the timezone of the store.
func (s *Service) dates(shop store.Store) *locale.Dates {
	return locale.NewDates(shop.Language(), shop.Zone(), s.Now())
}
