package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// quitTimeout limits the QUIT command, which is sent after the outcome of the message is known.
const quitTimeout = time.Second

// deliver opens a connection, sends one message and closes the connection. When ctx ends, pending reads and writes
// fail.
func (s *SMTP) deliver(ctx context.Context, m Message, content []byte) *Error {
	raw, err := s.dial(ctx, "tcp", s.endpoint())
	if err != nil {
		return &Error{Phase: PhaseConnect, Message: "The connection to the mail server failed.",
			Retry: true, cause: err}
	}
	defer raw.Close()

	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(pastDeadline) })
	defer stop()

	client, failure := s.greet(ctx, &boundedConn{Conn: raw, remaining: maxServerBytes})
	if failure != nil {
		return failure
	}

	failure = s.transfer(ctx, client, m, content)
	if (failure == nil || failure.Code != 0) && stop() {
		// The outcome is known, so the result of QUIT does not matter. If the server's reply is missing, no QUIT is
		// sent: during DATA the SMTP client ends the message before it sends another command, and the server would
		// accept a truncated message.
		if raw.SetDeadline(time.Now().Add(quitTimeout)) == nil {
			_ = client.Quit()
		}
	}

	return failure
}

// pastDeadline is a deadline that makes pending reads and writes fail at once.
var pastDeadline = time.Unix(1, 0)

// greet starts TLS if it is implicit, reads the server's greeting and sends EHLO.
func (s *SMTP) greet(ctx context.Context, conn net.Conn) (*smtp.Client, *Error) {
	if s.encryption == tlsImplicit {
		secure := tls.Client(conn, s.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, smtpError(PhaseTLS, err)
		}
		conn = secure
	}
	client, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, smtpError(PhaseConnect, err)
	}
	client.SkipSMTPUTF8(true) // addresses are ASCII, so SMTPUTF8 is not needed
	return client, smtpError(PhaseConnect, client.Hello(emailDomain(s.from)))
}

// transfer runs the session after EHLO: STARTTLS, AUTH, MAIL, RCPT and DATA. It returns nil when the server has
// accepted the message.
func (s *SMTP) transfer(ctx context.Context, client *smtp.Client, m Message, content []byte) *Error {
	if failure := s.startTLS(client); failure != nil {
		return failure
	}
	if failure := s.authenticate(client); failure != nil {
		return failure
	}
	if failure := smtpError(PhaseSender, client.Mail("<"+m.From+">")); failure != nil {
		return failure
	}

	if failure := smtpError(PhaseRecipient, client.Rcpt("<"+m.To+">")); failure != nil {
		return failure
	}
	if m.BeforeContent != nil {
		if err := m.BeforeContent(ctx); err != nil {
			return &Error{Phase: PhaseRecipient, Message: "The message was not sent.", Retry: true, cause: err}
		}
	}

	w, err := client.Data()
	if err != nil {
		return smtpError(PhaseContent, err)
	}
	if _, err := w.Write(content); err != nil {
		return smtpError(PhaseContent, err) // no Close: it would end the message here and send it truncated
	}

	return smtpError(PhaseContent, w.Close())
}

// startTLS runs STARTTLS if TLS is required, or if TLS is opportunistic and the server offers it.
func (s *SMTP) startTLS(client *smtp.Client) *Error {
	offered, _ := client.Extension("STARTTLS")
	switch {
	case s.encryption == tlsNone, s.encryption == tlsImplicit, s.encryption == tlsOpportunistic && !offered:
		return nil
	case !offered:
		return &Error{Phase: PhaseTLS, Message: refusalMessages[PhaseTLS], Retry: true}
	}
	return smtpError(PhaseTLS, client.StartTLS(s.tls))
}

// authenticate sends the user and the password, if configured, with the first supported mechanism that the server
// offers.
func (s *SMTP) authenticate(client *smtp.Client) *Error {
	if s.user == "" {
		return nil
	}

	plaintext := s.encryption == tlsNone
	if _, secure := client.TLSConnectionState(); !secure && !plaintext {
		return &Error{Phase: PhaseAuth, Retry: true, Message: "The mail server offers no TLS, and a password is not " +
			"sent unencrypted unless its URL says tls=none."}
	}

	_, mechanisms := client.Extension("AUTH")
	var auth smtp.Auth
	switch offered := strings.Fields(strings.ToUpper(mechanisms)); {
	case slices.Contains(offered, "PLAIN"):
		auth = smtp.PlainAuth("", s.user, s.password, s.host, plaintext)
	case slices.Contains(offered, "LOGIN"):
		auth = smtp.LoginAuth(s.user, s.password, s.host, plaintext)
	default:
		return &Error{Phase: PhaseAuth, Retry: true,
			Message: "The mail server supports neither AUTH PLAIN nor AUTH LOGIN."}
	}

	return smtpError(PhaseAuth, client.Auth(auth))
}

// maxServerBytes limits the bytes that a server may send in one session, including its certificates.
const maxServerBytes = 256 << 10

var errTooManyBytes = errors.New("the mail server sent too many bytes")

// boundedConn is a connection whose reads fail after a number of bytes, so that an endless reply of the server cannot
// fill the memory.
type boundedConn struct {
	net.Conn
	remaining int
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.remaining <= 0 {
		return 0, errTooManyBytes
	}
	n, err := c.Conn.Read(p[:min(len(p), c.remaining)])
	c.remaining -= n
	return n, err
}
