package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"time"

	"vitrine/internal/kit/trace"
)

const (
	// connectTimeout limits the DNS lookup and the connection. sendTimeout limits the whole Send.
	connectTimeout = 10 * time.Second
	sendTimeout    = 30 * time.Second
)

// SMTPConfig replaces system defaults in tests.
type SMTPConfig struct {
	// RootCAs verify the server's certificate. The default is the system pool.
	RootCAs *x509.CertPool
	// Now provides the Date header. The default is time.Now.
	Now func() time.Time
	// Dial connects to the server. The default connects to any address.
	Dial DialFunc
}

// DialFunc connects to an address.
type DialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// SMTP sends messages to a mail server, each on a new connection and within 30 seconds. It is safe for concurrent use.
type SMTP struct {
	serverAddress
	tls  *tls.Config
	now  func() time.Time
	dial DialFunc
}

// NewSMTP returns a sender for the mail server at a URL such as
//
//	smtp://user:password@host:587?from=shop@example.com&tls=required
//	smtps://user:password@host:465?from=shop@example.com
//
// The parameter from is the default sender address; its domain is also the name in EHLO. The parameter tls has the
// value required (the default with a password), opportunistic (the default without one) or none. With TLS the
// certificate must always be valid. A password is sent unencrypted only with tls=none. The default port is 587, and 465
// for smtps. NewSMTP does not connect. Its errors never quote the URL.
func NewSMTP(address string, cfg SMTPConfig) (*SMTP, error) {
	p, err := parseServerURL(address)
	if err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: connectTimeout}).DialContext
	}
	return &SMTP{
		serverAddress: p, now: cfg.Now,
		tls:  &tls.Config{ServerName: p.host, RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
		dial: cfg.Dial,
	}, nil
}

// String returns host:port of the server, without the user and the password.
func (s *SMTP) String() string { return s.endpoint() }

// From returns the default sender address.
func (s *SMTP) From() string { return s.from }

// Send implements Sender.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	m, err := m.normalized()
	if err != nil {
		return err
	}

	if m.From == "" {
		m.From = s.from
	}

	content, err := composeMIME(m, s.now())
	if err != nil {
		return invalidMessage("The message cannot be encoded.").because(err)
	}

	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()

	ctx, span := trace.StartClient(ctx, "SMTP")
	defer span.End()

	span.String("server.address", s.host)

	if failure := s.deliver(ctx, m, content); failure != nil {
		span.Fail("not_accepted")
		return failure
	}

	return nil
}
