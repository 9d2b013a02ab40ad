package settingsui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// scoreDays is the period of the histograms.
const scoreDays = 30

// captchaForm is the form of the captcha, filled from the store or from a request.
type captchaForm struct {
	Active                       bool
	Provider, PublicKey, SiteURL string
	SecretKeySet                 bool
	OnProviderError              string
	Hosts                        string // one per line
	Actions                      []captchaActionRow
	// Unchecked says that the provider did not answer, so the form offers to save without a check of the keys.
	Unchecked bool
	Version   int64
	Errors    frame.FieldErrors
	Conflicts []conflict
	// Refused are the requests that the captcha refused in the last scoreDays days, by day. RefusedTotal is their sum.
	Refused      frame.Chart
	RefusedTotal int64
}

// captchaActionRow is an operation that a captcha can protect.
type captchaActionRow struct {
	ID, Name          string
	Protected, Shadow bool
	Threshold         string
	// Scores is the histogram of the last scoreDays days; Total is their number, and Below says how many of them are
	// below the threshold.
	Scores frame.Chart
	Total  int64
	Below  string
}

// captchaActionRows returns all operations that can be protected, with their default threshold.
func captchaActionRows(l *frame.Language) []captchaActionRow {
	names := map[protection.Action]string{
		protection.PasswordlessRequest: l.T("Signing in with a code"),
		protection.OrderSubmission:     l.T("Sending an order"),
		protection.FeedbackRequest:     l.T("Sending feedback"), protection.CallbackRequest: l.T("Asking for a call"),
	}
	var rows []captchaActionRow
	for _, a := range protection.Actions() {
		rows = append(rows, captchaActionRow{ID: string(a), Name: cmp.Or(names[a], string(a)),
			Threshold: formatThreshold(protection.DefaultThreshold)})
	}
	return rows
}

func formatThreshold(threshold float64) string { return strconv.FormatFloat(threshold, 'f', -1, 64) }

func newCaptchaForm(l *frame.Language, s protection.Settings, version int64) captchaForm {
	f := captchaForm{
		Active: s.Active, Provider: string(s.Provider), PublicKey: s.PublicKey, SiteURL: s.SiteURL,
		SecretKeySet: s.SecretKeySet(), OnProviderError: string(s.OnProviderError),
		Hosts: strings.Join(s.ExtraHosts, "\n"), Version: version,
	}
	for _, row := range captchaActionRows(l) {
		if i := slices.IndexFunc(s.Actions,
			func(p protection.ProtectedAction) bool { return string(p.Action) == row.ID }); i >= 0 {
			row.Protected, row.Shadow, row.Threshold = true, s.Actions[i].Shadow,
				formatThreshold(s.Actions[i].Threshold)
		}
		f.Actions = append(f.Actions, row)
	}
	return f
}

// addScores adds the histograms to the operations.
func (f *captchaForm) addScores(l *frame.Language, scores map[protection.Action]protection.Histogram) {
	for i := range f.Actions {
		row := &f.Actions[i]
		h := scores[protection.Action(row.ID)]
		row.Total = h.Total()
		if threshold := parseFormThreshold(row.Threshold); threshold >= 0 && row.Total > 0 {
			row.Below = l.T("%s of %s requests of the last 30 days are below %s.", l.Number(h.Below(threshold)),
				l.Number(row.Total), row.Threshold)
		}

		row.Scores = frame.Chart{Kind: "bars", Title: l.T("Scores: %s", row.Name), Column: l.T("Score")}
		series := frame.Series{Name: l.T("Requests")}
		for bucket, n := range h {
			row.Scores.Labels = append(row.Scores.Labels, fmt.Sprintf("%.1f–%.1f", float64(bucket)/10,
				float64(bucket+1)/10))
			series.Values = append(series.Values, float64(n))
			series.Texts = append(series.Texts, l.Number(n))
		}

		row.Scores.Series = []frame.Series{series}
	}
}

// Providers returns the captcha providers to choose from.
func (f captchaForm) Providers() []captcha.Provider { return captcha.Providers() }

func providerName(p captcha.Provider) string {
	return cmp.Or(map[captcha.Provider]string{
		captcha.RecaptchaV3: "Google reCAPTCHA v3", captcha.Turnstile: "Cloudflare Turnstile",
		captcha.HCaptcha: "hCaptcha", captcha.SmartCaptcha: "Yandex SmartCaptcha",
	}[p], string(p))
}

// readCaptchaForm returns the form as it was sent, and the edit that it requests. An empty secret key leaves the stored
// one unchanged, since the page never shows it.
func readCaptchaForm(l *frame.Language, r *httpapi.Request) (captchaForm, protection.Edit) {
	field := func(name string) string { return formField(r)("recaptcha." + name) }
	f := captchaForm{
		Active: field("active") != "", Provider: field("provider"), PublicKey: field("public_key"),
		SiteURL: field("site_url"), SecretKeySet: field("secret_key_set") != "",
		OnProviderError: field("on_provider_error"), Hosts: field("extra_hosts"), Version: readVersion(r),
	}
	actions := []protection.ProtectedAction{}
	for _, row := range captchaActionRows(l) {
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

// conflicts returns what differs between the stored settings and the form.
func (f captchaForm) conflicts(l *frame.Language, s protection.Settings) (all []conflict) {
	theirs := newCaptchaForm(l, s, 0)
	add := func(label string, text func(captchaForm) string) { addConflict(&all, label, text(theirs), text(f)) }
	add(l.T("Captcha"), func(f captchaForm) string {
		if f.Active {
			return l.T("on")
		}
		return l.T("off")
	})
	add(l.T("Provider"), func(f captchaForm) string { return f.Provider })
	add(l.T("When the provider does not answer"), func(f captchaForm) string {
		if f.OnProviderError == string(protection.AllowOnError) {
			return l.T("let requests pass")
		}
		return l.T("refuse requests")
	})
	add(l.T("Public key"), func(f captchaForm) string { return f.PublicKey })
	add(l.T("Site of the captcha"), func(f captchaForm) string { return f.SiteURL })
	add(l.T("Other hosts"), func(f captchaForm) string { return strings.Join(frame.TextAreaLines(f.Hosts), ", ") })

	add(l.T("Protected operations"), func(f captchaForm) string {
		var list []string
		for _, row := range f.Actions {
			if row.Protected && row.Shadow {
				list = append(list, l.T("%s (on trial)", row.Name+" "+row.Threshold))
			} else if row.Protected {
				list = append(list, row.Name+" "+row.Threshold)
			}
		}

		return strings.Join(list, ", ")
	})

	return all
}

func (ui *UI) captchaPage(w http.ResponseWriter, r *httpapi.Request) error {
	settings, err := frame.InStore(r, ui.Read(r), ui.Protection.Settings)
	if err != nil {
		return err
	}
	form := newCaptchaForm(ui.pages.Language(r), settings, r.Principal.Store.Version)
	return ui.renderCaptcha(w, r, http.StatusOK, form, "")
}

// addRefused adds the chart of the refused requests.
func (f *captchaForm) addRefused(v frame.View, first int64, refused []store.DailyCount) {
	series := frame.Series{Name: v.T("Refused"), Color: "warn", Values: make([]float64, scoreDays),
		Texts: make([]string, scoreDays)}
	f.Refused = frame.Chart{Kind: "bars", Title: v.T("Refused by the captcha per day"), Column: v.T("Day")}
	for _, c := range refused {
		series.Values[c.Day-first] += float64(c.Count)
		f.RefusedTotal += c.Count
	}
	for i, n := range series.Values {
		series.Texts[i] = v.Number(int64(n))
		day := store.DayTime(first + int64(i))
		midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, v.Store.Zone())
		f.Refused.Labels = append(f.Refused.Labels, v.Date(midnight))
	}
	f.Refused.Series = []frame.Series{series}
}

// renderCaptcha renders the form with the histograms.
func (ui *UI) renderCaptcha(
	w http.ResponseWriter, r *httpapi.Request, status int, form captchaForm, failure string,
) error {
	v := ui.pages.NewView(r, "Captcha", "settings", nil)
	today := store.DayNumber(ui.Now().In(v.Store.Zone()))
	var refused []store.DailyCount
	scores, err := frame.InStore(r, ui.Read(r),
		func(ctx context.Context, tx store.Tx) (_ map[protection.Action]protection.Histogram, err error) {
			refused, err = store.CountsPerDay(ctx, tx, protection.RefusedCount, today-scoreDays+1, today)
			if err != nil {
				return nil, err
			}
			return ui.Protection.Scores(ctx, tx, scoreDays)
		})
	if err != nil {
		return err
	}

	form.addScores(v.Language, scores)
	form.addRefused(v, today-scoreDays+1, refused)
	v.Body = form
	v.Failure = failure
	return ui.pages.Render(w, status, "captcha", v)
}

func (ui *UI) saveCaptcha(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	l := ui.pages.Language(r)
	form, edit := readCaptchaForm(l, r)
	passwordRequired, err := ui.ConfirmIfTyped(w, r)
	providerFailed := false
	if err == nil && r.PostForm.Get("unchecked") == "" {
		err = ui.Protection.CheckKeys(r.Context(), r.Principal.Store, edit)
		providerFailed = fault.KindOf(err) == fault.Unavailable
	}

	if err == nil {
		err = ui.update(r, form.Version, store.Edit{}, edit, passwordRequired)
	}

	switch kind := fault.KindOf(err); {
	case kind == fault.Invalid:
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, captchaListElements(edit))
		return ui.renderCaptcha(w, r, http.StatusUnprocessableEntity, form,
			l.T("Nothing was saved: look at the marked fields."))
	case providerFailed:
		form.Unchecked = true
		return ui.renderCaptcha(w, r, http.StatusUnprocessableEntity, form,
			l.T("The provider did not answer, so the keys could not be checked and nothing was saved. Try again, "+
				"or save without the check."))
	case kind == fault.Stale:
		return ui.rejectStaleCaptcha(w, r, form)
	}

	return ui.saved(w, r, err, "/settings/captcha")
}

func (ui *UI) rejectStaleCaptcha(w http.ResponseWriter, r *httpapi.Request, form captchaForm) error {
	current, err := ui.Stores.Find(r.Context(), r.Principal.Store.ID)
	if err != nil {
		return err
	}
	settings, err := frame.InStore(r, ui.Read(r), ui.Protection.Settings)
	if err != nil {
		return err
	}
	l := ui.pages.Language(r)
	form.Version, form.Conflicts = current.Version, form.conflicts(l, settings)
	return ui.renderCaptcha(w, r, http.StatusConflict, form,
		l.T("Somebody else changed the settings while you were editing, so nothing was saved. "+
			"Save again to overwrite their changes, or reload the page to see them."))
}

// captchaListElements returns the elements of the lists in the edit by field name, for NewFieldErrors.
func captchaListElements(edit protection.Edit) map[string][]string {
	all := map[string][]string{"recaptcha.extra_hosts": *edit.ExtraHosts}
	for _, p := range *edit.Actions {
		all["recaptcha.actions"] = append(all["recaptcha.actions"], string(p.Action))
	}
	return all
}
