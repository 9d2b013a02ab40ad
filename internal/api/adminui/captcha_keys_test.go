package adminui_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/captchatest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// The provider is asked about the keys before they are saved, and the scores of real requests stand beside the
// threshold.
func TestCaptcha_keysAreCheckedAndScoresShown(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			provider := captchatest.New(t)
			site := provider.Site(captcha.RecaptchaV3, "shop.example")
			s := newFixture(t, engine,
				apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = provider.URL() }))
			v := s.owner()
			keys := []string{"recaptcha.provider", "recaptcha_v3", "recaptcha.public_key", site.PublicKey,
				"recaptcha.feedback_request.shadow", ""}
			v.post("/settings/captcha",
				v.captchaForm(append(keys, "recaptcha.secret_key", "wrong")...)).wantStatus(422).
				contains(`id="recaptcha.secret_key-wrong"`, "refuses this secret key")

			if s.captcha().SecretKeySet() {
				t.Fatal("a key that the provider refuses was saved")
			}

			v.post("/settings/captcha", v.captchaForm(append(keys, "recaptcha.secret_key", site.SecretKey)...)).
				wantRedirect("/settings/captcha")
			v.get("/settings/captcha").wantStatus(200).contains("No scores in the last 30 days.")
			s.Do("POST", "/v2/feedback", map[string]any{"name": "Anna", "message": "Hello",
				"recaptcha": map[string]string{"token": site.Token("feedback_request")}},
				apitest.As(s.store.PublishableKey))
			storetest.Eventually(t, "the score is in the histogram", func() bool {
				s.Clock.Advance(1)
				p := v.get("/settings/captcha").wantStatus(200)
				return strings.Contains(p.text, "0 of 1 requests of the last 30 days are below 0.5.")
			})
			provider.Close()
			v.post("/settings/captcha", v.captchaForm(append(keys, "recaptcha.public_key", "other")...)).
				wantStatus(422).contains(`name="unchecked"`)
			v.post("/settings/captcha",
				v.captchaForm(append(keys, "recaptcha.public_key", "other", "unchecked", "1")...)).
				wantRedirect("/settings/captcha")
			v.get("/settings/log").contains("Settings changed", "Secret key").omits(site.SecretKey)
		})
	}
}
