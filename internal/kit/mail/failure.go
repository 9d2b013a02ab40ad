package mail

import (
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"unicode"
)

// Phase is how far a message came before it failed.
type Phase string

// The phases.
const (
	PhaseMessage   Phase = "message"   // it cannot be sent as it is; nothing was
	PhaseConnect   Phase = "connect"   // no connection, no greeting, or the connection broke
	PhaseTLS       Phase = "tls"       // no TLS where it is asked for, or a certificate that is not valid
	PhaseAuth      Phase = "auth"      // the server does not take the user and the password
	PhaseSender    Phase = "sender"    // the server takes nothing from this address
	PhaseRecipient Phase = "recipient" // the server takes nothing for this address
	PhaseContent   Phase = "content"   // the server does not take the message itself
)

// Error is a message that was not sent. It shows no password, and no text of a server that has just been told one.
type Error struct {
	Phase Phase
	// Code and Reply are what the server answered, Reply at most 200 characters of it; 0 and empty if it did not.
	Code    int
	Reply   string
	Message string
	// Retry tells that the same message may well be sent later: the server is busy or away, or its operator or ours has something to mend.
	// It is false where the server refuses for good this recipient or this message, and for a message that cannot be sent as it is.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
}

// invalidMessage is a message that no server needs to see.
func invalidMessage(message string, args ...any) *Error {
	return &Error{Phase: PhaseMessage, Message: fmt.Sprintf(message, args...)}
}

// what each phase's refusal means, for people.
var refusalMessages = map[Phase]string{
	PhaseConnect:   "The mail server accepts no mail now.",
	PhaseTLS:       "There is no TLS connection to the mail server: it must offer TLS with a certificate that is valid for its name. With tls=none in its URL mail is sent without TLS.",
	PhaseAuth:      "The mail server rejects the user and the password.",
	PhaseSender:    "The mail server accepts no mail from this sender.",
	PhaseRecipient: "The mail server accepts no mail for this recipient.",
	PhaseContent:   "The mail server rejects this message.",
}

// authenticationRequired is what a server answers to any command until a user has signed in (RFC 4954): no recipient's fault.
const authenticationRequired = 530

// smtpError says why a step failed. A refusal for good (5xx) is one of the recipient or of the message; elsewhere it speaks of settings, which
// somebody can change before the last attempt.
func smtpError(phase Phase, err error) *Error {
	var reply *textproto.Error
	var network net.Error
	switch {
	case errors.As(err, &reply):
		e := &Error{Phase: phase, Code: reply.Code, Reply: sanitizeReply(reply.Msg), Message: refusalMessages[phase], Retry: true}
		if phase == PhaseAuth {
			e.Reply = "" // some servers repeat what they were told
		}
		if phase == PhaseRecipient || phase == PhaseContent {
			e.Retry = reply.Code < 500 || reply.Code == authenticationRequired
		}
		return e
	case errors.As(err, &network) && network.Timeout():
		return &Error{Phase: phase, Message: "The mail server took too long to answer.", Retry: true, cause: err}
	case phase == PhaseTLS:
		return &Error{Phase: phase, Message: refusalMessages[phase], Retry: true, cause: err}
	case phase == PhaseAuth: // what is wrong with an answer may be told by its text
		return &Error{Phase: phase, Message: "The connection to the mail server broke.", Retry: true}
	default:
		return &Error{Phase: phase, Message: "The connection to the mail server broke.", Retry: true, cause: err}
	}
}

// maxReply is how much of a server's answer is kept, in characters.
const maxReply = 200

// sanitizeReply makes a server's answer fit for a log.
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
