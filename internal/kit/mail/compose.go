package mail

import (
	"bytes"
	"encoding/base64"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// composeMIME encodes a normalized message. Its Message-ID consists of the ID and the sender's domain, so it is the
// same in every attempt.
func composeMIME(m Message, at time.Time) ([]byte, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&netmail.Address{Name: m.FromName, Address: m.From})
	msg.ToMailAddress(&netmail.Address{Address: m.To})
	msg.SetGenHeaderPreformatted(gomail.HeaderSubject, encodeHeader(m.Subject))
	msg.SetMessageIDWithValue(m.ID + "@" + emailDomain(m.From))
	msg.SetDateWithValue(at)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // suppresses automatic replies (RFC 3834)
	if m.Unsubscribe != "" {
		msg.SetGenHeaderPreformatted("List-Unsubscribe", "<"+m.Unsubscribe+">")
	}
	if strings.HasPrefix(m.Unsubscribe, "https://") { // RFC 8058 knows no others
		msg.SetGenHeaderPreformatted("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)

	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}

	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("compose message %s: %w", m.ID, err)
	}

	return b.Bytes(), nil
}

const (
	// maxPlainHeader is the maximum length of a header value that is written without encoding. With the header's name
	// the line stays below the 78 characters of RFC 5322.
	maxPlainHeader = 60
	// encodedWordBytes is the maximum number of text bytes in one encoded word. With the word's delimiters and the
	// header's name the line stays below the 76 characters of RFC 2047.
	encodedWordBytes = 39
)

// encodeHeader returns the value of a header. Short ASCII stays unchanged; anything else becomes encoded words, one per
// line. Text that looks like an encoded word is encoded, too, since mail clients would decode it otherwise.
func encodeHeader(s string) string {
	if len(s) <= maxPlainHeader && !strings.Contains(s, "=?") &&
		!strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) {
		return s
	}
	var words []string
	for len(s) > 0 {
		n := min(len(s), encodedWordBytes)
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(s[:n]))+"?=")
		s = s[n:]
	}
	return strings.Join(words, "\r\n ")
}
