package inquiry

import (
	"context"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// SubmitCallback keeps a request for a call, whose members were checked, and emits callback.submitted. It returns it with its id and time.
func (s *Service) SubmitCallback(ctx context.Context, q database.Querier, shop store.Store, c Callback) (Callback, error) {
	c.ID, c.CreatedAt = id.New[Callback](), s.moment()
	if err := insertCallback(ctx, q, shop.ID, &c); err != nil {
		return Callback{}, fmt.Errorf("keep a callback request: %w", err)
	}
	return c, s.events.Emit(ctx, q, shop.ID, event.CallbackSubmitted, c.AppendJSON(nil, s.dates(shop)))
}

// Callback returns one request for a call, or fault.NotFound.
func (s *Service) Callback(ctx context.Context, q database.Querier, storeID store.ID, callbackID CallbackID) (Callback, error) {
	return oneCallback(ctx, q, storeID, callbackID)
}

// CallbackList returns one page of a store's requests for a call, the newest first, and how many the filter leaves in all.
func (s *Service) CallbackList(ctx context.Context, q database.Querier, storeID store.ID, f Filter, limit, offset int64) ([]Callback, int64, error) {
	return pageOf(ctx, q, listCallbacksSQL, countCallbacksSQL, storeID, f, limit, offset, scanCallback)
}
