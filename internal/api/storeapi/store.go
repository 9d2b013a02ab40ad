package storeapi

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// store answers with the shop that the key belongs to. It came with the credential, so the database is asked for the settings alone.
func (api *API) store(w http.ResponseWriter, r *httpapi.Request) error {
	with, err := r.With("settings")
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		out.ETag = httpapi.ETag(r.Principal.Store.Version)
		out.Data()
		out.B = appendStore(out.B, r.Principal.Store, r.Dates())
		if with["settings"] {
			captcha, err := api.protection.Settings(ctx, q, r.Principal.Store.ID)
			if err != nil {
				return err
			}
			out.B = appendStoreSettings(out.B, captcha, r.Principal.Store.Language())
		}
		out.B = append(out.B, '}')
		out.End()
		return nil
	})
}

// appendStore leaves the object open for the settings.
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
	return dates.AppendJSON(b, s.UpdatedAt)
}

// appendStoreSettings appends what a storefront must know to send captcha tokens. The secret key is not among it.
func appendStoreSettings(b []byte, captcha protection.Settings, language locale.Locale) []byte {
	b = append(b, `,"settings":{"recaptcha":{"active":`...)
	b = strconv.AppendBool(b, captcha.Active)
	b = append(b, `,"version":"v3","public_key":`...)
	b = wire.AppendString(b, captcha.PublicKey)
	b = append(b, `,"actions":[`...)
	for i, p := range captcha.Required() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		b = wire.AppendString(b, string(p.Action))
		b = append(b, `,"name":`...)
		b = wire.AppendString(b, p.Action.Name(language))
		b = append(b, '}')
	}
	return append(b, "]}}"...)
}
