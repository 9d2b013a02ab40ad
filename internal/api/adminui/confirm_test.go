package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/api/confirm"
	"vitrine/internal/shop/access"
)

// No page makes a change of the table without the password.
func TestPages_needThePasswordForEveryRowOfTheTable(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		strict := []string{"recaptcha.secret_key", "s-key", "recaptcha.on_provider_error", "reject",
			"recaptcha.site_url", "", "recaptcha.feedback_request.shadow", ""}
		settings := v.get("/settings").wantStatus(200)
		v.post("/settings", url.Values{"name": {"North"}, "timezone": {"UTC"}, "locale": {"en"}, "currency": {"EUR"},
			"site_url": {"https://shop.example"},
			"version":  {settings.between(`name="version" value="`, `"`)}}).wantStatus(303)
		v.post("/settings/captcha", v.captchaForm(strict...)).wantStatus(303)
		v.post("/webhooks", url.Values{"url": {"https://partner.example/in"}, "access": {"some"},
			"types": {"order.submitted"}, "password": {s.store.AdminPassword}}).wantStatus(201)
		receiver := "/webhooks/" + v.get("/webhooks").between(`<th scope="row"><a href="/webhooks/`, `"`)
		s.newOperator(access.Viewer)
		team, _, _ := strings.Cut(v.get("/settings/team").text, `">second-viewer@north.example`)
		member := team[strings.LastIndex(team, "/settings/team/"):]
		key := "/keys/" + s.keys(s.store)[0].ID.String()

		captcha := func(changes ...string) url.Values {
			f := v.captchaForm(append(append([]string{}, strict...), changes...)...)
			f.Del("recaptcha.secret_key")
			for _, name := range []string{"recaptcha.feedback_request.shadow", "recaptcha.active",
				"recaptcha.feedback_request"} {
				if f.Get(name) == "" {
					f.Del(name)
				}
			}

			f.Set("unchecked", "1")
			return f
		}

		version := v.get(receiver+"/edit").wantStatus(200).between(`name="version" value="`, `"`)
		memberVersion := v.get(member).wantStatus(200).between(`name="version" value="`, `"`)
		store := v.get("/settings").wantStatus(200)
		store.contains(`name="password"`) // because the captcha is on
		withSecret := captcha()
		withSecret.Set("recaptcha.secret_key", "mine")

		forms := map[string]struct {
			path string
			form url.Values
		}{
			"key.create": {"/keys", url.Values{"kind": {"secret"}, "name": {"x"}, "access": {"all"}}},
			"key.rotate": {key + "/rotate", url.Values{"overlap_hours": {"0"}}},
			"operator.invite": {"/settings/team/invite", url.Values{"email": {"x@evil.example"}, "role": {"owner"},
				"how": {"link"}}},
			"operator.edit":   {member, url.Values{"role": {"owner"}, "enabled": {"1"}, "version": {memberVersion}}},
			"operator.remove": {member + "/remove", url.Values{"version": {memberVersion}}},
			"account.email":   {"/account/email", url.Values{"email": {"x@evil.example"}}},
			"account.password": {"/account/password", url.Values{"new_password": {"correct horse battery"},
				"repeat_password": {"correct horse battery"}}},
			"account.codes":   {"/account/codes", url.Values{}},
			"receiver.create": {"/webhooks", url.Values{"url": {"https://evil.example/x"}, "access": {"all"}}},
			"receiver.secret": {receiver + "/rotate", url.Values{}},
			"receiver.url": {receiver + "/edit", url.Values{"url": {"https://evil.example/x"}, "access": {"some"},
				"types": {"order.submitted"}, "version": {version}}},
			"receiver.types": {receiver + "/edit", url.Values{"url": {"https://partner.example/in"}, "access": {"all"},
				"version": {version}}},
			"captcha.active":            {"/settings/captcha", captcha("recaptcha.active", "")},
			"captcha.secret_key":        {"/settings/captcha", withSecret},
			"captcha.provider":          {"/settings/captcha", captcha("recaptcha.provider", "turnstile")},
			"captcha.threshold":         {"/settings/captcha", captcha("recaptcha.order_submission.threshold", "0.1")},
			"captcha.action_removed":    {"/settings/captcha", captcha("recaptcha.feedback_request", "")},
			"captcha.shadow":            {"/settings/captcha", captcha("recaptcha.feedback_request.shadow", "1")},
			"captcha.on_provider_error": {"/settings/captcha", captcha("recaptcha.on_provider_error", "allow")},
			"captcha.extra_hosts": {"/settings/captcha",
				captcha("recaptcha.extra_hosts", "www.shop.example\nevil.example")},
			"captcha.site_url": {"/settings/captcha", captcha("recaptcha.site_url", "https://evil.example")},
			"mail_server.set": {"/settings/mail-server", url.Values{"host": {"smtp.evil.example"}, "port": {"465"},
				"encryption": {"tls"}, "from": {"x@evil.example"}, "version": {"0"}}},
			"mail_server.remove": {"/settings/mail-server", url.Values{"do": {"remove"}, "version": {"0"}}},
			"store.site_url": {"/settings", url.Values{"name": {"North"}, "timezone": {"UTC"}, "locale": {"en"},
				"currency": {"EUR"},
				"site_url": {"https://evil.example"}, "version": {store.between(`name="version" value="`, `"`)}}},
		}
		for _, row := range confirm.Table() {
			c, listed := forms[row.Change]
			if listed != row.OnPages {
				t.Errorf("%s: there is a form: %v, but the table says %v", row.Change, listed, row.OnPages)
			}
			if !row.OnPages {
				continue
			}

			c.form.Del("password")
			got := v.post(c.path, c.form)
			if got.StatusCode != 422 || !strings.Contains(got.text, "Type your password again") {
				t.Errorf("%s without the password: %d", row.Change, got.StatusCode)
			}
		}

		if after := s.captcha(); !after.Active || len(after.Actions) != 2 || after.OnProviderError != "reject" ||
			after.SiteURL != "" {
			t.Errorf("the captcha was changed: %+v", after)
		}

		// What weakens nothing needs no password.
		stricter := captcha("recaptcha.order_submission.threshold", "0.9")
		stricter.Del("password")
		v.post("/settings/captcha", stricter).wantStatus(303)
	})
}
