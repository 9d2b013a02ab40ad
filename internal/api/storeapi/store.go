package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// showStore responds with the store of the principal. Authentication has loaded the store, so only the settings need a
// query.
func (api *API) showStore(w http.ResponseWriter, r *httpapi.Request) error {
	with := r.Query.Extras("settings")
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		answer := storeOf(r.Principal.Store, r.Dates())
		if with["settings"] {
			captcha, err := api.protection.Settings(ctx, tx)
			if err != nil {
				return err
			}
			answer.Settings = storeSettingsOf(captcha, r.Principal.Store.Language())
		}
		out.WriteResource(r.Principal.Store.Version, answer)
		return nil
	})
}

// storeOf returns the store without its settings.
func storeOf(s store.Store, dates *locale.Dates) spec.Store {
	return spec.Store{
		ID: schema.ID(s.ID), Name: s.Name, Timezone: s.Timezone, Locale: s.Locale, Currency: s.Currency,
		SiteURL:   s.SiteURL,
		Paths:     spec.StorePaths{Product: string(s.Paths.Product), Category: string(s.Paths.Category)},
		CreatedAt: schema.NewDate(s.CreatedAt, dates), UpdatedAt: schema.NewDate(s.UpdatedAt, dates),
	}
}

// storeSettingsOf returns the settings that a storefront needs to send captcha tokens. The secret key is not among
// them.
func storeSettingsOf(captcha protection.Settings, language locale.Locale) *spec.StoreSettings {
	recaptcha := spec.Recaptcha{Active: captcha.Active, Version: "v3", Provider: string(captcha.Provider),
		PublicKey: captcha.PublicKey}
	for _, p := range captcha.Required() {
		recaptcha.Actions = append(recaptcha.Actions,
			spec.CaptchaAction{ID: string(p.Action), Name: p.Action.Name(language)})
	}
	return &spec.StoreSettings{Recaptcha: recaptcha}
}
