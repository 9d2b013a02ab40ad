package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/database"
	"vitrine/internal/httpapi"
	"vitrine/internal/locale"
	"vitrine/internal/store"
	"vitrine/internal/wire"
)

// store answers with the shop that the key belongs to. It came with the credential, so the database is not asked again.
func (api *API) store(w http.ResponseWriter, r *httpapi.Request) error {
	if _, err := r.With(); err != nil {
		return err
	}
	return r.Read(w, false, func(_ context.Context, _ database.Querier, out *httpapi.Answer) error {
		out.ETag = httpapi.ETag(r.Principal.Store.Version)
		out.Data()
		out.B = appendStore(out.B, r.Principal.Store, r.Dates())
		out.End()
		return nil
	})
}

func appendStore(b []byte, s store.Store, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = s.ID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, s.Name)
	b = append(b, `,"timezone":`...)
	b = wire.AppendString(b, s.Timezone)
	b = append(b, `,"locale":`...)
	b = wire.AppendString(b, s.Locale)
	b = append(b, `,"currency":`...)
	b = wire.AppendString(b, s.Currency)
	b = append(b, `,"site_url":`...)
	b = wire.AppendString(b, s.SiteURL)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, s.CreatedAt)
	b = append(b, `,"updated_at":`...)
	b = dates.AppendJSON(b, s.UpdatedAt)
	return append(b, '}')
}
