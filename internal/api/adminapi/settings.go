package adminapi

import (
	"context"
	"net/http"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// settings returns the settings of the store. The store itself was read with the credential; only its captcha settings
// are read here.
func (api *API) settings(w http.ResponseWriter, r *httpapi.Request) error {
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		captcha, err := api.protection.Settings(ctx, tx)
		if err != nil {
			return err
		}
		writeSettings(r, captcha, out)
		return nil
	})
}

func (api *API) editSettings(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return err
	}
	defer body.Close()
	edit, captchaEdit, err := readSettings(body)
	if err != nil {
		return err
	}
	ifVersion, err := ifStoreVersion(r)
	if err != nil {
		return err
	}
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		changed, captcha, err := api.protection.Update(ctx, tx, edit, captchaEdit, ifVersion)
		if err != nil {
			return err
		}
		// The response shows dates in the new timezone and language.
		r.Principal.Store = changed
		writeSettings(r, captcha, out)
		return nil
	})
}

func readSettings(body *httpapi.Body) (store.Edit, protection.Edit, error) {
	var edit store.Edit
	var captchaEdit protection.Edit
	r := wire.NewReader(body.Reader())
	text := func(to **string) {
		if s, ok := r.String(); ok {
			*to = &s
		}
	}
	err := r.Document(func(name string) {
		switch name {
		case "name":
			text(&edit.Name)
		case "timezone":
			text(&edit.Timezone)
		case "locale":
			text(&edit.Locale)
		case "currency":
			text(&edit.Currency)
		case "site_url":
			text(&edit.SiteURL)
		case "cors_origins":
			if list, ok := readStrings(r); ok {
				edit.CORSOrigins = &list
			}
		case "recaptcha":
			captchaEdit = readCaptcha(r)
		}
	})
	return edit, captchaEdit, err
}

func readStrings(r *wire.Reader) (list []string, ok bool) {
	list = []string{}
	ok = r.Array(func(int) {
		if s, isString := r.String(); isString {
			list = append(list, s)
		}
	})
	return list, ok
}

// ifStoreVersion returns the version that the store must still have when it is changed, or nil if the request has no
// If-Match or "*". If-Match is compared with the version that was read with the credential.
func ifStoreVersion(r *httpapi.Request) (*int64, error) {
	matches := r.IfMatch()
	if matches == nil || strings.TrimSpace(r.Header.Get("If-Match")) == "*" {
		return nil, nil
	}
	version := r.Principal.Store.Version
	if !matches(version) {
		return nil, fault.VersionChanged()
	}
	return &version, nil
}

func writeSettings(r *httpapi.Request, captcha protection.Settings, out *httpapi.Response) {
	s, dates := r.Principal.Store, r.Dates()
	out.ETag = httpapi.ETag(s.Version)
	out.WriteData(Settings{
		ID: openapi.ID(s.ID), Name: s.Name, Timezone: s.Timezone, Locale: s.Locale, Currency: s.Currency,
		SiteURL: s.SiteURL, CORSOrigins: s.CORSOrigins,
		Recaptcha: renderCaptcha(captcha), CreatedAt: openapi.NewDate(s.CreatedAt, dates),
		UpdatedAt: openapi.NewDate(s.UpdatedAt, dates),
	})
}
