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

// compose writes a checked message as it goes out. Its Message-ID is made of its ID and the domain it comes from, so it is the same each time.
func compose(m Message, at time.Time) ([]byte, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&netmail.Address{Name: m.FromName, Address: m.From})
	msg.ToMailAddress(&netmail.Address{Address: m.To})
	msg.SetGenHeaderPreformatted(gomail.HeaderSubject, encodeHeader(m.Subject))
	msg.SetMessageIDWithValue(m.ID + "@" + domainOf(m.From))
	msg.SetDateWithValue(at)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // asks for no "I am on holiday" in return (RFC 3834)
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
	// maxPlainHeader is how long a line may be that goes out as it is: with its name it stays below the 78 characters of RFC 5322.
	maxPlainHeader = 60
	// encodedWordBytes is how much of a text one encoded word holds: with its frame and its name it stays below the 76 characters of RFC 2047.
	encodedWordBytes = 39
)

// encodeHeader returns the value of a header: short ASCII as it is, anything else as encoded words, one a line. Text that looks like an encoded
// word becomes one too, or it would be read as what it is not.
func encodeHeader(s string) string {
	if len(s) <= maxPlainHeader && !strings.Contains(s, "=?") && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) {
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
