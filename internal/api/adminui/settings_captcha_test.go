package adminui_test

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// captchaForm returns the complete form of the captcha. The
// arguments changes are names and values, in turn, of fields to set.
func (v *client) captchaForm(changes ...string) url.Values {
	v.t.Helper()
	p := v.get("/settings/captcha").wantStatus(200)
	f := url.Values{"version": {p.between(`name="version" value="`, `"`)}, "password": {v.store.AdminPassword}}
	changes = append([]string{"recaptcha.active", "1", "recaptcha.site_url", "https://shop.example",
		"recaptcha.provider", "hcaptcha", "recaptcha.public_key", "p-key",
		"recaptcha.on_provider_error", "allow", "recaptcha.extra_hosts", "www.shop.example",
		"recaptcha.order_submission", "1", "recaptcha.order_submission.threshold", "0,7",
		"recaptcha.feedback_request", "1", "recaptcha.feedback_request.threshold", "0.5",
		"recaptcha.feedback_request.shadow", "1", "recaptcha.callback_request.threshold", "nonsense"}, changes...)
	for i := 0; i+1 < len(changes); i += 2 {
		f.Set(changes[i], changes[i+1])
	}
	return f
}

func (s *fixture) captcha() (settings protection.Settings) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) (err error) {
		settings, err = s.App.Protection.Settings(s.t.Context(), store.In(q, s.store.StoreID))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return settings
}

func TestSettings_saveAndValidateCaptcha(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		for _, c := range []struct{ field, value, errorField, message string }{
			{"recaptcha.secret_key", "", "recaptcha.secret_key", "has no secret key"},
			{"recaptcha.order_submission.threshold", "high", "recaptcha.actions",
				"order_submission: A threshold is a number from 0 to 1"},
			{"recaptcha.extra_hosts", "www.shop.example\nhttps://shop.example", "recaptcha.extra_hosts",
				"https://shop.example: This is no host"},
			{"recaptcha.provider", "own", "recaptcha.provider", "This captcha provider is not known"},
		} {
			p := v.post("/settings/captcha", v.captchaForm("recaptcha.secret_key", "s-key", c.field,
				c.value)).wantStatus(422).
				wantHTML().contains("Nothing was saved", `value="p-key"`).omits("s-key")
			message := html.UnescapeString(p.between(`id="`+c.errorField+`-wrong">`, "</div>"))
			if !strings.Contains(message, c.message) {
				t.Errorf("%s %q: the message beside the field is %q", c.field, c.value, message)
			}
		}

		if s.captcha().SecretKeySet() {
			t.Fatal("a refused form saved the secret key")
		}

		v.post("/settings/captcha", v.captchaForm("recaptcha.secret_key", "s-key")).wantRedirect("/settings/captcha")
		v.get("/settings/captcha").wantStatus(200).omits("s-key").
			contains("One is set and not shown", `<option value="hcaptcha" selected>`,
				`name="recaptcha.order_submission.threshold" value="0.7"`,
				`name="recaptcha.feedback_request.shadow" value="1" checked`)

		// An empty secret key keeps the stored key. The form of the store changes no captcha setting.
		v.post("/settings/captcha", v.captchaForm()).wantRedirect("/settings/captcha")
		v.post("/settings", v.settingsForm("site_url", "https://shop.example")).wantRedirect("/settings")
		got := s.captcha()
		if !got.Active || !got.SecretKeySet() || got.PublicKey != "p-key" ||
			got.OnProviderError != protection.AllowOnError || len(got.Actions) != 2 ||
			got.Actions[0] != (protection.ProtectedAction{Action: protection.OrderSubmission, Threshold: 0.7}) ||
			got.Actions[1] != (protection.ProtectedAction{Action: protection.FeedbackRequest, Threshold: 0.5,
				Shadow: true}) {
			t.Errorf("the captcha is %+v", got)
		}

		f := v.captchaForm()
		f.Del("recaptcha.active")
		v.post("/settings/captcha", f).wantRedirect("/settings/captcha")

		if s.captcha().Active {
			t.Error("the captcha is still active")
		}
	})
}

// A stolen session can neither turn the captcha off nor replace its secret key.
func TestSettings_captchaNeedsThePassword(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.post("/settings/captcha", v.captchaForm("recaptcha.secret_key", "s-key", "password", "")).wantStatus(422).
			contains(`id="password-wrong"`)
		v.post("/settings/captcha", v.captchaForm("recaptcha.secret_key", "s-key")).wantRedirect("/settings/captcha")
		v.post("/settings/captcha", v.captchaForm("recaptcha.active", "", "password", "")).wantStatus(422).
			contains(`id="password-wrong"`)
		v.post("/settings/captcha", v.captchaForm("recaptcha.secret_key", "other", "password", "")).wantStatus(422)
		if !s.captcha().Active {
			t.Error("the captcha was turned off without the password")
		}
		v.post("/settings/captcha", v.captchaForm("recaptcha.public_key", "other", "password", "")).
			wantRedirect("/settings/captcha")
	})
}

// Everything that saving again would overwrite is shown.
func TestSettings_captchaConflictShowsAllThatDiffers(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.post("/settings/captcha", v.captchaForm("recaptcha.secret_key", "s-key")).wantRedirect("/settings/captcha")
		mine := v.captchaForm()
		theirs := v.captchaForm("recaptcha.site_url", "https://other.example", "recaptcha.extra_hosts",
			"x.example\ny.example",
			"recaptcha.on_provider_error", "reject", "recaptcha.order_submission.shadow", "1")
		v.post("/settings/captcha", theirs).wantRedirect("/settings/captcha")
		v.post("/settings/captcha", mine).wantStatus(409).contains("https://other.example</td>",
			"<td>x.example, y.example",
			"<td>refuse requests</td><td>let requests pass", "Sending an order 0.7 (on trial)")
	})
}
