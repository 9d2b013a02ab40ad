package adminapi

import (
	"context"
	"net/http"
	"strings"

	"vitrine/internal/api/confirm"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange/onec"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// settings returns the settings of the store. Authentication has loaded the store, so only the captcha settings need a
// query.
func (api *API) settings(w http.ResponseWriter, r *httpapi.Request) error {
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		captcha, err := api.protection.Settings(ctx, tx)
		if err != nil {
			return err
		}
		oneC, _, err := api.onec.Settings(ctx, tx)
		if err != nil {
			return err
		}
		writeSettings(r, captcha, oneC, out)
		return nil
	})
}

func (api *API) editSettings(w http.ResponseWriter, r *httpapi.Request) error {
	edit := httpapi.ReadJSON(r, readSettings)
	ifVersion := ifStoreVersion(r)
	passwordRequired := api.confirmIfSent(r, edit.password)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		updated, err := api.protection.Update(ctx, tx, edit.store, edit.captcha, ifVersion)
		if err != nil {
			return err
		}

		if confirm.Settings(updated, edit.captcha.SecretKey != nil) {
			if err := passwordRequired(); err != nil {
				return err
			}
		}

		oneC, changes, err := api.onec.Edit(ctx, tx, edit.oneC)
		if err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, updated.EntryWith(changes)); err != nil {
			return err
		}

		// The response shows dates in the new timezone and language.
		r.Principal.Store = updated.Store
		writeSettings(r, updated.Settings, oneC, out)
		return nil
	})
}

type settingsEdit struct {
	store    store.Edit
	captcha  protection.Edit
	oneC     onec.Edit
	password string
}

func readSettings(r *wire.Reader) (e settingsEdit) {
	r.Object(func(name string) {
		switch name {
		case "password":
			if !r.Null() {
				e.password, _ = r.String()
			}
		case "name":
			e.store.Name = wire.OrNil(r.String())
		case "timezone":
			e.store.Timezone = wire.OrNil(r.String())
		case "locale":
			e.store.Locale = wire.OrNil(r.String())
		case "currency":
			e.store.Currency = wire.OrNil(r.String())
		case "site_url":
			e.store.SiteURL = wire.OrNil(r.String())
		case "address":
			e.store.Address = wire.OrNil(r.String())
		case "paths":
			e.store.Paths = readPaths(r)
		case "cors_origins":
			e.store.CORSOrigins = wire.OrNil(readStrings(r))
		case "public_remainders":
			e.store.PublicRemainders = wire.OrNil(r.Bool())
		case "old_price_list":
			e.store.OldPriceList = new(store.PriceListID)
			if !r.Null() {
				e.store.OldPriceList = wire.OrNil(wire.ID[store.PriceList](r))
			}
		case "recaptcha":
			e.captcha = readCaptcha(r)
		case "commerceml":
			e.oneC = readOneC(r)
		}
	})

	return e
}

// readPaths reads the member paths of the settings.
func readPaths(r *wire.Reader) (e store.PathsEdit) {
	r.Object(func(name string) {
		switch name {
		case "product":
			e.Product = wire.OrNil(r.String())
		case "category":
			e.Category = wire.OrNil(r.String())
		}
	})
	return e
}

// readOneC reads the member commerceml of the settings.
func readOneC(r *wire.Reader) (e onec.Edit) {
	r.Object(func(name string) {
		switch name {
		case "price_type":
			e.PriceType = wire.OrNil(r.String())
		case "name_from":
			e.NameFrom = wire.OrNil(r.String())
		case "states":
			e.States = wire.OrNil(readTexts(r))
		case "missing":
			e.Missing = wire.OrNil(r.String())
		case "requisites":
			e.Requisites = wire.OrNil(readStrings(r))
		case "stock_is_free":
			e.StockIsFree = wire.OrNil(r.Bool())
		case "zero_price":
			e.ZeroPrice = wire.OrNil(r.String())
		case "package_minutes":
			e.PackageMinutes = wire.OrNil(r.Fixed(0, 9))
		}
	})

	return e
}

// readTexts reads an object whose members are strings.
func readTexts(r *wire.Reader) (texts map[string]string, ok bool) {
	texts = map[string]string{}
	ok = r.Object(func(name string) { texts[name], _ = r.String() })
	return texts, ok
}

// maxListed limits the lists of names. All of them are short, and each unknown name is reported.
const maxListed = 1000

func readStrings(r *wire.Reader) (list []string, ok bool) {
	read := wire.ListUpTo(r, maxListed, func(r *wire.Reader) string {
		s, _ := r.String()
		return s
	})
	if read == nil {
		return []string{}, false
	}
	return *read, true
}

// ifStoreVersion returns the version that the store must still have when it is changed, or nil if If-Match is absent or
// "*". It fails the request if If-Match does not match the version that authentication has loaded.
func ifStoreVersion(r *httpapi.Request) *int64 {
	matches := r.IfMatch()
	if matches == nil || strings.TrimSpace(r.Header.Get("If-Match")) == "*" {
		return nil
	}
	version := r.Principal.Store.Version
	if !matches(version) {
		r.Fail(fault.VersionChanged())
	}
	return &version
}

func writeSettings(
	r *httpapi.Request, captcha protection.Settings, oneC onec.Settings, out *httpapi.Response,
) {
	s := r.Principal.Store
	dates := r.Dates()
	out.WriteResource(s.Version, Settings{
		ID: schema.ID(s.ID), Name: s.Name, Timezone: s.Timezone, Locale: s.Locale, Currency: s.Currency,
		SiteURL: s.SiteURL, Address: s.Address,
		Paths:       Paths{Product: string(s.Paths.Product), Category: string(s.Paths.Category)},
		CORSOrigins: s.CORSOrigins, PublicRemainders: s.PublicRemainders,
		OldPriceList: schema.IDOrNull(s.OldPriceList),
		Recaptcha:    renderCaptcha(captcha),
		CommerceML: OneC{PriceType: oneC.PriceType, Missing: oneC.Missing, Requisites: oneC.Requisites,
			StockIsFree: *oneC.StockIsFree, ZeroPrice: oneC.ZeroPrice, PackageMinutes: oneC.PackageMinutes,
			NameFrom: oneC.NameFrom, States: oneC.States},
		CreatedAt: schema.NewDate(s.CreatedAt, dates), UpdatedAt: schema.NewDate(s.UpdatedAt, dates),
	})
}
