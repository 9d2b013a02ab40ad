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

// maxLine is the maximum length of a line with its CRLF (RFC 5321).
const maxLine = 1000

// smtpSession is one connection of a client.
type smtpSession struct {
	server *Server
	conn   net.Conn
	r      *bufio.Reader

	secure, greeted, hasSender bool
	user                       string
	eightBit                   bool
	message                    Message
}

func newSMTPSession(s *Server, conn net.Conn) *smtpSession {
	return &smtpSession{server: s, conn: conn, r: bufio.NewReaderSize(conn, maxLine)}
}

// errSessionOver ends a session.
var errSessionOver = errors.New("the session is over")

// run handles commands until the client or the server closes the connection. Errors are not reported: the test checks
// how the client handles them.
func (c *smtpSession) run(ctx context.Context) {
	if c.server.cfg.TLS == ImplicitTLS && c.upgradeTLS(ctx) != nil {
		return
	}
	if c.reply(Greeting, "220 mailtest ESMTP") != nil {
		return
	}
	for {
		line, err := c.readLine()
		if err != nil {
			return
		}
		if err := c.handleCommand(ctx, line); err != nil {
			return
		}
	}
}

// upgradeTLS starts TLS and resets the state of the session.
func (c *smtpSession) upgradeTLS(ctx context.Context) error {
	conn := tls.Server(c.conn, &tls.Config{Certificates: []tls.Certificate{c.server.certificate},
		MinVersion: tls.VersionTLS12})
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	c.conn, c.r = conn, bufio.NewReaderSize(conn, maxLine)
	c.secure = true
	c.greeted = false
	c.user = ""
	return nil
}

// readLine reads a line that ends in CRLF and returns it without the CRLF.
func (c *smtpSession) readLine() (string, error) {
	line, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		_ = c.write("500 5.5.2 Line too long")
		return "", errSessionOver
	case err != nil:
		return "", err
	}
	text, found := bytes.CutSuffix(line, []byte("\r\n"))
	if !found || bytes.ContainsAny(text, "\r\x00") {
		_ = c.write("500 5.5.2 Lines end in CRLF, and hold neither CR nor NUL")
		return "", errSessionOver
	}
	return string(text), nil
}

func (c *smtpSession) write(reply string) error {
	_, err := io.WriteString(c.conn, reply+"\r\n")
	return err
}

// reply sends the reaction that the test has set for a line, or else the default reply.
func (c *smtpSession) reply(line, defaultReply string) error {
	_, err := c.replyOrReact(line, defaultReply)
	return err
}

// replyOrReact is like reply but also reports whether the default reply was sent. If not, the command must not change
// the session's state.
func (c *smtpSession) replyOrReact(line, defaultReply string) (bool, error) {
	switch r := c.server.reactionTo(line); r {
	case "":
		return true, c.write(defaultReply)
	case Drop:
		return false, errSessionOver
	case Hang:
		_, _ = io.Copy(io.Discard, c.conn) // until the client disconnects
		return false, errSessionOver
	default:
		return false, c.write(string(r))
	}
}

var (
	mailFrom = regexp.MustCompile(`^(?i:MAIL FROM):<([^<> ]+@[^<> ]+)>((?: [A-Z0-9]+(?:=[!-<>-~]+)?)*)$`)
	rcptTo   = regexp.MustCompile(`^(?i:RCPT TO):<([^<> ]+@[^<> ]+)>$`)
)

// handleCommand executes one command line.
func (c *smtpSession) handleCommand(ctx context.Context, line string) error {
	verb, argument, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO", "HELO":
		c.greeted = argument != ""
		return c.reply(line, c.ehloReply(strings.ToUpper(verb)))
	case "STARTTLS":
		return c.handleStartTLS(ctx, line)
	case "AUTH":
		return c.handleAuth(line, argument)
	case "MAIL":
		return c.handleMail(line)
	case "RCPT":
		return c.handleRcpt(line)
	case "DATA":
		return c.handleData(line)
	case "RSET":
		c.hasSender = false
		c.message = Message{}
		return c.reply(line, "250 2.0.0 OK")
	case "NOOP":
		return c.reply(line, "250 2.0.0 OK")
	case "QUIT":
		_ = c.reply(line, "221 2.0.0 Bye")
		return errSessionOver
	}

	return c.reply(line, "500 5.5.2 Unknown command")
}

// ehloReply returns the reply to EHLO or HELO, with the server's extensions.
func (c *smtpSession) ehloReply(verb string) string {
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

func (c *smtpSession) handleStartTLS(ctx context.Context, line string) error {
	if c.server.cfg.TLS != StartTLS || c.secure {
		return c.reply(line, "503 5.5.1 No TLS here")
	}
	if accepted, err := c.replyOrReact(line, "220 2.0.0 Go ahead"); err != nil || !accepted {
		return err
	}
	return c.upgradeTLS(ctx)
}

// handleAuth supports PLAIN with an initial response, and LOGIN.
func (c *smtpSession) handleAuth(line, argument string) error {
	mechanism, first, _ := strings.Cut(argument, " ")
	mechanism = strings.ToUpper(mechanism)
	switch {
	case !c.greeted || c.user != "" || c.server.cfg.User == "":
		return c.reply(line, "503 5.5.1 Not now")
	case c.server.cfg.TLS == StartTLS && !c.secure:
		return c.reply(line, "530 5.7.0 STARTTLS first")
	case !strings.Contains(" "+c.server.cfg.Auth+" ", " "+mechanism+" "):
		return c.reply(line, "504 5.5.4 Unknown way")
	}

	var user, password string
	switch mechanism {
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

			answer, err := c.readLine()
			if err != nil {
				return err
			}

			decoded, _ := base64.StdEncoding.DecodeString(answer)
			answers[i] = string(decoded)
		}

		user, password = answers[0], answers[1]
	}

	if user != c.server.cfg.User || password != c.server.cfg.Password {
		return c.reply(line, "535 5.7.8 Nobody is called "+user+" with the password "+password)
	}

	accepted, err := c.replyOrReact(line, "235 2.7.0 Welcome")
	if accepted {
		c.user = user
	}

	return err
}

func (c *smtpSession) handleMail(line string) error {
	match := mailFrom.FindStringSubmatch(line)
	switch {
	case !c.greeted || c.hasSender:
		return c.reply(line, "503 5.5.1 Not now")
	case c.server.cfg.TLS == StartTLS && !c.secure:
		return c.reply(line, "530 5.7.0 STARTTLS first")
	case c.server.cfg.User != "" && c.user == "":
		return c.reply(line, "530 5.7.0 Authentication required")
	case match == nil:
		return c.reply(line, "501 5.1.7 Not an address between brackets")
	}

	accepted, err := c.replyOrReact(line, "250 2.1.0 OK")
	if accepted {
		c.hasSender = true
		c.eightBit = strings.Contains(match[2], " BODY=8BITMIME")
		c.message = Message{From: match[1], User: c.user, TLS: c.secure}
	}

	return err
}

func (c *smtpSession) handleRcpt(line string) error {
	match := rcptTo.FindStringSubmatch(line)
	switch {
	case !c.hasSender:
		return c.reply(line, "503 5.5.1 From whom?")
	case match == nil:
		return c.reply(line, "501 5.1.3 Not an address between brackets, or a parameter that is unknown")
	}
	accepted, err := c.replyOrReact(line, "250 2.1.5 OK")
	if accepted {
		c.message.To = append(c.message.To, match[1])
	}
	return err
}

func (c *smtpSession) handleData(line string) error {
	if len(c.message.To) == 0 {
		return c.reply(line, "503 5.5.1 To whom?")
	}
	if accepted, err := c.replyOrReact(line, "354 End with a dot"); err != nil || !accepted {
		return err
	}

	var content bytes.Buffer
	for {
		text, err := c.readLine()
		if err != nil {
			return err
		}
		if text == "." {
			break
		}
		content.WriteString(strings.TrimPrefix(text, ".") + "\r\n")
	}

	m := c.message
	c.hasSender = false
	c.message = Message{}
	m.Raw = content.String()

	if err := m.decode(c.eightBit); err != nil {
		return c.reply(EndOfContent, fmt.Sprintf("554 5.6.0 %v", err))
	}

	accepted, err := c.replyOrReact(EndOfContent, "250 2.0.0 Taken")
	if accepted {
		c.server.addMessage(m)
	}

	return err
}
