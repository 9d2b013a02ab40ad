package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/mailtest"
)

// mailServerForm returns the form of a mail server on loopback.
func mailServerForm(t *testing.T, s *fixture, server *mailtest.Server) url.Values {
	t.Helper()
	u, err := url.Parse(server.URL(nil))
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{"host": {u.Hostname()}, "port": {u.Port()}, "encryption": {"none"}, "user": {""},
		"from": {"shop@north.example"}, "version": {"0"}, "password": {s.store.AdminPassword}}
}

// An owner sets the mail server in the browser: a test message goes to them first, and then all mail of the store.
func TestMailServer_isSetByTheOwner(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		server := mailtest.New(t, mailtest.Config{})
		v.get("/settings/messages").wantStatus(200).contains("not sent yet", "Set up the mail server")
		v.get("/settings/mail-server").wantStatus(200).wantHTML().
			contains("smtp.yandex.ru", "Send a test and save", s.store.AdminEmail).omits("Remove the mail server")
		v.get("/settings/mail-server", "Accept-Language", "ru").contains("Отправить проверочное и сохранить")

		form := mailServerForm(t, s, server)
		form.Del("password")
		v.post("/settings/mail-server", form).wantStatus(422).contains("Type your password again")
		form.Set("password", s.store.AdminPassword)
		form.Set("host", "10.0.0.1")
		v.post("/settings/mail-server", form).wantStatus(422).contains(`id="host-wrong"`)
		form.Set("host", "127.0.0.1")
		server.OnCommand(func(line string) mailtest.Reaction {
			if strings.HasPrefix(line, "RCPT") {
				return "550 5.7.1 Relaying denied"
			}
			return ""
		})
		v.post("/settings/mail-server", form).wantStatus(422).
			contains("Nothing was saved", "accepts no mail for this recipient", "Relaying denied")
		v.get("/settings/messages").contains("not sent yet")

		server.OnCommand(nil)
		v.post("/settings/mail-server", form).wantRedirect("/settings/messages")
		if m := server.WaitForMessages(t, 1)[0]; m.To[0] != s.store.AdminEmail {
			t.Errorf("the test message went to %v", m.To)
		}
		v.get("/settings/messages").contains("from the address shop@north.example")
		v.get("/").omits("Name the mail server")
		v.post("/settings/messages", url.Values{"to": {"anna@mail.example"}}).wantRedirect("/settings/messages")
		if m := server.WaitForMessages(t, 2)[1]; m.To[0] != "anna@mail.example" {
			t.Errorf("the message went to %v", m.To)
		}
		v.get("/settings/team/invite").contains("We send the link now")

		// The form has what is stored; another version is refused, and it is removed with the password only.
		v.post("/settings/mail-server", form).wantStatus(422).contains("Somebody else changed the settings")
		v.get("/settings/mail-server").contains(`value="shop@north.example"`, `name="version" value="1"`)
		v.post("/settings/mail-server", url.Values{"do": {"remove"}, "version": {"1"}}).wantStatus(422).
			contains("Type your password again")
		v.post("/settings/mail-server", url.Values{"do": {"remove"}, "version": {"1"},
			"password": {s.store.AdminPassword}}).wantRedirect("/settings/messages")
		v.get("/settings/messages").contains("not sent yet")
		v.get("/settings/log").contains("Mail server: sender", "shop@north.example")
	})
}

func TestMailServer_isForOwners(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		v.get("/settings/mail-server").wantStatus(403)
		form := mailServerForm(t, s, mailtest.New(t, mailtest.Config{}))
		form.Set("password", apitest.OperatorPassword)
		v.post("/settings/mail-server", form).wantStatus(403)
	})
}

// With a mail server of the command line the page says so and has no form.
func TestMailServer_isThatOfTheCommandLine(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Config{})
	s := newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.SMTP = server.URL(nil) }))
	v := s.owner()
	v.get("/settings/mail-server").wantStatus(200).contains("for all shops").
		omits("Send a test and save", "mail_password")
	v.post("/settings/mail-server", mailServerForm(t, s, server)).wantStatus(409)
}
