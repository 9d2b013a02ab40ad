package settingsui

import (
	"cmp"
	"context"
	_ "embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/confirm"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// zoneNames has the timezones that the form offers, one per line. They are the timezones of zone.tab in the tz
// database. A store may have another timezone, set through the API.
//
//go:embed zones.txt
var zoneNames string

// conflict is a field that somebody else has changed since the form was opened, or that the form changes.
type conflict struct{ Label, Theirs, Yours string }

// addConflict adds a field whose stored value differs from the one in the form.
func addConflict(all *[]conflict, label, theirs, yours string) {
	if theirs != yours {
		*all = append(*all, conflict{label, theirs, yours})
	}
}

// storeForm is the form of the store's own settings, filled from the store or from a request.
type storeForm struct {
	Name, Timezone, Locale, Currency, SiteURL, Address string
	ProductPath, CategoryPath                          string
	PublicRemainders                                   bool
	// OldPriceList is the id of the list whose prices are shown crossed out, or "". PriceLists are the choices.
	OldPriceList string
	PriceLists   []catalog.PriceList
	// AsksPassword says that the form has a field for the password. It is needed while the captcha is on, because the
	// captcha accepts what was solved on the site.
	AsksPassword bool
	// Version is the version of the store that the form shows. A save fails if the store has another version by then,
	// so that it does not overwrite a concurrent change.
	Version   int64
	Errors    frame.FieldErrors
	Conflicts []conflict
}

func newStoreForm(s store.Store) storeForm {
	form := storeForm{Name: s.Name, Timezone: s.Timezone, Locale: s.Locale, Currency: s.Currency, SiteURL: s.SiteURL,
		Address: s.Address, ProductPath: string(s.Paths.Product), CategoryPath: string(s.Paths.Category),
		PublicRemainders: s.PublicRemainders, Version: s.Version}
	if s.OldPriceList != nil {
		form.OldPriceList = s.OldPriceList.String()
	}
	return form
}

// readPriceLists returns the price lists in the currency of the store.
func (ui *UI) readPriceLists(r *httpapi.Request) ([]catalog.PriceList, error) {
	return frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) ([]catalog.PriceList, error) {
		lists, _, err := ui.Prices.Lists.List(ctx, tx, "", pricelist.MaxLists, 0)
		lists = slices.DeleteFunc(lists,
			func(l catalog.PriceList) bool { return l.Currency != r.Principal.Store.Currency })
		return lists, err
	})
}

// conflicts returns what differs between the stored settings and the form.
func (f storeForm) conflicts(l *frame.Language, s store.Store) (all []conflict) {
	words := func(yes bool) string {
		if yes {
			return l.T("yes")
		}
		return l.T("no")
	}

	addConflict(&all, l.T("Name of the shop"), s.Name, f.Name)
	addConflict(&all, l.T("Timezone"), s.Timezone, f.Timezone)
	addConflict(&all, l.T("Language"), s.Locale, f.Locale)
	addConflict(&all, l.T("Currency"), s.Currency, f.Currency)
	addConflict(&all, l.T("Address of the site"), s.SiteURL, f.SiteURL)
	addConflict(&all, l.T("Postal address of the shop"), s.Address, f.Address)
	addConflict(&all, l.T("Paths of products"), string(s.Paths.Product), f.ProductPath)
	addConflict(&all, l.T("Paths of categories"), string(s.Paths.Category), f.CategoryPath)
	addConflict(&all, l.T("Show everybody what each warehouse has"), words(s.PublicRemainders),
		words(f.PublicRemainders))
	return all
}

// Zones returns the timezones to choose from, grouped by region. The current one is always included.
func (f storeForm) Zones() []zoneGroup {
	names := append(strings.Fields(zoneNames), "UTC")
	if !slices.Contains(names, f.Timezone) && f.Timezone != "" {
		names = append(names, f.Timezone)
	}

	slices.Sort(names)
	var groups []zoneGroup
	for _, name := range names {
		region, _, found := strings.Cut(name, "/")
		if !found {
			region = "Other"
		}

		//messages: "Africa" "America" "Antarctica" "Arctic" "Asia" "Atlantic" "Australia" "Europe"
		//messages: "Indian" "Other" "Pacific"
		i := slices.IndexFunc(groups, func(g zoneGroup) bool { return g.Region == region })
		if i < 0 {
			i = len(groups)
			groups = append(groups, zoneGroup{Region: region})
		}

		groups[i].Names = append(groups[i].Names, name)
	}

	return groups
}

type zoneGroup struct {
	Region string
	Names  []string
}

// Languages returns the locales to choose from.
func (f storeForm) Languages() []string {
	//messages: "English" "French" "German" "Kazakh" "Russian" "Spanish" "Ukrainian"
	return locale.SupportedTags()
}

// Currencies returns the suggestions for the currency field. The form accepts every currency of ISO 4217.
func (f storeForm) Currencies() []string {
	return []string{"AED", "AMD", "AZN", "BRL", "BYN", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "GEL", "INR", "JPY",
		"KGS", "KZT", "NOK", "PLN", "RON", "RUB", "SEK", "TRY", "UAH", "USD", "UZS"}
}

func (ui *UI) storePage(w http.ResponseWriter, r *httpapi.Request) error {
	captchaSettings, err := frame.InStore(r, ui.Read(r), ui.Protection.Settings)
	if err != nil {
		return err
	}
	form := newStoreForm(r.Principal.Store)
	form.AsksPassword = captchaSettings.Active && r.Principal.May(access.StoreWrite)
	if form.PriceLists, err = ui.readPriceLists(r); err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Settings", "settings", form)
	return ui.pages.Render(w, http.StatusOK, "settings", v)
}

func (ui *UI) saveStore(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	field := formField(r)
	form := storeForm{Name: field("name"), Timezone: field("timezone"), Locale: field("locale"),
		Currency: strings.ToUpper(field("currency")), SiteURL: field("site_url"),
		Address: field("address"), ProductPath: field("paths.product"), CategoryPath: field("paths.category"),
		PublicRemainders: field("public_remainders") != "", Version: readVersion(r)}

	if err := r.Err(); err != nil {
		return err
	}

	lists, err := ui.readPriceLists(r)
	if err != nil {
		return err
	}
	form.OldPriceList = field("old_price_list")
	form.PriceLists = lists
	edit := store.Edit{Name: &form.Name, Timezone: &form.Timezone, Locale: &form.Locale, Currency: &form.Currency,
		SiteURL: &form.SiteURL, PublicRemainders: &form.PublicRemainders}
	if r.PostForm.Has("address") {
		edit.Address = &form.Address
	} else {
		form.Address = r.Principal.Store.Address
	}
	if r.PostForm.Has("paths.product") && r.PostForm.Has("paths.category") {
		edit.Paths = store.PathsEdit{Product: &form.ProductPath, Category: &form.CategoryPath}
	} else {
		form.ProductPath = string(r.Principal.Store.Paths.Product)
		form.CategoryPath = string(r.Principal.Store.Paths.Category)
	}
	var listErr error
	if r.PostForm.Has("old_price_list") { // the form of a store without price lists has no such field
		edit.OldPriceList, listErr = readOldPriceList(form.OldPriceList)
	}

	passwordRequired, err := ui.ConfirmIfTyped(w, r)
	if err = cmp.Or(listErr, err); err == nil {
		err = ui.update(r, form.Version, edit, protection.Edit{}, passwordRequired)
	}

	form.AsksPassword = r.PostForm.Has("password")
	l := ui.pages.Language(r)
	switch fault.KindOf(err) {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		// The captcha needs the address of the site; the message belongs to that field here.
		form.Errors["site_url"] = append(form.Errors["site_url"], form.Errors["recaptcha.site_url"]...)
		form.AsksPassword = form.AsksPassword || form.Errors["password"] != nil
		return ui.pages.Reject(w, "settings", ui.pages.NewView(r, "Settings", "settings", form),
			l.T("Nothing was saved: look at the marked fields."))

	case fault.Conflict: // another currency than that of price lists in use
		v := ui.pages.NewView(r, "Settings", "settings", form)
		return ui.pages.Reject(w, "settings", v, v.Refusal(err))

	case fault.Stale:
		current, err := ui.Stores.Find(r.Context(), r.Principal.Store.ID)
		if err != nil {
			return err
		}
		form.Version, form.Conflicts = current.Version, form.conflicts(l, current)
		return ui.rejectStale(w, r, "settings", "Settings", form)
	}

	return ui.saved(w, r, err, "/settings")
}

// readOldPriceList returns the id of the list of old prices in a form; "" is none, which is the zero id. The error is
// fault.Invalid.
func readOldPriceList(text string) (*store.PriceListID, error) {
	if text == "" {
		return &store.PriceListID{}, nil
	}
	listID, err := id.Parse[store.PriceList](text)
	if err != nil {
		return nil, fault.OneField("old_price_list", "invalid_id", "Load the page again.")
	}
	return &listID, nil
}

// update changes the settings in a transaction. A stolen session must not be able to let programs in, so an edit that
// weakens the captcha needs the password.
func (ui *UI) update(
	r *httpapi.Request, version int64, edit store.Edit, captchaEdit protection.Edit, passwordRequired func() error,
) error {
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (store.Store, error) {
		updated, err := ui.Protection.Update(ctx, tx, edit, captchaEdit, &version)
		if err == nil && confirm.Settings(updated, captchaEdit.SecretKey != nil) {
			err = passwordRequired()
		}
		if err != nil {
			return updated.Store, err
		}
		return updated.Store, audit.Record(ctx, tx, updated.Entry)
	})
	return err
}

// saved answers a form whose settings were saved, unless there is an error.
func (ui *UI) saved(w http.ResponseWriter, r *httpapi.Request, err error, target string) error {
	return ui.Done(w, r, err, target, ui.pages.Language(r).T("The settings are saved."))
}

// rejectStale renders a form as it was sent, but with the current version of the store, so that saving it again
// overwrites the concurrent change, which the page shows.
func (ui *UI) rejectStale(w http.ResponseWriter, r *httpapi.Request, page, title string, form any) error {
	v := ui.pages.NewView(r, title, "settings", form)
	v.Failure = v.T("Somebody else changed the settings while you were editing, so nothing was saved. " +
		"Save again to overwrite their changes, or reload the page to see them.")
	return ui.pages.Render(w, http.StatusConflict, page, v)
}

// formField returns a function that returns a trimmed field of the form.
func formField(r *httpapi.Request) func(name string) string {
	return func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
}

// readVersion returns the version in a form. A missing or malformed one becomes 0, which nothing has, so the save is
// refused.
func readVersion(r *httpapi.Request) int64 {
	version, _ := strconv.ParseInt(strings.TrimSpace(r.PostForm.Get("version")), 10, 64)
	return version
}

// sitesForm is the form of the sites that may use the shop.
type sitesForm struct {
	Origins string // one per line
	// Suggestion is the address of the shop's own site, if it is not in the list.
	Suggestion string
	Version    int64
	Errors     frame.FieldErrors
	Conflicts  []conflict
}

// siteOrigin returns the origin of the store's site, or "" if it has none or if the origin is allowed.
func siteOrigin(s store.Store) string {
	u, err := url.Parse(s.SiteURL)
	if err != nil || u.Host == "" {
		return ""
	}
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	if s.AllowsOrigin(origin) {
		return ""
	}
	return origin
}

func (ui *UI) sitesPage(w http.ResponseWriter, r *httpapi.Request) error {
	s := r.Principal.Store
	return ui.pages.Render(w, http.StatusOK, "sites", ui.pages.NewView(r, "Sites that may use the shop", "settings",
		sitesForm{Origins: strings.Join(s.CORSOrigins, "\n"), Suggestion: siteOrigin(s), Version: s.Version}))
}

func (ui *UI) saveSites(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	form := sitesForm{Origins: formField(r)("cors_origins"), Suggestion: siteOrigin(r.Principal.Store),
		Version: readVersion(r)}
	origins := frame.TextAreaLines(form.Origins)
	if extra := r.PostForm.Get("add"); extra != "" && !slices.Contains(origins, extra) {
		origins = append(origins, extra)
		form.Origins = strings.Join(origins, "\n")
	}

	// The sites that may use the shop are not those of the captcha, so this never needs the password.
	err := ui.update(r, form.Version, store.Edit{CORSOrigins: &origins}, protection.Edit{}, account.PasswordMissing)
	l := ui.pages.Language(r)
	switch fault.KindOf(err) {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, map[string][]string{"cors_origins": origins})
		return ui.pages.Reject(w, "sites", ui.pages.NewView(r, "Sites that may use the shop", "settings", form),
			l.T("Nothing was saved: look at the marked fields."))
	case fault.Stale:
		current, err := ui.Stores.Find(r.Context(), r.Principal.Store.ID)
		if err != nil {
			return err
		}
		form.Version = current.Version
		addConflict(&form.Conflicts, l.T("Sites"), strings.Join(current.CORSOrigins, ", "), strings.Join(origins, ", "))
		return ui.rejectStale(w, r, "sites", "Sites that may use the shop", form)
	}

	return ui.saved(w, r, err, "/settings/sites")
}
