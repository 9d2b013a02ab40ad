package settingsui

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// captchaForm is the captcha section of the settings form, filled from the store or from a request.
type captchaForm struct {
	Active                       bool
	Provider, PublicKey, SiteURL string
	SecretKeySet                 bool
	OnProviderError              string
	Hosts                        string // one per line
	Actions                      []captchaActionRow
}

// captchaActionRow is a row of the captcha section: an operation that a captcha can protect.
type captchaActionRow struct {
	ID, Name          string
	Protected, Shadow bool
	Threshold         string
}

func newCaptchaForm(s protection.Settings) captchaForm {
	f := captchaForm{
		Active: s.Active, Provider: string(s.Provider), PublicKey: s.PublicKey, SiteURL: s.SiteURL,
		SecretKeySet:    s.SecretKeySet(),
		OnProviderError: string(s.OnProviderError), Hosts: strings.Join(s.ExtraHosts, "\n"),
	}
	for _, row := range captchaActionRows() {
		if i := slices.IndexFunc(s.Actions,
			func(p protection.ProtectedAction) bool { return string(p.Action) == row.ID }); i >= 0 {
			row.Protected, row.Shadow, row.Threshold = true, s.Actions[i].Shadow,
				strconv.FormatFloat(s.Actions[i].Threshold, 'f', -1, 64)
		}
		f.Actions = append(f.Actions, row)
	}
	return f
}

// captchaActionRows returns all operations that can be protected, with English names, since the pages are in English.
func captchaActionRows() []captchaActionRow {
	english, err := locale.Parse("en")
	if err != nil {
		panic("settingsui: " + err.Error())
	}
	var rows []captchaActionRow
	for _, a := range protection.Actions() {
		rows = append(rows, captchaActionRow{ID: string(a), Name: a.Name(english),
			Threshold: strconv.FormatFloat(protection.DefaultThreshold, 'f', -1, 64)})
	}
	return rows
}

// Providers returns the captcha providers to choose from.
func (f captchaForm) Providers() []captcha.Provider { return captcha.Providers() }

func providerName(p captcha.Provider) string {
	return cmp.Or(map[captcha.Provider]string{
		captcha.RecaptchaV3: "Google reCAPTCHA v3", captcha.Turnstile: "Cloudflare Turnstile",
		captcha.HCaptcha: "hCaptcha", captcha.SmartCaptcha: "Yandex SmartCaptcha",
	}[p], string(p))
}

// readCaptchaForm returns the captcha section as it was sent, and the edit that it requests. The edit is empty if the
// form has no captcha section. An empty secret key leaves the stored one unchanged, since the page never shows it.
func readCaptchaForm(sent url.Values) (captchaForm, protection.Edit) {
	if !sent.Has("recaptcha") {
		return captchaForm{}, protection.Edit{}
	}
	field := func(name string) string { return strings.TrimSpace(sent.Get("recaptcha." + name)) }
	f := captchaForm{
		Active: field("active") != "", Provider: field("provider"), PublicKey: field("public_key"),
		SiteURL:      field("site_url"),
		SecretKeySet: field("secret_key_set") != "", OnProviderError: field("on_provider_error"),
		Hosts: field("extra_hosts"),
	}
	actions := []protection.ProtectedAction{}
	for _, row := range captchaActionRows() {
		row.Protected, row.Shadow, row.Threshold = field(row.ID) != "", field(row.ID+".shadow") != "",
			field(row.ID+".threshold")
		f.Actions = append(f.Actions, row)
		if row.Protected {
			actions = append(actions, protection.ProtectedAction{
				Action: protection.Action(row.ID), Threshold: parseFormThreshold(row.Threshold), Shadow: row.Shadow})
		}
	}
	hosts := frame.TextAreaLines(f.Hosts)
	e := protection.Edit{
		Active: &f.Active, Provider: &f.Provider, PublicKey: &f.PublicKey, SiteURL: &f.SiteURL,
		OnProviderError: &f.OnProviderError, ExtraHosts: &hosts, Actions: &actions,
	}
	if secret := field("secret_key"); secret != "" {
		e.SecretKey = &secret
	}
	return f, e
}

// parseFormThreshold parses a number with a decimal point or comma. It returns -1, which is not a valid threshold, for
// other text.
func parseFormThreshold(text string) float64 {
	f, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil {
		return -1
	}
	return f
}

// formListElements returns the elements of the lists in the edits by field name, for newFieldErrors.
func formListElements(edit store.Edit, captchaEdit protection.Edit) map[string][]string {
	all := map[string][]string{"cors_origins": *edit.CORSOrigins}
	if captchaEdit.ExtraHosts != nil {
		all["recaptcha.extra_hosts"] = *captchaEdit.ExtraHosts
	}
	if captchaEdit.Actions != nil {
		for _, p := range *captchaEdit.Actions {
			all["recaptcha.actions"] = append(all["recaptcha.actions"], string(p.Action))
		}
	}
	return all
}
