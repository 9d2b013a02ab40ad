package mail

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/testkit/mailtest"
)

// testMessage returns a valid message.
func testMessage() Message {
	return Message{ID: "0199-a", FromName: "Sunrise Boards", To: "kim@example.com", Subject: "Your code",
		Text: "Your code is 123456.\n"}
}

// newSender returns a sender that uses the given server and trusts its certificate. options are pairs of names and
// values for the query of the URL.
func newSender(t *testing.T, server *mailtest.Server, options ...string) *SMTP {
	t.Helper()
	query := url.Values{}
	for i := 0; i < len(options); i += 2 {
		query.Set(options[i], options[i+1])
	}
	at := time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)
	s, err := NewSMTP(server.URL(query), SMTPConfig{RootCAs: server.RootCAs(), Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sendError sends a message, which must fail, and returns the error.
func sendError(t *testing.T, s *SMTP, m Message) *Error {
	t.Helper()
	err := s.Send(t.Context(), m)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("Send returned %v, want an *Error", err)
	}
	return e
}

func TestSend_deliversTheMessage(t *testing.T) {
	server := mailtest.New(t, mailtest.Config{})
	s := newSender(t, server)
	m := testMessage()
	m.HTML = "<p>Your code is <b>123456</b>.</p>\n"

	for range 2 {
		if err := s.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}

	messages := server.WaitForMessages(t, 2)
	if len(messages) != 2 {
		t.Fatalf("got %d messages, want 2", len(messages))
	}

	for _, got := range messages {
		header := map[string]string{}
		for _, name := range []string{"From", "To", "Message-Id", "Date", "Auto-Submitted", "User-Agent", "X-Mailer"} {
			header[name] = got.Header.Get(name)
		}

		want := map[string]string{
			"From": `"Sunrise Boards" <shop@example.com>`, "To": "<kim@example.com>",
			"Message-Id": "<0199-a@example.com>",
			"Date":       "Sat, 14 Nov 2026 12:00:05 +0000", "Auto-Submitted": "auto-generated",
			"User-Agent": "", "X-Mailer": "",
		}
		if diff := cmp.Diff(want, header); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}

		if got.From != "shop@example.com" || !slices.Equal(got.To, []string{"kim@example.com"}) ||
			got.Subject != m.Subject || got.Text != m.Text || got.HTML != m.HTML {
			t.Errorf("got %+v", got)
		}
	}

	if ehlo := server.Lines()[1]; ehlo != "EHLO example.com" {
		t.Errorf("the first command is %q", ehlo)
	}
}

func TestSend_preservesTextOfAnyKind(t *testing.T) {
	server := mailtest.New(t, mailtest.Config{})
	s := newSender(t, server)
	for _, text := range []string{
		"Ваш код: 123456",
		"注文ありがとうございます 🛹",
		"=?utf-8?q?Bcc:=0D=0Ax?= stays as it is",
		"a = b ? c : d",
		strings.Repeat("длинная тема ", 19),
		strings.Repeat("x", 255),
		strings.Repeat("🛹", 255),
		`quotes " and \ and <brackets>, (comments); "`,
		".",
		"Bcc: a@example.com",
	} {
		m := testMessage()
		m.Subject = text
		m.Text = text + "\n.\n..\n.\r\nFrom " + text + "\n"
		m.HTML = "<p>" + text + "</p>\n"
		m.FromName = strings.TrimSpace(string([]rune(text)[:min(len([]rune(text)), 100)]))

		if err := s.Send(t.Context(), m); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}

		messages := server.Messages()
		got := messages[len(messages)-1]
		from, err := got.Header.AddressList("From")
		if err != nil || len(from) != 1 || from[0].Name != m.FromName || from[0].Address != "shop@example.com" {
			t.Errorf("%q: From is %v, %v", text, from, err)
		}

		if got.Subject != strings.TrimSpace(text) ||
			got.Text != strings.ReplaceAll(m.Text, "\r\n", "\n") || got.HTML != m.HTML {
			t.Errorf("%q arrived as %q, %q, %q", text, got.Subject, got.Text, got.HTML)
		}

		for line := range strings.SplitSeq(got.Raw, "\r\n") {
			if len(line) > 76 && strings.Contains(line, "=?") {
				t.Errorf("%q gives a header line of %d bytes: %q", text, len(line), line)
			}
		}
	}
}

func TestSend_refusesHeaderAndCommandInjection(t *testing.T) {
	server := mailtest.New(t, mailtest.Config{})
	s := newSender(t, server)
	evil := []string{
		"a\r\nBcc: eve@example.com", "a\nBcc: eve@example.com", "a\rBcc: eve@example.com", "a\x00b", "a\u0085b",
		"a\u2028b", "a\x1bb", "a\tb", "a\xffb",
		"\r\n\r\nbody", "a\r\n.\r\nMAIL FROM:<eve@example.com>",
	}
	cases := map[string][]Message{}
	add := func(what string, values []string, set func(m *Message, value string)) {
		for _, value := range values {
			m := testMessage()
			set(&m, value)
			cases[what] = append(cases[what], m)
		}
	}

	addresses := []string{
		"eve@example.com> SIZE=1", "<eve@example.com> NOTIFY=NEVER", "eve@example.com NOTIFY=NEVER",
		`"eve> RET=FULL"@example.com`, "kim@example.com,eve@example.com",
		"kim@example.com>\r\nRCPT TO:<eve@example.com", "eve\x00@example.com", "Eve <eve@example.com>", "eve",
		strings.Repeat("e", 60) + "@" + strings.Repeat("example.", 30) + "com",
	}
	add("to", append(addresses, ""), func(m *Message, v string) { m.To = v })
	add("to", evil, func(m *Message, v string) { m.To = v + "@example.com" })
	add("from", addresses, func(m *Message, v string) { m.From = v })
	add("from", evil, func(m *Message, v string) { m.From = v + "@example.com" })
	add("name", append(evil, strings.Repeat("x", 129)), func(m *Message, v string) { m.FromName = v })
	add("subject", append(evil, "", " ", strings.Repeat("я", 256)), func(m *Message, v string) { m.Subject = v })
	add("id", append(evil, "", "a b", "a@b", "<a>", ".a", "a.", "a..b", "я", strings.Repeat("x", 129)),
		func(m *Message, v string) { m.ID = v })
	add("text", []string{"", "a\x00b", "a\xffb", strings.Repeat("x", maxBody+1)},
		func(m *Message, v string) { m.Text = v })
	add("html", []string{"a\x00b", "a\xffb", strings.Repeat("x", maxBody)}, func(m *Message, v string) { m.HTML = v })

	for what, messages := range cases {
		for _, m := range messages {
			if e := sendError(t, s, m); e.Phase != PhaseMessage || e.Retry || e.Message == "" {
				t.Errorf("%s in %.300q: %v", what, fmt.Sprint(m), e)
			}
		}
	}

	if lines := server.Lines(); len(lines) > 0 {
		t.Errorf("the server received %q", lines)
	}
	if err := testMessage().Check(); err != nil {
		t.Errorf("an ordinary message: %v", err)
	}
}

func TestSend_authenticatesOverTLS(t *testing.T) {
	secret := `p"ä: s/?#@%`
	for _, c := range []struct {
		name    string
		server  mailtest.Config
		options []string
		secure  bool
	}{
		{"starttls", mailtest.Config{TLS: mailtest.StartTLS, User: "shop@example.com", Password: secret}, nil, true},
		{"opportunistic starttls", mailtest.Config{TLS: mailtest.StartTLS, User: "shop", Password: secret},
			[]string{"tls", "opportunistic"}, true},
		{"starttls without a user", mailtest.Config{TLS: mailtest.StartTLS}, nil, true},
		{"implicit", mailtest.Config{TLS: mailtest.ImplicitTLS, User: "shop", Password: secret}, nil, true},
		{"login", mailtest.Config{TLS: mailtest.StartTLS, User: "shop", Password: secret, Auth: "XOAUTH2 LOGIN"}, nil,
			true},
		{"unencrypted with tls=none", mailtest.Config{User: "shop", Password: secret}, []string{"tls", "none"}, false},
		{"no tls offered", mailtest.Config{}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := mailtest.New(t, c.server)
			if err := newSender(t, server, c.options...).Send(t.Context(), testMessage()); err != nil {
				t.Fatal(err)
			}

			if got := server.Messages(); len(got) != 1 || got[0].User != c.server.User || got[0].TLS != c.secure {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestSend_neverRevealsThePassword(t *testing.T) {
	secret := "hunter2secret"
	strict := mailtest.New(t, mailtest.Config{TLS: mailtest.StartTLS, User: "shop", Password: secret})
	implicit := mailtest.New(t, mailtest.Config{TLS: mailtest.ImplicitTLS, User: "shop", Password: secret})
	plain := mailtest.New(t, mailtest.Config{User: "shop", Password: secret})

	strange := mailtest.New(t, mailtest.Config{TLS: mailtest.StartTLS, User: "shop", Password: secret, Auth: "XOAUTH2"})
	for _, c := range []struct {
		name, address string
		phase         Phase
		code          int
		server        *mailtest.Server
		stranger      bool // the client does not trust the certificate
	}{
		{"a wrong password, which the server repeats", strings.Replace(strict.URL(nil), secret, secret+"x", 1),
			PhaseAuth, 535, strict, false},
		{"an unsupported mechanism", strange.URL(nil), PhaseAuth, 0, strange, false},
		{"an unknown certificate", strict.URL(nil), PhaseTLS, 0, strict, true},
		{"an unknown certificate, implicit TLS", implicit.URL(nil), PhaseTLS, 0, implicit, true},
		{"a certificate for another name", "smtp://shop:" + secret + "@mail.example?from=shop@example.com",
			PhaseTLS, 0, strict, false},
		{"a certificate for another name, implicit TLS",
			"smtps://shop:" + secret + "@mail.example?from=shop@example.com", PhaseTLS, 0, implicit, false},
		{"no TLS where it is required", plain.URL(nil), PhaseTLS, 0, plain, false},
		{"no TLS and a password", plain.URL(url.Values{"tls": {"opportunistic"}}), PhaseAuth, 0, plain, false},
		{"tls=none where the server requires TLS", strict.URL(url.Values{"tls": {"none"}}), PhaseAuth, 0, strict,
			false},
		{"smtps:// to a server without TLS", strings.Replace(plain.URL(nil), "smtp:", "smtps:", 1), PhaseTLS, 0, plain,
			false},
	} {
		cfg := SMTPConfig{RootCAs: c.server.RootCAs()}
		if c.stranger {
			cfg = SMTPConfig{RootCAs: x509.NewCertPool()}
		}

		s, err := NewSMTP(c.address, cfg)
		if err != nil {
			t.Fatal(err)
		}
		serverURL, err := url.Parse(c.server.URL(nil))
		if err != nil {
			t.Fatal(err)
		}

		s.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, serverURL.Host)
		}
		e := sendError(t, s, testMessage())
		if e.Phase != c.phase || e.Code != c.code || !e.Retry {
			t.Errorf("%s: %v", c.name, e)
		}
		if text := e.Error() + s.String(); strings.Contains(text, secret) {
			t.Errorf("%s: the password is in %q", c.name, text)
		}

		if n := len(c.server.Messages()); n > 0 {
			t.Errorf("%s: %d messages arrived", c.name, n)
		}
	}
}

func TestSend_reportsWhetherARetryMayHelp(t *testing.T) {
	server := mailtest.New(t, mailtest.Config{})
	s := newSender(t, server)
	long := strings.Repeat("no ", 200)
	for _, c := range []struct {
		command  string
		reaction mailtest.Reaction
		phase    Phase
		code     int
		retry    bool
	}{
		{"RCPT", "550 5.1.1 There is nobody of this name", PhaseRecipient, 550, false},
		{"RCPT", "553-5.1.3 Two\r\n553 lines", PhaseRecipient, 553, false},
		{"RCPT", mailtest.Reaction("554 " + long), PhaseRecipient, 554, false},
		{"RCPT", "450 4.2.1 Greylisted", PhaseRecipient, 450, true},
		{"RCPT", "530 5.7.0 Authentication required", PhaseRecipient, 530, true},
		{"RCPT", "421 4.3.2 Shutting down", PhaseRecipient, 421, true},
		{"RCPT", "354 What?", PhaseRecipient, 354, true},
		{"RCPT", "nonsense", PhaseRecipient, 0, true},
		{"RCPT", mailtest.Drop, PhaseRecipient, 0, true},
		{mailtest.Greeting, "554 5.3.2 No service", PhaseConnect, 554, true},
		{mailtest.Greeting, "421 4.3.2 Too many connections", PhaseConnect, 421, true},
		{mailtest.Greeting, mailtest.Drop, PhaseConnect, 0, true},
		{mailtest.Greeting, mailtest.Reaction(strings.Repeat("220-"+long+"\r\n", 1000) + "220 at last"), PhaseConnect,
			0, true},
		{"EHLO", mailtest.Drop, PhaseConnect, 0, true},
		{"MAIL", "550 5.7.1 Not your address", PhaseSender, 550, true},
		{"MAIL", "451 4.3.0 Later", PhaseSender, 451, true},
		{"DATA", "554 5.5.1 No", PhaseContent, 554, false},
		{"DATA", "451 4.3.0 Later", PhaseContent, 451, true},
		{mailtest.EndOfContent, "552 5.3.4 Too large", PhaseContent, 552, false},
		{mailtest.EndOfContent, "452 4.3.1 No room", PhaseContent, 452, true},
		{mailtest.EndOfContent, mailtest.Drop, PhaseContent, 0, true},
	} {
		server.OnCommand(func(line string) mailtest.Reaction {
			if strings.HasPrefix(line, c.command) {
				return c.reaction
			}
			return ""
		})
		e := sendError(t, s, testMessage())
		if e.Phase != c.phase || e.Code != c.code || e.Retry != c.retry || e.Message == "" {
			t.Errorf("%s replied %.60q: %+v", c.command, c.reaction, e)
		}

		if len([]rune(e.Reply)) > maxReply || strings.ContainsAny(e.Error(), "\r\n") || e.Code != 0 && e.Reply == "" {
			t.Errorf("%s replied %.60q: %q", c.command, c.reaction, e.Error())
		}
	}

	if n := len(server.Messages()); n > 0 {
		t.Errorf("%d messages arrived", n)
	}

	// After the message was accepted, a broken connection at QUIT is no error.
	server.OnCommand(func(line string) mailtest.Reaction {
		if line == "QUIT" {
			return mailtest.Drop
		}
		return ""
	})
	if err := s.Send(t.Context(), testMessage()); err != nil || len(server.Messages()) != 1 {
		t.Errorf("QUIT dropped: %v, %d messages arrived", err, len(server.Messages()))
	}
}

func TestSend_reportsARefusedConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	s, err := NewSMTP("smtp://"+listener.Addr().String()+"?from=shop@example.com", SMTPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if e := sendError(t, s, testMessage()); e.Phase != PhaseConnect || !e.Retry || e.Unwrap() == nil {
		t.Errorf("got %+v", e)
	}
}

func TestSend_stopsWhenItsContextIsCancelled(t *testing.T) {
	server := mailtest.New(t, mailtest.Config{})
	s := newSender(t, server)
	for _, command := range []string{mailtest.Greeting, "EHLO", "RCPT", mailtest.EndOfContent} {
		ctx, cancel := context.WithCancel(t.Context())
		server.OnCommand(func(line string) mailtest.Reaction {
			if strings.HasPrefix(line, command) {
				cancel()
				return mailtest.Hang
			}
			return ""
		})
		var e *Error
		if err := s.Send(ctx, testMessage()); !errors.As(err, &e) || !e.Retry {
			t.Errorf("server hangs after %s: %v", command, err)
		}

		cancel()
	}
}

func TestSend_timesOutAfterThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewSMTP("smtp://mail.example?from=shop@example.com", SMTPConfig{})
		if err != nil {
			t.Fatal(err)
		}

		ours, theirs := net.Pipe()
		s.dial = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
		var talking sync.WaitGroup

		talking.Go(func() {
			_, err := io.WriteString(theirs, "220 hello\r\n")
			for lines := bufio.NewScanner(theirs); err == nil && lines.Scan(); {
				for err == nil { // a multiline reply that never ends
					time.Sleep(time.Second)
					_, err = io.WriteString(theirs, "250-and\r\n")
				}
			}
		})

		began := time.Now()
		e := sendError(t, s, testMessage())
		if took := time.Since(began); took != sendTimeout || !e.Retry || !errors.Is(e, os.ErrDeadlineExceeded) {
			t.Errorf("after %v: %v", took, e)
		}

		talking.Wait()
	})
}
