// Package mail sends e-mail messages over SMTP. It validates and encodes messages, and reports whether a failure may be
// temporary. It does not retry, and does not know why a message is sent.
package mail

import (
	"context"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/kit/contact"
)

// Sender sends messages.
type Sender interface {
	// Send returns nil once a mail server has accepted the message, or an *Error. If the connection breaks after the
	// last byte of the message, the outcome is unknown and Send returns an error: a retry may then deliver the message
	// twice, with the same Message-ID.
	Send(ctx context.Context, m Message) error
}

// Message is one e-mail to one recipient.
type Message struct {
	// ID identifies the message: 1 to 128 letters, digits and . _ - such as a UUID. A retry uses the same ID.
	ID string
	// From is the sender's address; if empty, the Sender uses its own. FromName is the display name beside it and may
	// be empty.
	From, FromName string
	// To is the recipient: a single address.
	To      string
	Subject string
	// Text is required. HTML is an optional alternative to it.
	Text, HTML string
	// Unsubscribe is the address of a page on which the recipient ends mails of this kind; it may be empty. A mail
	// program can end them there with one click (RFC 8058) if it is an https address.
	Unsubscribe string
	// BeforeContent, if not nil, is called once the server has accepted the sender and the recipient, and before the
	// content is sent. Its error ends Send, and nothing is sent. Until it is called, Send has not sent the message.
	BeforeContent func(ctx context.Context) error
}

const (
	maxID      = 128
	maxName    = 128     // characters
	maxSubject = 255     // characters
	maxBody    = 4 << 20 // bytes of Text and HTML together
	maxURL     = 900     // bytes: a line of a message has at most 998
)

// Check returns an *Error with Retry false if the message is invalid. A valid message cannot inject headers, recipients
// or SMTP commands through any of its fields.
func (m Message) Check() error {
	_, err := m.normalized()
	return err
}

// normalized validates the message. It returns a copy with normalized addresses, and with single spaces in the name and
// the subject.
func (m Message) normalized() (Message, error) {
	switch {
	case len(m.ID) == 0 || len(m.ID) > maxID || strings.ContainsFunc(m.ID, isNotIDChar):
		return m, invalidMessage("The id of a message must be 1 to %d Latin letters, digits and . _ - characters.",
			maxID)
	case strings.HasPrefix(m.ID, ".") || strings.HasSuffix(m.ID, ".") || strings.Contains(m.ID, ".."):
		return m, invalidMessage("The id of a message must have no dot at either end or beside another.")
	case strings.ContainsFunc(m.From+m.To, unicode.IsControl): // CheckEmail would trim some of them
		return m, invalidMessage("The addresses of a message must hold no control characters.")
	case !isSingleLine(m.FromName, maxName):
		return m, invalidMessage("The sender's name must be one line of at most %d characters.", maxName)
	case strings.TrimSpace(m.Subject) == "" || !isSingleLine(m.Subject, maxSubject):
		return m, invalidMessage("The subject must be one line of 1 to %d characters.", maxSubject)
	case m.Text == "":
		return m, invalidMessage("A message needs a text.")
	case !isValidMailText(m.Text) || !isValidMailText(m.HTML):
		return m, invalidMessage("The text and the HTML of a message must be UTF-8 without NUL.")
	case m.Unsubscribe != "" && !isPlainURL(m.Unsubscribe):
		return m, invalidMessage("The address for unsubscribing must be a URL of http or https.")
	case len(m.Text)+len(m.HTML) > maxBody:
		return m, invalidMessage("The text and the HTML of a message may have at most %d bytes together.", maxBody)
	}

	var err error
	if m.To, err = contact.CheckEmail(m.To); err != nil {
		return m, invalidMessage("The recipient's address is not a valid e-mail address.").because(err)
	}

	if m.From != "" {
		if m.From, err = contact.CheckEmail(m.From); err != nil {
			return m, invalidMessage("The sender's address is not a valid e-mail address.").because(err)
		}
	}

	m.FromName = strings.Join(strings.Fields(m.FromName), " ")
	m.Subject = strings.Join(strings.Fields(m.Subject), " ")
	return m, nil
}

// isPlainURL reports whether a text is a URL that can stand between angle brackets in a header.
func isPlainURL(text string) bool {
	u, err := url.Parse(text)
	special := func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("<>,", c) }
	return err == nil && !strings.ContainsFunc(text, special) && len(text) <= maxURL && u.Host != "" &&
		(u.Scheme == "https" || u.Scheme == "http")
}

func isNotIDChar(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-'
}

// isSingleLine reports whether s is valid UTF-8 of at most limit characters without control characters and without the
// line separators U+2028 and U+2029.
func isSingleLine(s string, limit int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit &&
		!strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' })
}

func isValidMailText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
