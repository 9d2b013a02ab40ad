package adminapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/mailtest"
)

var emailLink = regexp.MustCompile(`https?://[^/]+/email/oe_[0-9A-Za-z]+`)

// A new e-mail address is pending until the link in its mail is opened; the old one is told.
func TestM2_addressIsPendingUntilTheLinkIsOpened(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := session(s.signIn(access.Owner))
		edit := func(email string) response {
			return s.do(owner, "PUT", "/api/me", s.withPassword(`{"email":"`+email+`"}`))
		}
		got := edit("ceo@newshop.example").wantStatus(200)
		if got.Text("data.email") != s.store.AdminEmail ||
			got.Text("data.pending_email.email") != "ceo@newshop.example" {
			t.Errorf("the response is %s", got.Body)
		}

		me := s.do(owner, "GET", "/api/me", "").wantStatus(200)
		if me.Text("data.operator.pending_email.email") != "ceo@newshop.example" {
			t.Errorf("GET /api/me gives %s", me.Body)
		}

		if r := edit("other@newshop.example").wantStatus(429); r.Header.Get("Retry-After") == "" ||
			r.problem().Code != "too_many_links" {
			t.Errorf("another link at once: %s", r.Body)
		}

		mailbox := string(s.do(owner, "GET", "/api/store/mailbox", "").wantStatus(200).Body)
		links := emailLink.FindAllString(mailbox, -1)
		if len(links) != 1 || !strings.Contains(mailbox, s.store.AdminEmail) ||
			!strings.Contains(mailbox, "change your password at once") {
			t.Fatalf("the mailbox has %s", mailbox)
		}

		path := links[0][strings.Index(links[0], "/email/"):]
		s.do(apitest.As(""), "GET", path, "").wantStatus(200)
		s.do(apitest.As(""), "GET", path+"x", "").wantStatus(404)

		if me := s.do(owner, "GET", "/api/me", ""); me.Text("data.operator.email") != s.store.AdminEmail {
			t.Errorf("looking at the link changes the address: %s", me.Body)
		}

		form := []string{"Content-Type", "application/x-www-form-urlencoded"}
		s.do(apitest.As(""), "POST", path, "", form...).wantStatus(303)
		s.do(apitest.As(""), "POST", path, "", form...).wantStatus(404)

		if me := s.do(owner, "GET", "/api/me", ""); me.Text("data.operator.email") != "ceo@newshop.example" {
			t.Errorf("after the link: %s", me.Body)
		}

		s.Clock.Advance(time.Minute)
		edit("third@newshop.example").wantStatus(200)

		if r := edit("ceo@newshop.example").wantStatus(200); !strings.Contains(string(r.Body), `"pending_email":null`) {
			t.Errorf("the present address does not cancel: %s", r.Body)
		}
	})
}

// Links in mails begin with --admin-url, whatever the Host. Without it, no mail is sent for a key.
func TestL2_mailedLinksNeverComeFromTheHostOfAKey(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Config{})
	start := func(adminURL string) (*apitest.Server, account.ProvisionedStore) {
		s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
			c.SMTP = server.URL(nil)
			c.AdminURL = adminURL
		}))
		return s, s.Provision("owner@north.example")
	}
	const body = `{"email":"boris@north.example","role":"viewer"}`
	evil := func(r *http.Request) { r.Host = "evil.example" }

	s, shop := start("https://admin.shop.example/")
	if r := s.DoAdmin("POST", "/api/store/operators", body, apitest.As(shop.SecretKey), evil); r.Status != 201 {
		t.Fatalf("an invitation by a key: %s", r.Body)
	}
	if m := server.WaitForMessages(t, 1)[0]; !strings.Contains(m.Text, "https://admin.shop.example/invitation/oi_") {
		t.Errorf("the mail is %s", m.Text)
	}

	s, shop = start("")
	for _, options := range [][]apitest.RequestOption{{evil}, {}, {apitest.Header("Origin", s.AdminURL)}} {
		before := s.Dump()
		r := s.DoAdmin("POST", "/api/store/operators", body, append(options, apitest.As(shop.SecretKey))...)
		if r.Problem() != "409 admin_url_required" || !strings.Contains(string(r.Body), "--admin-url") {
			t.Errorf("without --admin-url: %s", r.Body)
		}
		s.WantUnchanged(before, "an invitation that was refused")
	}
}

// In production the mailbox proves nothing, since the owner of the store reads it.
func TestM2_withoutMailNoAddressIsChanged(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	shop := s.Provision("owner@north.example")
	in, err := s.App.Accounts.Sessions.SignIn(t.Context(), account.Login{Email: shop.AdminEmail,
		Password: shop.AdminPassword})
	if err != nil {
		t.Fatal(err)
	}
	before := s.Dump()
	r := s.DoAdmin("PUT", "/api/me", `{"email":"ceo@newshop.example","password":"`+shop.AdminPassword+`"}`,
		session(in.Session))
	if r.Problem() != "409 mail_not_configured" || !strings.Contains(string(r.Body), "vitrine admin change-email") {
		t.Errorf("the response is %s", r.Body)
	}
	s.WantUnchanged(before, "a request without mail")
}
