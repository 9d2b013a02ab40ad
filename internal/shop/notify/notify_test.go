package notify

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/mailtest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with a mail server and a text message gateway. Its clock follows the real time.
type fixture struct {
	*storetest.Fixture
	vault      *vault.Vault
	mailServer *mailtest.Server
	gateway    *gateway
	log        *safeBuffer
}

func eachEngine(t *testing.T, fn func(r *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		f.Clock.FollowRealTime()
		v, err := vault.ParseKey(strings.Repeat("0f", vault.KeySize))
		if err != nil {
			f.Fatal(err)
		}
		fn(&fixture{Fixture: f, vault: v, mailServer: mailtest.New(f, mailtest.Config{}), gateway: newGateway(f),
			log: &safeBuffer{}})
	})
}

// newService returns a service with or without configured senders. Its queue is not running.
func (r *fixture) newService(withSenders bool) *Service {
	r.Helper()
	log := slog.New(slog.NewTextHandler(r.log, nil))
	d := Deps{DB: r.DB, Queue: queue.New(queue.Deps{DB: r.DB, Now: r.Clock.Now, Log: log}), Vault: r.vault,
		Now: r.Clock.Now, Log: log}
	if withSenders {
		server, err := mail.NewSMTP(r.mailServer.URL(nil), mail.SMTPConfig{})
		if err != nil {
			r.Fatal(err)
		}

		guard := outbound.New(outbound.Config{AllowHTTP: true,
			AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		texts, err := NewGateway(guard, r.gateway.URL)
		if err != nil {
			r.Fatal(err)
		}

		d.Mail, d.TextSender = server, texts
	}

	s := New(d)
	r.Cleanup(s.CloseIdleConnections)
	s.Queue.Register(s.Kind())

	return s
}

func (r *fixture) send(s *Service, m Message) {
	r.Helper()
	r.Write(func(tx store.Tx) error { return s.Send(r.Context(), tx, m) })
}

func (r *fixture) mailbox(s *Service) (list []StoredMessage) {
	r.Helper()
	r.Write(func(tx store.Tx) (err error) {
		list, _, err = s.Mailbox(r.Context(), tx, 50, 0)
		return err
	})
	return list
}

func TestSend_sendsMessagesAndLeavesMailboxEmpty(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		s := r.newService(true)
		r.Start(s.Queue.Run)
		r.send(s, Message{To: "anna@shop.example", From: "North Shop", Subject: "Your code", Text: "It is 123456\n"})

		m := r.mailServer.WaitForMessages(r, 1)[0]
		if m.To[0] != "anna@shop.example" || m.Subject != "Your code" || strings.TrimSpace(m.Text) != "It is 123456" ||
			!strings.Contains(m.Header.Get("From"), "North Shop") {
			r.Errorf("the mail is %+v", m)
		}

		r.send(s, Message{To: "+49301234567", Subject: "Your code", Text: "654321"})
		r.Eventually("the text message arrives", func() bool { return len(r.gateway.messages()) == 1 })

		if got := r.gateway.messages()[0]; got.To != "+49301234567" || got.Text != "654321" || got.ID == "" {
			r.Errorf("the message is %+v", got)
		}

		// A message is given up if its recipient is refused permanently, or if it has expired.
		r.mailServer.OnCommand(func(line string) mailtest.Reaction {
			if strings.HasPrefix(line, "RCPT") {
				return "550 5.1.1 There is nobody of this name"
			}
			return ""
		})
		r.send(s, Message{To: "nobody@shop.example", Subject: "Your code", Text: "It is 111111\n"})
		r.send(s, Message{To: "late@shop.example", Subject: "Your code", Text: "It is 222222\n",
			UsefulUntil: time.Now().Add(-time.Second)})
		r.gateway.respondWith(http.StatusBadRequest)
		r.send(s, Message{To: "+49309999999", Subject: "Your code", Text: "333333"})
		r.Eventually("the jobs end", func() bool { return r.Count("jobs") == 0 })

		if got := len(r.mailServer.Messages()) +
			len(r.gateway.messages()); got != 3 { // the gateway also counts the message that it rejected
			r.Errorf("%d messages arrived, want 3", got)
		}

		if box := r.mailbox(s); len(box) != 0 {
			r.Errorf("the mailbox holds %v", box)
		}

		for _, secret := range []string{"123456", "654321", "111111", "222222", "333333"} {
			if strings.Contains(r.log.String(), secret) {
				r.Errorf("the log shows %s: %s", secret, r.log)
			}
		}
	})
}

func TestSend_storesMessagesInMailboxWithoutSender(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		withSenders, withoutSenders := r.newService(true), r.newService(false)
		r.send(withoutSenders, Message{To: "anna@shop.example", Subject: "First", Text: "It is 123456\n"})
		r.send(withoutSenders, Message{To: "+49301234567", Subject: "Second", Text: "654321"})

		box := r.mailbox(withoutSenders)
		if len(box) != 2 || box[0].To != "+49301234567" || box[0].Text != "654321" || box[1].Subject != "First" ||
			box[1].Text != "It is 123456\n" || r.Count("jobs") != 0 {
			r.Errorf("the mailbox holds %+v", box)
		}

		// This message is queued while a mail server is configured, and processed by a node that has none. It must be
		// stored in the mailbox. Its text is encrypted in the queue.
		r.send(withSenders, Message{To: "boris@shop.example", Subject: "Third", Text: "It is 987654\n"})
		var payload, text []byte
		r.WriteUnscoped(func(q database.Querier) error {
			if err := database.QueryRow(r.Context(), q, "SELECT payload FROM jobs", nil, &payload); err != nil {
				return err
			}
			return database.QueryRow(r.Context(), q, "SELECT text FROM mailbox ORDER BY key LIMIT 1", nil, &text)
		})
		if bytes.Contains(payload, []byte("987654")) || bytes.Contains(text, []byte("123456")) {
			r.Error("the database contains a code in plain text")
		}

		r.Start(withoutSenders.Queue.Run)
		r.Eventually("the message is in the mailbox", func() bool { return len(r.mailbox(withoutSenders)) == 3 })

		if box := r.mailbox(withoutSenders)[0]; box.To != "boris@shop.example" || box.Text != "It is 987654\n" {
			r.Errorf("the message in the mailbox is %+v", box)
		}

		r.Write(func(tx store.Tx) error {
			if list, total, err := withoutSenders.Mailbox(r.Context(), tx, 1, 1); err != nil ||
				total != 3 || list[0].Subject != "Second" {
				r.Errorf("the second page is %v of %d, %v", list, total, err)
			}
			return deleteMessages(r.Context(), tx.Unscoped(), time.Now())
		})
		if box := r.mailbox(withoutSenders); len(box) != 0 {
			r.Errorf("old messages were not deleted: %v", box)
		}
	})
}

func TestNewGateway_rejectsURLsThatTheGuardRejects(t *testing.T) {
	guard := outbound.New(outbound.Config{})
	for _, address := range []string{"", "http://sms.example/send", "https://127.0.0.1/send",
		"https://user:hidden@sms.example", "sms.example"} {
		if _, err := NewGateway(guard, address); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// gateway is a text message gateway on a loopback port.
type gateway struct {
	*httptest.Server

	mu     sync.Mutex
	status int
	texts  []TextMessage
}

func newGateway(t testing.TB) *gateway {
	t.Helper()
	g := &gateway{status: http.StatusOK}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var text TextMessage
		if err := json.NewDecoder(r.Body).Decode(&text); err != nil ||
			r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost {
			t.Errorf("the gateway got %s %s: %v", r.Method, r.Header.Get("Content-Type"), err)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.texts = append(g.texts, text)
		w.WriteHeader(g.status)
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *gateway) respondWith(status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.status = status
}

func (g *gateway) messages() []TextMessage {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]TextMessage(nil), g.texts...)
}

// safeBuffer is a log buffer that is safe for concurrent use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
