package exchangeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// listPending responds with what the store's pushed products wait for, the most wanted first.
func (api *API) listPending(w http.ResponseWriter, r *httpapi.Request) error {
	c := r.Query.Cursor()
	dates := r.Dates()
	return httpapi.RespondCursorList(w, r, c, false,
		func(ctx context.Context, tx store.Tx, after, limit int64) ([]exchange.PendingReference, int64, error) {
			return api.exchange.Pushes.Pending(ctx, tx, after, limit)
		}, httpapi.AsJSON(func(p *exchange.PendingReference) PendingReference {
			return PendingReference{Entity: p.Entity, ID: p.ID, ValueID: p.ValueID, WantedBy: p.WantedBy,
				FirstSeenAt: dates.Date(&p.FirstSeenAt)}
		}))
}
