// Package mailtest is a mail server on loopback, for tests only. It speaks SMTP as strictly as the real ones: commands in their order, addresses
// between brackets, lines that end in CRLF and are not too long. What it takes it keeps, decoded; it can be told to refuse, to fall silent
// and to hang up at any command.
package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// TLS says where a server has it.
type TLS int

// The ways. A server that has STARTTLS takes neither a password nor mail without it.
const (
	NoTLS TLS = iota
	StartTLS
	ImplicitTLS
)

// Config is what a server asks of its clients.
type Config struct {
	TLS TLS
	// User and Password must be given before any mail is taken, if there are any.
	User, Password string
	// Auth are the ways in which they may be, by default PLAIN and LOGIN.
	Auth string
}

// Reaction is what a server does at a command: a whole reply such as "550 5.1.1 There is nobody of this name", Hang or Drop. The empty one is what
// it would do anyway.
type Reaction string

// What a server does other than answer.
const (
	Hang Reaction = "hang" // it says nothing more until the client has left
	Drop Reaction = "drop" // it closes the connection
)

// The lines that OnCommand sees beside what clients send.
const (
	Greeting     = "(greeting)" // the connection is there
	EndOfContent = "."          // the message is complete
)

// Server is a mail server.
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

// New starts a server on 127.0.0.1. It ends with the test.
func New(tb testing.TB, cfg Config) *Server {
	tb.Helper()
	if cfg.Auth == "" {
		cfg.Auth = "PLAIN LOGIN"
	}
	s := &Server{cfg: cfg, onCommand: func(string) Reaction { return "" }}
	var err error
	if s.certificate, s.roots, err = selfSigned(); err != nil {
		tb.Fatalf("create a certificate: %v", err)
	}
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
			newSession(s, conn).run(tb.Context())
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

// URL is the server's address with its user and password in it, as mail.NewSMTP takes it. Mail comes from shop@example.com.
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

// RootCAs holds the authority of the server's certificate, which nobody else knows.
func (s *Server) RootCAs() *x509.CertPool { return s.roots }

// OnCommand has fn decide at each line that is not part of a message; nil ends that. It runs on the goroutine of a connection.
func (s *Server) OnCommand(fn func(line string) Reaction) {
	if fn == nil {
		fn = func(string) Reaction { return "" }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onCommand = fn
}

// reactionTo notes a line and asks what to do at it.
func (s *Server) reactionTo(line string) Reaction {
	s.mu.Lock()
	fn := s.onCommand
	s.lines = append(s.lines, line)
	s.mu.Unlock()
	return fn(line)
}

// Lines returns all that clients have sent, less the messages themselves.
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

// Messages returns what was taken, in its order.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Wait returns the messages when there are n, or fails the test when that takes more than ten seconds.
func (s *Server) Wait(tb testing.TB, n int) []Message {
	tb.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		messages := s.Messages()
		if len(messages) >= n {
			return messages
		}
		if time.Now().After(deadline) {
			tb.Fatalf("got %d messages, want %d", len(messages), n)
		}
	}
}
