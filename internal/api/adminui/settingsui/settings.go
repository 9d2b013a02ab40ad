package settingsui

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// zoneNames has the timezones that the form offers, one per line. They are those of zone.tab in the tz database. A
// store may have another timezone, set through the API.
//
//go:embed zones.txt
var zoneNames string

// settingsForm is the form of the settings, filled from the store or from a request.
type settingsForm struct {
	Name, Timezone, Locale, Currency, SiteURL string
	Origins                                   string // one per line
	PublicRemainders                          bool
	Captcha                                   captchaForm
	// Version is the version of the store that the form shows. A save fails if the store has another version by then,
	// so that it does not overwrite a concurrent change.
	Version int64
	Errors  frame.FieldErrors
}

func newSettingsForm(s store.Store, c protection.Settings) settingsForm {
	return settingsForm{Name: s.Name, Timezone: s.Timezone, Locale: s.Locale, Currency: s.Currency, SiteURL: s.SiteURL,
		Origins: strings.Join(s.CORSOrigins, "\n"), PublicRemainders: s.PublicRemainders, Captcha: newCaptchaForm(c), Version: s.Version}
}

// Zones returns the timezones to choose from, grouped by region. The current one is always included.
func (f settingsForm) Zones() []zoneGroup {
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
func (f settingsForm) Languages() []string { return locale.SupportedTags() }

// Currencies returns the suggestions for the currency field. The form accepts every currency of ISO 4217.
func (f settingsForm) Currencies() []string {
	return []string{"AED", "AMD", "AZN", "BRL", "BYN", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "GEL", "INR", "JPY",
		"KGS", "KZT", "NOK", "PLN", "RON", "RUB", "SEK", "TRY", "UAH", "USD", "UZS"}
}

func (ui *UI) settingsPage(w http.ResponseWriter, r *httpapi.Request) error {
	captcha, err := frame.InStore(r, ui.Read(r), ui.Protection.Settings)
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Settings", "settings", newSettingsForm(r.Principal.Store, captcha))
	v.Success = frame.RedirectMessage(r, "saved", "The settings are saved.")
	return ui.pages.Render(w, http.StatusOK, "settings", v)
}

func (ui *UI) saveSettings(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(w, r)
	form, edit, captchaEdit := readSettingsForm(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (store.Store, audit.Entry, error) {
		changed, _, err := ui.Protection.Update(ctx, tx, edit, captchaEdit, &form.Version)
		entry := audit.Entry{Action: "settings.changed",
			Object: audit.Object{Kind: "store", ID: changed.ID.String(), Label: changed.Name}}
		return changed, entry, err
	})
	switch fault.KindOf(err) {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(err, formListElements(edit, captchaEdit))
		return ui.pages.Reject(w, "settings", ui.pages.NewView(r, "Settings", "settings", form),
			"Nothing was saved: look at the marked fields.")
	case fault.Stale:
		return ui.rejectStaleSettings(w, r, form)
	}
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/settings?saved")
}

// rejectStaleSettings renders the form as it was sent, but with the current version of the store, so that saving it
// again overwrites the concurrent change.
func (ui *UI) rejectStaleSettings(w http.ResponseWriter, r *httpapi.Request, form settingsForm) error {
	current, err := ui.Stores.Find(r.Context(), r.Principal.Store.ID)
	if err != nil {
		return err
	}
	form.Version = current.Version
	v := ui.pages.NewView(r, "Settings", "settings", form)
	v.Failure = "Somebody else changed the settings while you were editing, so nothing was saved. " +
		"Save again to overwrite their changes, or reload the page to see them."
	return ui.pages.Render(w, http.StatusConflict, "settings", v)
}

// readSettingsForm returns the form as it was sent, and the edits that it requests.
func readSettingsForm(r *httpapi.Request) (settingsForm, store.Edit, protection.Edit) {
	field := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	f := settingsForm{Name: field("name"), Timezone: field("timezone"), Locale: field("locale"),
		Currency: strings.ToUpper(field("currency")),
		SiteURL:  field("site_url"), Origins: field("cors_origins"), PublicRemainders: field("public_remainders") != ""}
	// A missing or malformed version becomes 0, which no store has, so the save is refused.
	f.Version, _ = strconv.ParseInt(field("version"), 10, 64)
	origins := frame.TextAreaLines(f.Origins)
	captcha, captchaEdit := readCaptchaForm(r.PostForm)
	f.Captcha = captcha
	return f, store.Edit{Name: &f.Name, Timezone: &f.Timezone, Locale: &f.Locale, Currency: &f.Currency,
		SiteURL: &f.SiteURL, CORSOrigins: &origins, PublicRemainders: &f.PublicRemainders}, captchaEdit
}
