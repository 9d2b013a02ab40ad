package notify

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/mailtest"
)

const serverPassword = "hunter2-secret"

// newOwnService returns a service without a server of the command line, that reaches servers on loopback with the
// certificate of server. Its queue is not running.
func (r *fixture) newOwnService(server *mailtest.Server, allowed ...netip.Prefix) *Service {
	log := slog.New(slog.NewTextHandler(r.log, nil))
	guard := outbound.New(outbound.Config{AllowNets: allowed, RootCAs: server.RootCAs()})
	s := New(Deps{DB: r.DB, Queue: queue.New(queue.Deps{DB: r.DB, Now: r.Clock.Now, Log: log}), Vault: r.vault,
		Now: r.Clock.Now, Log: log, Outbound: guard})
	s.Queue.Register(s.Kind())
	return s
}

var loopback = netip.MustParsePrefix("127.0.0.0/8")

// serverEdit returns what an owner types for a server on loopback.
func serverEdit(t testing.TB, server *mailtest.Server, encryption Encryption) MailServer {
	t.Helper()
	u, err := url.Parse(server.URL(nil))
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return MailServer{Host: u.Hostname(), Port: port, Encryption: encryption, From: "shop@shop.example"}
}

// check checks an edit with a test message to the owner.
func (r *fixture) check(s *Service, edit MailServer) (MailServer, error) {
	return s.CheckMailServer(r.Context(), r.Store.ID, edit, Message{To: "owner@shop.example", Subject: "Test",
		Text: "It works\n"})
}

// set checks and stores an edit.
func (r *fixture) set(s *Service, edit MailServer) {
	r.Helper()
	checked, err := r.check(s, edit)
	if err != nil {
		r.Fatal(err)
	}
	r.Write(func(tx store.Tx) error {
		owner := store.Actor{Kind: store.ByOperator, ID: "1", Name: "owner@shop.example"}
		_, err := s.SetMailServer(r.Context(), tx.By(owner, r.Clock.Now()), checked, nil)
		return err
	})
}

// own returns the stored server.
func (r *fixture) own(s *Service) (m MailServer) {
	r.Helper()
	r.Write(func(tx store.Tx) (err error) {
		m, err = s.MailServer(r.Context(), tx)
		return err
	})
	return m
}

// The mail of a store goes through the server that its owner has set. What was queued before a change of the server
// goes through the new one, and to the mailbox once there is none.
func TestMailServer_sendsTheMailOfTheStore(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		for _, c := range []struct {
			tls        mailtest.TLS
			encryption Encryption
		}{{mailtest.StartTLS, StartTLS}, {mailtest.ImplicitTLS, ImplicitTLS}} {
			server := mailtest.New(r, mailtest.Config{TLS: c.tls, User: "shop", Password: serverPassword})
			s := r.newOwnService(server, loopback)
			r.send(s, Message{To: "early@mail.example", Subject: "Your code", Text: "It is 111111\n"})
			edit := serverEdit(r, server, c.encryption)
			edit.User = "shop"
			edit.Password = serverPassword
			r.set(s, edit)
			if m := server.WaitForMessages(r, 1)[0]; m.To[0] != "owner@shop.example" {
				r.Errorf("the test message went to %v", m.To)
			}

			r.send(s, Message{To: "anna@mail.example", From: "North Shop", Subject: "Your code", Text: "123456\n"})
			stop := r.Start(s.Queue.Run)
			m := server.WaitForMessages(r, 2)[1]
			r.Eventually("the job ends", func() bool { return r.Count("jobs") == 0 })
			stop()
			if m.To[0] != "anna@mail.example" || !strings.Contains(m.Header.Get("From"), "<shop@shop.example>") {
				r.Errorf("the mail is %+v", m)
			}

			// Only the same server and user keep the stored password.
			edit.Password = ""
			edit.From = "sales@shop.example"
			r.set(s, edit)
			if got := r.own(s); got.From != edit.From || !got.PasswordSet() || got.Version != 2 || got.Password != "" {
				r.Errorf("the stored server is %+v", got)
			}
			edit.User = "other"
			if _, err := r.check(s, edit); !hasField(err, "mail_password") {
				r.Errorf("another user with the stored password: %v", err)
			}

			r.send(s, Message{To: "late@mail.example", Subject: "Your code", Text: "It is 222222\n"})
			r.Write(func(tx store.Tx) error { return s.RemoveMailServer(r.Context(), tx, nil) })
			before := len(r.mailbox(s))
			stop = r.Start(r.newOwnQueue(s).Run)
			r.Eventually("what is queued is in the mailbox", func() bool { return len(r.mailbox(s)) == before+1 })
			stop()
		}

		if n := len(r.mailbox(r.newService(false))); n != 4 {
			r.Errorf("%d messages in the mailbox, want those before and after each server", n)
		}
	})
}

// newOwnQueue returns a queue for the jobs of s, as a process that starts has one.
func (r *fixture) newOwnQueue(s *Service) *queue.Queue {
	q := queue.New(queue.Deps{DB: r.DB, Now: r.Clock.Now, Log: slog.New(slog.DiscardHandler)})
	q.Register(s.Kind())
	return q
}

// Nothing is stored if the test message is not accepted, and the fault says what the server has replied.
func TestCheckMailServer_saysWhatTheServerReplies(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		server := mailtest.New(r, mailtest.Config{TLS: mailtest.StartTLS, User: "shop", Password: serverPassword})
		s := r.newOwnService(server, loopback)
		edit := serverEdit(r, server, StartTLS)
		edit.User = "shop"
		edit.Password = "wrong"
		_, err := r.check(s, edit)
		if fault.KindOf(err) != fault.Unavailable ||
			!strings.Contains(err.Error(), "The mail server rejects the user and the password. (535)") ||
			strings.Contains(err.Error(), "wrong") {
			r.Errorf("a wrong password: %v", err)
		}

		edit.Password = serverPassword
		server.OnCommand(func(line string) mailtest.Reaction {
			if strings.HasPrefix(line, "MAIL") {
				return "553 5.7.1 Sender address rejected: not owned by user"
			}
			return ""
		})
		_, err = r.check(s, edit)
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "not owned by user") {
			r.Errorf("a refused sender: %v", err)
		}

		// The certificate of the server must be valid.
		server.OnCommand(nil)
		strict := r.newOwnService(server, loopback)
		strict.Outbound = outbound.New(outbound.Config{AllowNets: []netip.Prefix{loopback}})
		if _, err := r.check(strict, edit); fault.KindOf(err) != fault.Unavailable ||
			!strings.Contains(err.Error(), "certificate") {
			r.Errorf("a certificate that nobody knows: %v", err)
		}
		if r.own(s).IsSet() || len(server.Messages()) > 0 {
			r.Error("a server was stored, or a message arrived")
		}
	})
}

// An owner cannot reach the networks of the server: not by an address, and not by a name that leads there.
func TestCheckMailServer_reachesNoPrivateNetwork(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		server := mailtest.New(r, mailtest.Config{})
		s := r.newOwnService(server)
		edit := serverEdit(r, server, NoTLS)
		for _, host := range []string{"127.0.0.1", "localhost", "169.254.169.254", "[::1]", "2130706433", "a b",
			"smtp://smtp.shop.example", "user@smtp.shop.example", "smtp.shop.example:25", ""} {
			edit.Host = host
			if _, err := r.check(s, edit); !hasField(err, "host") {
				r.Errorf("host %q: %v", host, err)
			}
		}

		// Whatever was stored before, the dialer checks the address.
		stored := serverEdit(r, server, NoTLS)
		r.Write(func(tx store.Tx) error {
			_, err := s.SetMailServer(r.Context(), tx, stored, nil)
			return err
		})
		_, err := s.SendNow(r.Context(), r.Store.ID, Message{To: "anna@mail.example", Subject: "x", Text: "x"})
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "The address is not allowed.") {
			r.Errorf("a private address: %v", err)
		}
		if lines := server.Lines(); len(lines) > 0 {
			r.Errorf("the server got %q", lines)
		}
	})
}

func TestCheckMailServer_refusesSettings(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		server := mailtest.New(r, mailtest.Config{})
		s := r.newOwnService(server, loopback)
		good := serverEdit(r, server, NoTLS)
		for field, change := range map[string]func(*MailServer){
			"port":          func(m *MailServer) { m.Port = 65536 },
			"encryption":    func(m *MailServer) { m.Encryption = "ssl" },
			"from":          func(m *MailServer) { m.From = "shop@shop.example\r\nRCPT TO:<x@y.example>" },
			"mail_password": func(m *MailServer) { m.User, m.Encryption = "shop", StartTLS },
			"user": func(m *MailServer) {
				m.User, m.Password, m.Encryption = "shop\r\nQUIT", "x", StartTLS
			},
		} {
			edit := good
			change(&edit)
			if _, err := r.check(s, edit); !hasField(err, field) {
				r.Errorf("%s: %v", field, err)
			}
		}

		edit := good
		edit.User = "shop"
		edit.Password = "x"
		if _, err := r.check(s, edit); !hasField(err, "encryption") {
			r.Errorf("a password without TLS: %v", err)
		}
		if len(server.Lines()) > 0 {
			r.Error("the server was asked")
		}
	})
}

// The server of the command line comes before those of stores, and mail that proves who somebody is goes through no
// other.
func TestMailServer_isLessThanTheCommandLine(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		server := mailtest.New(r, mailtest.Config{})
		own := r.newOwnService(server, loopback)
		r.set(own, serverEdit(r, server, NoTLS))
		link := Message{To: "anna@mail.example", Subject: "Your link", Text: "https://x.example\n", ServerOnly: true}
		if sent, err := own.SendNow(r.Context(), r.Store.ID, link); err != nil || sent {
			r.Errorf("a link is sent: %v, %v", sent, err)
		}
		r.send(own, link)
		if n := len(r.mailbox(own)); n != 2 || r.Count("jobs") != 0 || own.ReachesPeople() {
			r.Errorf("%d messages in the mailbox, want both links", n)
		}

		both := r.newService(true)
		if _, err := r.check(both, serverEdit(r, server, NoTLS)); fault.KindOf(err) != fault.Conflict {
			r.Errorf("a server beside that of the command line: %v", err)
		}
		for _, m := range []Message{link, {To: "anna@mail.example", Subject: "x", Text: "x"}} {
			if sent, err := both.SendNow(r.Context(), r.Store.ID, m); err != nil || !sent {
				r.Errorf("%s: %v, %v", m.Subject, sent, err)
			}
		}
		if len(server.Messages()) != 1 || len(r.mailServer.Messages()) != 2 {
			r.Errorf("%d messages through the store's server and %d through the other", len(server.Messages()),
				len(r.mailServer.Messages()))
		}
	})
}

// The log has what was changed, and neither the log nor the database has the password.
func TestSetMailServer_keepsThePasswordSecret(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		server := mailtest.New(r, mailtest.Config{TLS: mailtest.ImplicitTLS, User: "shop", Password: serverPassword})
		s := r.newOwnService(server, loopback)
		edit := serverEdit(r, server, ImplicitTLS)
		edit.User = "shop"
		edit.Password = serverPassword
		r.set(s, edit)

		var sealed []byte
		r.Read(func(tx store.Tx) (err error) {
			sealed, _, err = selectMailServer(r.Context(), tx, "")
			return err
		})
		changes := strings.Join(r.Texts("SELECT changes FROM audit_entries"), "\n")
		if bytes.Contains(sealed, []byte(serverPassword)) || strings.Contains(changes, serverPassword) ||
			strings.Contains(r.log.String(), serverPassword) {
			r.Error("the password is readable")
		}
		for _, field := range []string{"mail_server.address", "mail_server.user", "mail_server.password"} {
			if !strings.Contains(changes, field) {
				r.Errorf("the log has no %s: %s", field, changes)
			}
		}

		stale := func(version int64) bool { return version == 0 }
		err := r.TryWrite(func(tx store.Tx) error {
			_, err := s.SetMailServer(r.Context(), tx, edit, stale)
			return err
		})
		if fault.KindOf(err) != fault.Stale {
			r.Errorf("an old version: %v", err)
		}
	})
}

// hasField reports whether an error is Invalid for a field.
func hasField(err error, field string) bool {
	refused, ok := errors.AsType[*fault.Error](err)
	return ok && refused.Kind == fault.Invalid &&
		slices.ContainsFunc(refused.Fields, func(f fault.Field) bool { return f.Field == field })
}
