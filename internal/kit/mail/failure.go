package mail

import (
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"unicode"
)

// Phase is the step at which Send failed.
type Phase string

// The phases, in the order of a session. A timeout or a broken connection has the phase in which it occurred.
const (
	PhaseMessage   Phase = "message"   // the message is invalid; nothing was sent
	PhaseConnect   Phase = "connect"   // no connection, no greeting, or no reply to EHLO
	PhaseTLS       Phase = "tls"       // TLS is required and not offered, or the certificate is not valid
	PhaseAuth      Phase = "auth"      // the server rejects the user and the password
	PhaseSender    Phase = "sender"    // the server rejects the sender's address
	PhaseRecipient Phase = "recipient" // the server rejects the recipient's address
	PhaseContent   Phase = "content"   // the server rejects the content
)

// Error is the error of Send. It never contains the password, nor the server's reply to AUTH.
type Error struct {
	Phase Phase
	// Code and Reply are the server's reply; Reply is cut to 200 characters. They are 0 and "" if there was no reply.
	Code    int
	Reply   string
	Message string
	// Retry reports whether a later attempt with the same message may succeed: the server is busy or unreachable, or a
	// setting of the server or of ours is wrong and can be corrected. It is false if the server permanently rejects
	// this recipient or this content, and if the message is invalid.
	Retry bool

	cause error
}

func (e *Error) Error() string {
	text := string(e.Phase) + ": " + e.Message
	if e.Code != 0 {
		text = fmt.Sprintf("%s (%d %s)", text, e.Code, e.Reply)
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// OutcomeUnknown reports whether the server may have accepted the message: the connection broke while the content was
// sent, or before the server's reply to it.
func (e *Error) OutcomeUnknown() bool { return e.Phase == PhaseContent && e.Code == 0 }

// Unwrap returns the cause. It is nil if there is no cause or if it might contain the password.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
}

// invalidMessage returns the error for a message that fails validation.
func invalidMessage(message string, args ...any) *Error {
	return &Error{Phase: PhaseMessage, Message: fmt.Sprintf(message, args...)}
}

// refusalMessages are the messages of Error by phase.
var refusalMessages = map[Phase]string{
	PhaseConnect: "The mail server accepts no mail now.",
	PhaseTLS: "There is no TLS connection to the mail server: it must offer TLS with a certificate that is valid for " +
		"its name. With tls=none in its URL mail is sent without TLS.",
	PhaseAuth:      "The mail server rejects the user and the password.",
	PhaseSender:    "The mail server accepts no mail from this sender.",
	PhaseRecipient: "The mail server accepts no mail for this recipient.",
	PhaseContent:   "The mail server rejects this message.",
}

// authenticationRequired is the reply code to any command before a required AUTH (RFC 4954). It says nothing about the
// recipient.
const authenticationRequired = 530

// smtpError converts the error of a step to an *Error; nil stays nil. A permanent reply (5xx) is final only for the
// recipient and the content. In other phases it points to wrong settings, which an operator can correct before the last
// attempt.
func smtpError(phase Phase, err error) *Error {
	var reply *textproto.Error
	var network net.Error
	switch {
	case err == nil:
		return nil

	case errors.As(err, &reply):
		e := &Error{Phase: phase, Code: reply.Code, Reply: sanitizeReply(reply.Msg),
			Message: refusalMessages[phase], Retry: true}
		if phase == PhaseAuth {
			e.Reply = "" // some servers repeat the credentials in their reply
		}

		if phase == PhaseRecipient || phase == PhaseContent {
			e.Retry = reply.Code < 500 || reply.Code == authenticationRequired
		}

		return e

	case errors.As(err, &network) && network.Timeout():
		return &Error{Phase: phase, Message: "The mail server took too long to answer.", Retry: true, cause: err}
	case phase == PhaseTLS:
		return &Error{Phase: phase, Message: refusalMessages[phase], Retry: true, cause: err}
	case phase == PhaseAuth: // the error may quote the server's reply, which may contain credentials
		return &Error{Phase: phase, Message: "The connection to the mail server broke.", Retry: true}
	default:
		return &Error{Phase: phase, Message: "The connection to the mail server broke.", Retry: true, cause: err}
	}
}

// maxReply is the maximum number of characters of Error.Reply.
const maxReply = 200

// sanitizeReply makes a server's reply safe for a log: one line, no control characters, at most maxReply characters.
func sanitizeReply(text string) string {
	clean := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return ' '
		}
		return c
	}, text)
	runes := []rune(strings.TrimSpace(clean))
	return string(runes[:min(len(runes), maxReply)])
}
