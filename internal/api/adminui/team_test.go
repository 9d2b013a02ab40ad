package adminui_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// member returns a member of the team.
func (s *fixture) member(email string) (found account.Member) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
		team, err := s.App.Accounts.Operators.Team(s.t.Context(), store.In(q, s.store.StoreID))
		for _, m := range team {
			if m.Email == email {
				found = m
			}
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// An owner invites a colleague by a link, gives another role, disables and removes them. All of it is in the log.
func TestTeam_isManaged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		invite := url.Values{"email": {"boris@north.example"}, "role": {"viewer"}, "how": {"link"}}
		v.post("/settings/team/invite", invite).wantStatus(422).contains(`id="password-wrong"`)
		invite.Set("password", s.store.AdminPassword)
		bad := url.Values{"email": {"boris"}, "role": {"viewer"}, "how": {"link"}, "password": {s.store.AdminPassword}}
		v.post("/settings/team/invite", bad).wantStatus(422).contains(`id="email-wrong"`)
		page := v.post("/settings/team/invite", invite).wantStatus(201).contains("boris@north.example")
		link := page.between(`data-select spellcheck="false" aria-label="Link of the invitation">`, "</textarea>")
		link = link[strings.Index(link, "/invitation/"):]
		v.get("/settings/team").wantStatus(200).contains("boris@north.example", "Invited", "Viewer")
		stranger := &client{fixture: s}
		stranger.post(link, url.Values{"password": {apitest.OperatorPassword}}).wantRedirect("/")
		stranger.get("/").wantStatus(200).contains("boris@north.example")
		boris := s.signIn("boris@north.example", apitest.OperatorPassword)
		boris.get("/settings/team").wantStatus(403)
		boris.get("/settings/log").wantStatus(403)

		member := s.member("boris@north.example")
		path := "/settings/team/" + member.ID.String()
		form := url.Values{"role": {"manager"}, "enabled": {"1"}, "password": {s.store.AdminPassword},
			"version": {v.get(path).wantStatus(200).between(`name="version" value="`, `"`)}}
		v.post(path, form).wantRedirect("/settings/team")

		if got := s.member("boris@north.example"); got.Role != access.Manager || got.SignedInAt == nil {
			t.Errorf("the member is %+v", got)
		}

		s.Clock.Advance(time.Second)
		form.Set("role", "owner")
		v.post(path+"x", form).wantStatus(404)
		v.post(path+"/sessions", url.Values{}).wantRedirect(path)
		boris.get("/").wantRedirect("/login")
		form.Set("version", v.get(path).between(`name="version" value="`, `"`))
		stale := url.Values{"role": {"viewer"}, "enabled": {"1"}, "password": {s.store.AdminPassword}, "version": {"1"}}
		v.post(path, stale).wantStatus(409).contains("Somebody else has changed this member")
		form.Del("enabled")
		v.post(path, form).wantRedirect("/settings/team")
		v.get("/settings/team").contains("Disabled")
		self := "/settings/team/" + s.member(s.store.AdminEmail).ID.String()
		v.post(self+"/remove", url.Values{"password": {s.store.AdminPassword}}).wantStatus(409).contains("last owner")
		v.post(path+"/remove", url.Values{"password": {s.store.AdminPassword}}).wantRedirect("/settings/team")
		v.get("/settings/team").omits("boris@north.example")
		v.get("/settings/log").wantStatus(200).contains("Member of the team invited", "Invitation accepted",
			"Member of the team changed", "<del>Viewer</del>", "<ins>Manager</ins>", "Member of the team disabled",
			"Member of the team removed", "Signed in", "boris@north.example")
		v.get("/settings/log?kind=key").wantStatus(200).contains("Nothing matches the filter").omits("<del>")
		v.get("/settings/log?by=operator:" + member.ID.String()).wantStatus(200).contains("Invitation accepted").
			omits("Member of the team removed")
		v.get("/settings/log?from=2030-01-01").wantStatus(200).contains("Nothing matches the filter")

		for _, query := range []string{"by=x", "before=1"} {
			v.get("/settings/log?" + query).wantStatus(400)
		}

		for _, query := range []string{"from=x", "until=2026-13-01", "from=2026-01-02&until=2026-01-01"} {
			v.get("/settings/log?"+query).wantStatus(422).contains("The period was not used", "-wrong")
		}
	})
}

// The log names the key that changed something through the API, and is read page by page.
func TestLog_showsChangesOfKeysByPage(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		for range 60 {
			if r := s.Do("POST", "/v2/stocks", `{"name": "Main"}`, apitest.As(s.store.SecretKey)); r.Status != 201 {
				t.Fatalf("got %d %s", r.Status, r.Body)
			}
		}

		s.Do("POST", "/v2/orders", `{}`, apitest.As(s.store.PublishableKey))
		v := s.owner()
		first := v.get("/settings/log").wantStatus(200).contains("Key “Default”", "Warehouse created").
			omits("Cart created")
		next := strings.ReplaceAll(first.between(`rel="next" href="`, `"`), "&amp;", "&")
		second := v.get(next).wantStatus(200).omits(`rel="next"`)
		total := strings.Count(first.text, "Warehouse created") + strings.Count(second.text, "Warehouse created")
		if total != 60 {
			t.Errorf("both pages show %d changes, want 60", total)
		}
	})
}

func TestAccount_isChanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		other := s.owner()
		v.get("/account").wantStatus(200).contains(s.store.AdminEmail, "this one")
		v.post("/account/email", url.Values{"email": {"nonsense"},
			"password": {s.store.AdminPassword}}).wantStatus(422).
			contains(`id="email-wrong"`)
		v.post("/account/email", url.Values{"email": {"new@north.example"}, "password": {"wrong"}}).wantStatus(422).
			contains(`id="email-confirm-wrong"`)
		s.Clock.Advance(time.Minute)
		v.post("/account/email", url.Values{"email": {"new@north.example"}, "password": {s.store.AdminPassword}}).
			wantRedirect("/account")
		other.get("/account").wantStatus(200).contains("new@north.example waits for its confirmation",
			"Send a link again")
		v.post("/account/email", url.Values{"email": {"more@north.example"}, "password": {s.store.AdminPassword}}).
			wantStatus(422).contains("A link was sent less than a minute ago")
		v.post("/account/email/cancel", url.Values{}).wantRedirect("/account")
		v.post("/account/email/cancel", url.Values{}).wantStatus(404)
		v.get("/account").wantStatus(200).omits("waits for its confirmation")
		s.Clock.Advance(time.Minute)
		v.post("/account/email", url.Values{"email": {"new@north.example"}, "password": {s.store.AdminPassword}}).
			wantRedirect("/account")

		link := "/email/" + v.get("/mailbox").wantStatus(200).between("/email/", "\n")
		stranger := &client{fixture: s}
		stranger.get(link).wantStatus(200).contains("Confirm your e-mail address", s.store.AdminEmail,
			"new@north.example")
		stranger.post(link, url.Values{}).wantRedirect("/login?email_confirmed")
		stranger.get(link).wantStatus(404).contains("This link is not valid")
		stranger.get("/login?email_confirmed").contains("Your e-mail address is confirmed")
		other.get("/account").wantStatus(200).contains("You are signed in as new@north.example")
		change := url.Values{"new_password": {"fresh horse battery"}, "repeat_password": {"other horse battery"},
			"password": {s.store.AdminPassword}}
		v.post("/account/password", change).wantStatus(422).contains(`id="repeat_password-wrong"`)
		change.Set("repeat_password", "fresh horse battery")
		v.post("/account/password", change).wantRedirect("/account")
		v.get("/account").wantStatus(200)
		other.get("/account").wantRedirect("/login?next=%2Faccount")
		again := s.signIn("new@north.example", "fresh horse battery")
		v.post("/account/sessions/end", url.Values{}).wantRedirect("/account")
		again.get("/account").wantRedirect("/login?next=%2Faccount")
		v.post("/account/sessions/abc/end", url.Values{}).wantStatus(404)
		v.post("/account/language", url.Values{"language": {"ru"}}).wantRedirect("/account")

		if got := s.member("new@north.example").Language; got != "ru" {
			t.Errorf("the language is %q", got)
		}
	})
}

func TestAccount_secondStep(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		password := url.Values{"password": {s.store.AdminPassword}}
		v.post("/account/codes", url.Values{"password": {"wrong"}}).wantStatus(422)
		s.Clock.Advance(time.Minute)
		page := v.post("/account/codes", password).wantStatus(200).contains("data:image/png;base64,")
		secret := strings.ReplaceAll(page.between(`<code id="secret">`, "</code>"), " ", "")
		code := func() string {
			text, err := totp.GenerateCode(secret, s.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		form := url.Values{"setup": {page.between(`name="setup" value="`, `"`)}, "code": {"000000"}}
		v.post("/account/codes/enable", form).wantStatus(422).contains(`id="code-wrong"`, secret[:4])
		form.Set("code", code())
		recovery := v.post("/account/codes/enable", form).wantStatus(201).between("<li><code>", "</code>")
		v.get("/account").contains("10 recovery codes are left.")

		s.Clock.Advance(time.Minute)

		login := func() url.Values {
			stranger := &client{fixture: s}
			p := stranger.post("/login", url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword},
				"next": {"/settings"}}).wantStatus(200).contains("Second step")
			if stranger.session != "" {
				t.Fatal("the password alone opened a session")
			}
			return url.Values{"pending": {p.between(`name="pending" value="`, `"`)}, "next": {"/settings"}}
		}

		second := login()
		stranger := &client{fixture: s}
		second.Set("code", "123")
		stranger.post("/login/code", second).wantStatus(401).contains("The code is wrong", `name="pending"`)
		s.Clock.Advance(time.Minute)
		second.Set("code", code())
		stranger.post("/login/code", second).wantRedirect("/settings")
		stranger.get("/settings").wantStatus(200)
		(&client{fixture: s}).post("/login/code", second).wantStatus(401) // a replay
		s.Clock.Advance(time.Minute)
		third := login()
		third.Set("code", strings.ToUpper(recovery))
		(&client{fixture: s}).post("/login/code", third).wantRedirect("/settings")
		(&client{fixture: s}).post("/login/code", url.Values{"pending": {"x"}, "code": {"1"}}).wantStatus(401).
			contains("Type your password again")
		v.post("/account/codes/disable", password).wantRedirect("/account")
		s.owner()
		v.get("/settings/log").contains("Second step turned on", "Second step turned off")
	})
}

// A person who runs another shop here joins with their own password and switches between the shops.
func TestStores_areSwitchedInTheHeader(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		south := s.Provision("owner@south.example")
		var token string
		s.Write(func(ctx context.Context, q database.Querier) (err error) {
			_, token, err = s.App.Accounts.Operators.Invite(ctx, store.In(q, south.StoreID), s.store.AdminEmail,
				access.Manager)
			return err
		})

		link := "/invitation/" + token
		stranger := &client{fixture: s}
		stranger.get(link).wantStatus(200).contains("/login?next=").omits(`name="password"`)
		stranger.post(link, url.Values{"password": {"stolen horse battery"}}).wantStatus(409)
		v := s.owner()
		v.get("/").wantStatus(200).omits(`action="/stores"`)
		v.get(link).wantStatus(200).contains(link + "/join")
		theirs := s.signIn("owner@south.example", south.AdminPassword)
		theirs.post(link+"/join", url.Values{}).wantStatus(404)
		v.post(link+"/join", url.Values{}).wantRedirect("/")
		v.get("/settings").wantStatus(200).omits(`name="version"`) // a manager there
		v.get("/").wantStatus(200).contains(`action="/stores"`, s.store.StoreID.String())
		v.post("/stores", url.Values{"store": {s.store.StoreID.String()}}).wantRedirect("/")
		v.get("/settings").wantStatus(200).contains(`name="version"`)
		v.post("/stores", url.Values{"store": {s.StoreID.String()}}).wantStatus(404)
		theirs.post("/stores", url.Values{"store": {s.store.StoreID.String()}}).wantStatus(404)
	})
}

func TestMessages_testMessageGoesToTheMailbox(t *testing.T) {
	eachEngine(t, func(_ *testing.T, s *fixture) {
		v := s.owner()
		v.get("/settings/messages").wantStatus(200).contains("Set up the mail server",
			s.store.AdminEmail).
			omits("--smtp", "--sms-url")
		v.post("/settings/messages", url.Values{"to": {"nonsense"}}).wantStatus(422).contains(`id="to-wrong"`)
		v.post("/settings/messages", url.Values{"to": {"anna@shop.example"}}).wantRedirect("/settings/messages")
		v.get("/mailbox").contains("anna@shop.example", "A test message")
	})
}

// A mail has the configured address or that of the browser's own origin, never a Host header of another origin.
func TestTeam_forgedHostGetsIntoNoMail(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	invite := url.Values{"email": {"boris@north.example"}, "role": {"viewer"}, "how": {"mail"},
		"password": {s.store.AdminPassword}}
	v.host = "evil.example"
	v.post("/settings/team/invite", invite).wantStatus(422).contains("The address of the administration is not known")
	v.host = ""
	v.post("/settings/team/invite", invite).wantRedirect("/settings/team")

	s = newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.Dev = true
		c.AdminURL = "https://admin.shop.example/"
	}))
	v = s.owner()
	v.host = "evil.example"
	invite.Set("password", s.store.AdminPassword)
	invite.Set("how", "link")
	v.post("/settings/team/invite", invite).wantStatus(201).contains("https://admin.shop.example/invitation/").
		omits("evil.example")
}
