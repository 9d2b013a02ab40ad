package adminui_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// Who has forgotten the password asks for a link and chooses another one. The answer does not tell whether somebody has
// the address.
func TestPassword_isReplacedByMail(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		stranger := &client{fixture: s}
		stranger.get("/login").wantStatus(200).contains(`href="/password"`)
		stranger.get("/password").wantStatus(200).wantHTML().contains("Send the link")
		stranger.get("/password", "Accept-Language", "ru").contains("Забыли пароль?")

		for _, email := range []string{"nobody@north.example", s.store.AdminEmail, s.store.AdminEmail, "nul\x00", ""} {
			started := time.Now()
			stranger.post("/password", url.Values{"email": {email}}).wantRedirect("/login?password_link")
			if took := time.Since(started); took < 300*time.Millisecond {
				t.Errorf("%q: the answer came after %s", email, took)
			}
		}
		stranger.get("/login?password_link").contains("a link is on its way")

		box := v.get("/mailbox").wantStatus(200)
		if n := strings.Count(box.text, "/password/op_"); n != 1 {
			t.Fatalf("%d links, want 1", n)
		}
		link := "/password/" + box.between("/password/", "\n")
		stranger.get(link).wantStatus(200).wantHTML().contains(s.store.AdminEmail, "Choose your password")
		stranger.post(link, url.Values{"password": {"short"}}).wantStatus(422).contains("too short")
		stranger.post(link, url.Values{"password": {"another horse"}}).wantRedirect("/login?invitation_accepted")

		stranger.get(link).wantStatus(404).contains("This link is not valid")
		v.get("/mailbox").wantStatus(303) // the session has ended
		s.signIn(s.store.AdminEmail, "another horse").get("/settings/log").
			contains("Forgotten password replaced by mail")
	})
}

// Without mail, or without a configured address of the administration, there are no links: the Host header of a request
// must not decide where they lead.
func TestPassword_isNotReplacedWithoutMail(t *testing.T) {
	t.Parallel()
	for _, smtp := range []string{"", "smtp://127.0.0.1:1?from=shop@north.example"} {
		s := newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
			c.Dev = false
			c.SMTP = smtp
		}))
		stranger := &client{fixture: s}
		stranger.get("/login").wantStatus(200).omits("/password")
		stranger.get("/password").wantStatus(404)
		stranger.post("/password", url.Values{"email": {s.store.AdminEmail}}).wantStatus(404)
	}
}

// A network can ask for a few links in a minute.
func TestPassword_linksAreLimitedPerNetwork(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.Dev = false
		c.SMTP = "smtp://127.0.0.1:1?from=shop@north.example"
		c.AdminURL = "https://admin.north.example"
		c.FailedCredentialsPerMinute = 3
	}))
	stranger := &client{fixture: s}
	for range 3 {
		stranger.post("/password", url.Values{"email": {"nobody@north.example"}}).wantStatus(303)
	}
	stranger.post("/password", url.Values{"email": {s.store.AdminEmail}}).wantStatus(429)
}
