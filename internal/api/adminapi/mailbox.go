package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/notify"
)

// mailbox answers with the letters that nobody was there to carry, the newest first.
func (api *API) mailbox(w http.ResponseWriter, r *httpapi.Request) error {
	w.Header().Set("Cache-Control", "no-store") // login codes are among them
	dates := r.Dates()
	return httpapi.List(w, r, func(ctx context.Context, q database.Querier, limit, offset int64) ([]notify.Kept, int64, error) {
		return api.notify.Mailbox(ctx, q, r.Principal.Store.ID, limit, offset)
	}, func(b []byte, l *notify.Kept) []byte { return appendLetter(b, l, dates) })
}

func appendLetter(b []byte, l *notify.Kept, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = l.ID.Append(b)
	b = append(b, `","to":`...)
	b = wire.AppendString(b, l.To)
	b = append(b, `,"subject":`...)
	b = wire.AppendString(b, l.Subject)
	b = append(b, `,"text":`...)
	b = wire.AppendString(b, l.Text)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, l.CreatedAt)
	return append(b, '}')
}
