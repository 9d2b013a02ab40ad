package mailtest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
)

// Message is a message that the server accepted.
type Message struct {
	// From and To are the addresses of the envelope. User is the authenticated user. TLS reports whether the connection
	// was encrypted.
	From string
	To   []string
	User string
	TLS  bool
	// Header holds the raw headers. Subject is the decoded subject.
	Header  mail.Header
	Subject string
	// Text and HTML are the decoded parts, with LF line endings.
	Text, HTML string
	// Raw is the whole message as received.
	Raw string
}

// decode parses Raw into the other fields. It returns an error if the message is not well-formed.
func (m *Message) decode(eightBit bool) error {
	if !eightBit && strings.ContainsFunc(m.Raw, func(c rune) bool { return c > '~' }) {
		return errors.New("8-bit content without BODY=8BITMIME")
	}

	parsed, err := mail.ReadMessage(strings.NewReader(m.Raw))
	if err != nil {
		return err
	}

	m.Header = parsed.Header
	for name, values := range m.Header {
		if len(values) > 1 {
			return fmt.Errorf("the header %s is repeated", name)
		}
	}

	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return err
	}

	return m.decodePart(textproto.MIMEHeader(m.Header), parsed.Body)
}

// decodePart decodes a text part, or each part of a multipart/alternative.
func (m *Message) decodePart(header textproto.MIMEHeader, body io.Reader) error {
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return err
	}

	if kind == "multipart/alternative" {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := m.decodePart(part.Header, part); err != nil {
				return err
			}
		}
	}

	if encoding := header.Get("Content-Transfer-Encoding"); encoding != "quoted-printable" {
		return fmt.Errorf("a part has the transfer encoding %q", encoding)
	}

	decoded, err := io.ReadAll(quotedprintable.NewReader(body))
	if err != nil {
		return err
	}

	text := strings.ReplaceAll(string(decoded), "\r\n", "\n")
	switch {
	case !strings.EqualFold(params["charset"], "utf-8"):
		return fmt.Errorf("a part has the charset %q", params["charset"])
	case kind == "text/plain" && m.Text == "":
		m.Text = text
	case kind == "text/html" && m.HTML == "":
		m.HTML = text
	default:
		return fmt.Errorf("a part has the unexpected type %q", kind)
	}

	return nil
}
