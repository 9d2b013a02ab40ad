package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"time"
)

const (
	// connectTimeout bounds the lookup of the server's name and the connection, sendTimeout all of a message.
	connectTimeout = 10 * time.Second
	sendTimeout    = 30 * time.Second
)

// SMTPConfig is what tests put in place of the world.
type SMTPConfig struct {
	// RootCAs are the authorities that certificates are checked with, by default the machine's.
	RootCAs *x509.CertPool
	// Now is the clock that a message's date is taken from, by default time.Now.
	Now func() time.Time
}

// SMTP hands messages over to a mail server, each on a connection of its own, within 30 seconds. It is safe for concurrent use.
type SMTP struct {
	serverAddress
	tls  *tls.Config
	now  func() time.Time
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewSMTP makes a sender for a server at an address such as
//
//	smtp://user:password@host:587?from=shop@example.com&tls=required
//	smtps://user:password@host:465?from=shop@example.com
//
// from is where mail comes from that says nothing else; its domain is also what the sender calls itself. tls is required (the default with a
// password), opportunistic (the default without one) or none; a certificate must be valid wherever there is TLS, and a password leaves
// in the clear only with none. The port is by default 587, with smtps 465. The server is not asked for anything yet. An error shows
// nothing of the address.
func NewSMTP(address string, cfg SMTPConfig) (*SMTP, error) {
	p, err := parseServerURL(address)
	if err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &SMTP{
		serverAddress: p, now: cfg.Now,
		tls:  &tls.Config{ServerName: p.host, RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
		dial: (&net.Dialer{Timeout: connectTimeout}).DialContext,
	}, nil
}

// String names the server, without its user and password.
func (s *SMTP) String() string { return s.endpoint() }

// From is the address that mail comes from that says nothing else.
func (s *SMTP) From() string { return s.from }

// Send hands a message over; see Sender.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	m, err := m.normalized()
	if err != nil {
		return err
	}
	if m.From == "" {
		m.From = s.from
	}
	content, err := compose(m, s.now())
	if err != nil {
		return invalidMessage("The message cannot be encoded.").because(err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if failure := s.deliver(ctx, m.From, m.To, content); failure != nil {
		return failure
	}
	return nil
}
