package mailtest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
)

// maxLine is how long a line may be with its CRLF (RFC 5321).
const maxLine = 1000

// session is one conversation.
type session struct {
	server *Server
	conn   net.Conn
	r      *bufio.Reader

	secure, greeted, from bool
	user                  string
	eightBit              bool
	message               Message
}

func newSession(s *Server, conn net.Conn) *session {
	return &session{server: s, conn: conn, r: bufio.NewReaderSize(conn, maxLine)}
}

// errOver ends a conversation.
var errOver = errors.New("the conversation is over")

// run talks until one of the two has left. What ends it is the client's business: a test looks at what the client makes of it.
func (c *session) run(ctx context.Context) {
	if c.server.cfg.TLS == ImplicitTLS && c.encrypt(ctx) != nil {
		return
	}
	if c.answer(Greeting, "220 mailtest ESMTP") != nil {
		return
	}
	for {
		line, err := c.line()
		if err != nil {
			return
		}
		if err := c.command(ctx, line); err != nil {
			return
		}
	}
}

// encrypt goes on with TLS; what was sent before it is forgotten.
func (c *session) encrypt(ctx context.Context) error {
	conn := tls.Server(c.conn, &tls.Config{Certificates: []tls.Certificate{c.server.certificate}, MinVersion: tls.VersionTLS12})
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	c.conn, c.r = conn, bufio.NewReaderSize(conn, maxLine)
	c.secure, c.greeted, c.user = true, false, ""
	return nil
}

// line reads one line that ends in CRLF, without it.
func (c *session) line() (string, error) {
	line, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		_ = c.write("500 5.5.2 Line too long")
		return "", errOver
	case err != nil:
		return "", err
	}
	text, found := bytes.CutSuffix(line, []byte("\r\n"))
	if !found || bytes.ContainsAny(text, "\r\x00") {
		_ = c.write("500 5.5.2 Lines end in CRLF, and hold neither CR nor NUL")
		return "", errOver
	}
	return string(text), nil
}

func (c *session) write(reply string) error {
	_, err := io.WriteString(c.conn, reply+"\r\n")
	return err
}

// answer replies to a line as the test wants, or else as usual. A reply of the test that is no success leaves all as it is.
func (c *session) answer(line, usual string) error {
	_, err := c.decide(line, usual)
	return err
}

// decide is answer, and reports whether the usual reply was given.
func (c *session) decide(line, usual string) (bool, error) {
	switch r := c.server.reaction(line); r {
	case "":
		return true, c.write(usual)
	case Drop:
		return false, errOver
	case Hang:
		_, _ = io.Copy(io.Discard, c.conn) // until the client leaves
		return false, errOver
	default:
		return false, c.write(string(r))
	}
}

var (
	mailFrom = regexp.MustCompile(`^(?i:MAIL FROM):<([^<> ]+@[^<> ]+)>((?: [A-Z0-9]+(?:=[!-<>-~]+)?)*)$`)
	rcptTo   = regexp.MustCompile(`^(?i:RCPT TO):<([^<> ]+@[^<> ]+)>$`)
)

// command does what a line asks for.
func (c *session) command(ctx context.Context, line string) error {
	verb, argument, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO", "HELO":
		c.greeted = argument != ""
		return c.answer(line, c.hello(strings.ToUpper(verb)))
	case "STARTTLS":
		return c.startTLS(ctx, line)
	case "AUTH":
		return c.auth(line, argument)
	case "MAIL":
		return c.mail(line)
	case "RCPT":
		return c.rcpt(line)
	case "DATA":
		return c.data(line)
	case "RSET":
		c.from, c.message = false, Message{}
		return c.answer(line, "250 2.0.0 OK")
	case "NOOP":
		return c.answer(line, "250 2.0.0 OK")
	case "QUIT":
		_ = c.answer(line, "221 2.0.0 Bye")
		return errOver
	}
	return c.answer(line, "500 5.5.2 Unknown command")
}

// hello is the greeting and what the server can do.
func (c *session) hello(verb string) string {
	if !c.greeted || verb == "HELO" {
		return map[bool]string{true: "250 mailtest", false: "501 5.5.4 Who is it?"}[c.greeted]
	}
	reply := "250-mailtest\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n"
	if c.server.cfg.TLS == StartTLS && !c.secure {
		reply += "250-STARTTLS\r\n"
	} else if c.server.cfg.User != "" {
		reply += "250-AUTH " + c.server.cfg.Auth + "\r\n"
	}
	return reply + "250 SIZE 10000000"
}

func (c *session) startTLS(ctx context.Context, line string) error {
	if c.server.cfg.TLS != StartTLS || c.secure {
		return c.answer(line, "503 5.5.1 No TLS here")
	}
	if usual, err := c.decide(line, "220 2.0.0 Go ahead"); err != nil || !usual {
		return err
	}
	return c.encrypt(ctx)
}

// auth takes PLAIN with its answer in the first line, and LOGIN.
func (c *session) auth(line, argument string) error {
	way, first, _ := strings.Cut(argument, " ")
	way = strings.ToUpper(way)
	switch {
	case !c.greeted || c.user != "" || c.server.cfg.User == "":
		return c.answer(line, "503 5.5.1 Not now")
	case c.server.cfg.TLS == StartTLS && !c.secure:
		return c.answer(line, "530 5.7.0 STARTTLS first")
	case !strings.Contains(" "+c.server.cfg.Auth+" ", " "+way+" "):
		return c.answer(line, "504 5.5.4 Unknown way")
	}
	var user, password string
	switch way {
	case "PLAIN":
		decoded, _ := base64.StdEncoding.DecodeString(first)
		if parts := strings.Split(string(decoded), "\x00"); len(parts) == 3 {
			user, password = parts[1], parts[2]
		}
	case "LOGIN":
		answers := [2]string{}
		for i, question := range []string{"Username:", "Password:"} {
			if err := c.write("334 " + base64.StdEncoding.EncodeToString([]byte(question))); err != nil {
				return err
			}
			answer, err := c.line()
			if err != nil {
				return err
			}
			decoded, _ := base64.StdEncoding.DecodeString(answer)
			answers[i] = string(decoded)
		}
		user, password = answers[0], answers[1]
	}
	if user != c.server.cfg.User || password != c.server.cfg.Password {
		return c.answer(line, "535 5.7.8 Nobody is called "+user+" with the password "+password)
	}
	usual, err := c.decide(line, "235 2.7.0 Welcome")
	if usual {
		c.user = user
	}
	return err
}

func (c *session) mail(line string) error {
	match := mailFrom.FindStringSubmatch(line)
	switch {
	case !c.greeted || c.from:
		return c.answer(line, "503 5.5.1 Not now")
	case c.server.cfg.TLS == StartTLS && !c.secure:
		return c.answer(line, "530 5.7.0 STARTTLS first")
	case c.server.cfg.User != "" && c.user == "":
		return c.answer(line, "530 5.7.0 Authentication required")
	case match == nil:
		return c.answer(line, "501 5.1.7 Not an address between brackets")
	}
	usual, err := c.decide(line, "250 2.1.0 OK")
	if usual {
		c.from = true
		c.eightBit = strings.Contains(match[2], " BODY=8BITMIME")
		c.message = Message{From: match[1], User: c.user, TLS: c.secure}
	}
	return err
}

func (c *session) rcpt(line string) error {
	match := rcptTo.FindStringSubmatch(line)
	switch {
	case !c.from:
		return c.answer(line, "503 5.5.1 From whom?")
	case match == nil:
		return c.answer(line, "501 5.1.3 Not an address between brackets, or a parameter that is unknown")
	}
	usual, err := c.decide(line, "250 2.1.5 OK")
	if usual {
		c.message.To = append(c.message.To, match[1])
	}
	return err
}

func (c *session) data(line string) error {
	if len(c.message.To) == 0 {
		return c.answer(line, "503 5.5.1 To whom?")
	}
	if usual, err := c.decide(line, "354 End with a dot"); err != nil || !usual {
		return err
	}
	var content bytes.Buffer
	for {
		text, err := c.line()
		if err != nil {
			return err
		}
		if text == "." {
			break
		}
		content.WriteString(strings.TrimPrefix(text, ".") + "\r\n")
	}
	m := c.message
	c.from, c.message = false, Message{}
	m.Raw = content.String()
	if err := m.decode(c.eightBit); err != nil {
		return c.answer(EndOfContent, fmt.Sprintf("554 5.6.0 %v", err))
	}
	usual, err := c.decide(EndOfContent, "250 2.0.0 Taken")
	if usual {
		c.server.keep(m)
	}
	return err
}
