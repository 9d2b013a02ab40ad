// Package mail hands messages over to be delivered. It owns what may stand in a message, how it looks on the way, and which failures another
// attempt may mend; it knows nothing of who writes to whom and why, and tries nothing again: that is its callers' business.
package mail

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/kit/contact"
)

// Sender takes messages.
type Sender interface {
	// Send returns nil once somebody else is responsible for the message, or an *Error. A message whose fate is not known, since the
	// connection broke after its last byte, is an error too: sent again it may arrive twice, with the same Message-ID.
	Send(ctx context.Context, m Message) error
}

// Message is one mail to one person.
type Message struct {
	// ID tells this message from all others, 1 to 128 letters, digits and . _ - such as a UUID. A message that is sent again keeps it.
	ID string
	// From is the address that it comes from, by default the sender's own; FromName is the name beside it, if any.
	From, FromName string
	// To is whom it goes to: one address.
	To      string
	Subject string
	// Text is always there; HTML, if not empty, is the same for those who can show it.
	Text, HTML string
}

const (
	maxID      = 128
	maxName    = 128 // characters
	maxSubject = 255 // characters
	maxBody    = 4 << 20
)

// Check returns an *Error that no attempt can mend unless the message can be sent: whatever its members hold, they end up as what they are
// and become no header, no recipient and no command.
func (m Message) Check() error {
	_, err := m.normalized()
	return err
}

// normalized returns the message with its addresses as they are written to, and its name and subject with single spaces.
func (m Message) normalized() (Message, error) {
	switch {
	case len(m.ID) == 0 || len(m.ID) > maxID || strings.ContainsFunc(m.ID, isNotIDChar):
		return m, invalidMessage("The id of a message must be 1 to %d Latin letters, digits and . _ - characters.", maxID)
	case strings.HasPrefix(m.ID, ".") || strings.HasSuffix(m.ID, ".") || strings.Contains(m.ID, ".."):
		return m, invalidMessage("The id of a message must have no dot at either end or beside another.")
	case strings.ContainsFunc(m.From+m.To, unicode.IsControl): // at the ends too, where a user's slip would be forgiven
		return m, invalidMessage("The addresses of a message must hold no control characters.")
	case !isSingleLine(m.FromName, maxName):
		return m, invalidMessage("The sender's name must be one line of at most %d characters.", maxName)
	case strings.TrimSpace(m.Subject) == "" || !isSingleLine(m.Subject, maxSubject):
		return m, invalidMessage("The subject must be one line of 1 to %d characters.", maxSubject)
	case m.Text == "":
		return m, invalidMessage("A message needs a text.")
	case !isValidText(m.Text) || !isValidText(m.HTML):
		return m, invalidMessage("The text and the HTML of a message must be UTF-8 without NUL.")
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

func isNotIDChar(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-'
}

// isSingleLine recognises text without control characters; CR, LF and NUL are some, and so are those that Unicode adds. U+2028 and U+2029 break
// lines as well.
func isSingleLine(s string, limit int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit &&
		!strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' })
}

func isValidText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
