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

// farewell is how long a server may take to say goodbye to a message that it has taken already.
const farewell = time.Second

// deliver makes one connection, and hands one message over on it. When ctx ends, so does the connection.
func (s *SMTP) deliver(ctx context.Context, from, to string, content []byte) *Error {
	raw, err := s.dial(ctx, "tcp", s.endpoint())
	if err != nil {
		return &Error{Phase: PhaseConnect, Message: "The mail server could not be connected to.", Retry: true, cause: err}
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(longAgo) })
	defer stop()

	client, failure := s.greet(ctx, &boundedConn{Conn: raw, left: maxAnswers})
	if failure != nil {
		return failure
	}
	failure = s.converse(client, from, to, content)
	if (failure == nil || failure.Code != 0) && stop() {
		// Whatever comes of it, the message's fate is known. A server whose answer did not come is told nothing: in the middle of a message
		// any other command would first complete that.
		if raw.SetDeadline(time.Now().Add(farewell)) == nil {
			_ = client.Quit()
		}
	}
	return failure
}

// longAgo is a deadline that ends whatever waits.
var longAgo = time.Unix(1, 0)

// greet reads the server's greeting, with TLS around it where that comes first, and says hello.
func (s *SMTP) greet(ctx context.Context, conn net.Conn) (*smtp.Client, *Error) {
	if s.encryption == implicit {
		secure := tls.Client(conn, s.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, explain(PhaseTLS, err)
		}
		conn = secure
	}
	client, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, explain(PhaseConnect, err)
	}
	client.SkipSMTPUTF8(true) // addresses are ASCII
	if err := client.Hello(domain(s.from)); err != nil {
		return nil, explain(PhaseConnect, err)
	}
	return client, nil
}

// converse goes from the greeting to the server's word that it has the message.
func (s *SMTP) converse(client *smtp.Client, from, to string, content []byte) *Error {
	if failure := s.encrypt(client); failure != nil {
		return failure
	}
	if failure := s.signIn(client); failure != nil {
		return failure
	}
	if err := client.Mail("<" + from + ">"); err != nil {
		return explain(PhaseSender, err)
	}
	if err := client.Rcpt("<" + to + ">"); err != nil {
		return explain(PhaseRecipient, err)
	}
	w, err := client.Data()
	if err != nil {
		return explain(PhaseContent, err)
	}
	if _, err := w.Write(content); err != nil {
		return explain(PhaseContent, err) // and no Close, which would end the message here
	}
	if err := w.Close(); err != nil {
		return explain(PhaseContent, err)
	}
	return nil
}

// encrypt goes on with TLS where the address asks for it.
func (s *SMTP) encrypt(client *smtp.Client) *Error {
	offered, _ := client.Extension("STARTTLS")
	switch {
	case s.encryption == none, s.encryption == implicit, s.encryption == opportunistic && !offered:
		return nil
	case !offered:
		return &Error{Phase: PhaseTLS, Message: refusals[PhaseTLS], Retry: true}
	}
	if err := client.StartTLS(s.tls); err != nil {
		return explain(PhaseTLS, err)
	}
	return nil
}

// signIn gives the user and the password, if there are any, in the first way of ours that the server has.
func (s *SMTP) signIn(client *smtp.Client) *Error {
	if s.user == "" {
		return nil
	}
	clear := s.encryption == none
	if _, secure := client.TLSConnectionState(); !secure && !clear {
		return &Error{Phase: PhaseAuth, Retry: true,
			Message: "The mail server offers no TLS, and a password is not sent in the clear: tls=none in its address would."}
	}
	_, ways := client.Extension("AUTH")
	var auth smtp.Auth
	switch offered := strings.Fields(strings.ToUpper(ways)); {
	case slices.Contains(offered, "PLAIN"):
		auth = smtp.PlainAuth("", s.user, s.password, s.host, clear)
	case slices.Contains(offered, "LOGIN"):
		auth = smtp.LoginAuth(s.user, s.password, s.host, clear)
	default:
		return &Error{Phase: PhaseAuth, Retry: true, Message: "The mail server takes a password in neither of the ways PLAIN and LOGIN."}
	}
	if err := client.Auth(auth); err != nil {
		return explain(PhaseAuth, err)
	}
	return nil
}

// maxAnswers is how much a server may say in one conversation, its certificates included.
const maxAnswers = 256 << 10

var errTalkative = errors.New("the mail server says too much")

// boundedConn ends a conversation with a server that never stops talking, whose answers would fill the memory.
type boundedConn struct {
	net.Conn
	left int
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTalkative
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
