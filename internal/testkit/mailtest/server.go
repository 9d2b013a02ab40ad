// Package mailtest provides an SMTP server on loopback, for tests only. It is as strict as real servers: commands must
// come in order, addresses must be in angle brackets, and lines must end in CRLF and not be too long. It stores
// accepted messages, decoded. A test can make it refuse, hang or disconnect at any command.
package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/testkit/storetest"
)

// TLS is how a server offers TLS.
type TLS int

// The TLS modes. A StartTLS server accepts neither AUTH nor mail before STARTTLS.
const (
	NoTLS TLS = iota
	StartTLS
	ImplicitTLS
)

// Config configures a server.
type Config struct {
	TLS TLS
	// User and Password, if set, are required before the server accepts mail.
	User, Password string
	// Auth lists the AUTH mechanisms, separated by spaces. The default is "PLAIN LOGIN".
	Auth string
}

// Reaction is what the server does at a command: send a reply such as "550 5.1.1 There is nobody of this name", Hang or
// Drop. The empty Reaction is the default behaviour.
type Reaction string

// Reactions other than a reply.
const (
	Hang Reaction = "hang" // send nothing more until the client disconnects
	Drop Reaction = "drop" // close the connection
)

// Lines passed to OnCommand that are not commands of the client.
const (
	Greeting     = "(greeting)" // a client has connected
	EndOfContent = "."          // the message is complete
)

// Server is an SMTP server. It is safe for concurrent use.
type Server struct {
	cfg         Config
	listener    net.Listener
	certificate tls.Certificate
	roots       *x509.CertPool
	sessions    sync.WaitGroup

	mu        sync.Mutex
	conns     []net.Conn
	onCommand func(line string) Reaction
	lines     []string
	messages  []Message
}

// New starts a server on 127.0.0.1. It is closed at the end of the test.
func New(tb testing.TB, cfg Config) *Server {
	tb.Helper()
	if cfg.Auth == "" {
		cfg.Auth = "PLAIN LOGIN"
	}

	s := &Server{cfg: cfg, onCommand: func(string) Reaction { return "" }}
	web := httptest.NewTLSServer(nil) // for its certificate, which is valid for 127.0.0.1
	s.certificate, s.roots = web.TLS.Certificates[0], x509.NewCertPool()
	s.roots.AddCert(web.Certificate())
	web.Close()

	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		tb.Fatalf("listen: %v", err)
	}

	var accepting sync.WaitGroup
	accepting.Go(func() { s.accept(tb) })
	tb.Cleanup(func() {
		_ = s.listener.Close()
		accepting.Wait()
		s.closeConns()
		s.sessions.Wait()
	})

	return s
}

func (s *Server) accept(tb testing.TB) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				tb.Errorf("accept: %v", err)
			}
			return
		}

		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.mu.Unlock()
		s.sessions.Go(func() {
			defer conn.Close()
			newSMTPSession(s, conn).run(tb.Context())
		})
	}
}

func (s *Server) closeConns() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
}

// URL returns the server's URL for mail.NewSMTP, with the user, the password and the sender shop@example.com. query is
// appended.
func (s *Server) URL(query url.Values) string {
	u := url.URL{Scheme: "smtp", Host: s.listener.Addr().String(), RawQuery: "from=shop@example.com"}
	if s.cfg.TLS == ImplicitTLS {
		u.Scheme = "smtps"
	}
	if s.cfg.User != "" {
		u.User = url.UserPassword(s.cfg.User, s.cfg.Password)
	}
	if len(query) > 0 {
		u.RawQuery += "&" + query.Encode()
	}
	return u.String()
}

// RootCAs returns a pool with the server's self-signed certificate.
func (s *Server) RootCAs() *x509.CertPool { return s.roots }

// OnCommand sets a function that decides the reaction to each line that is not part of a message. A nil fn restores the
// default. fn is called on the goroutine of the connection.
func (s *Server) OnCommand(fn func(line string) Reaction) {
	if fn == nil {
		fn = func(string) Reaction { return "" }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onCommand = fn
}

// reactionTo records a line and returns the reaction to it.
func (s *Server) reactionTo(line string) Reaction {
	s.mu.Lock()
	fn := s.onCommand
	s.lines = append(s.lines, line)
	s.mu.Unlock()
	return fn(line)
}

// Lines returns all lines that clients have sent, without the content of messages.
func (s *Server) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

func (s *Server) addMessage(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
}

// Messages returns the accepted messages in order.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// WaitForMessages returns the messages as soon as there are at least n. It fails the test after a minute.
func (s *Server) WaitForMessages(tb testing.TB, n int) []Message {
	tb.Helper()
	storetest.Eventually(tb, fmt.Sprintf("%d messages", n), func() bool { return len(s.Messages()) >= n })
	return s.Messages()
}
