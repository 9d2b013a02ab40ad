package commerceml

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// textOf returns a text as an event: with \n for each end of a line and, if expand is true, with its entities expanded.
func (s *scanner) textOf(raw []byte, expand bool) (event, error) {
	if !isXMLText(raw) {
		return event{}, s.fail("a character is not allowed, or not in the encoding of the file")
	}
	if bytes.IndexByte(raw, '\r') < 0 && (!expand || bytes.IndexByte(raw, '&') < 0) {
		return event{kind: textEvent, text: raw}, nil
	}
	if err := s.resizeText(len(raw)); err != nil {
		return event{}, err
	}

	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\r':
			if i+1 == len(raw) || raw[i+1] != '\n' {
				s.text = append(s.text, '\n')
			}

		case c == '&' && expand:
			length := bytes.IndexByte(raw[i:], ';')
			r := rune(0)
			known := false
			if length > 0 && length <= maxEntity {
				r, known = entityRune(string(raw[i+1 : i+length]))
			}

			if !known {
				return event{}, s.fail("unknown entity %.20q", raw[i:])
			}

			s.text = utf8.AppendRune(s.text, r)
			i += length

		default:
			s.text = append(s.text, c)
		}
	}

	return event{kind: textEvent, text: s.text}, nil
}

// resizeText empties s.text and makes room for n bytes. A text is never longer than what it was in the file.
func (s *scanner) resizeText(n int) error {
	had := cap(s.text)
	if n <= had && had <= 2*readBuffer || n <= had && n > readBuffer {
		s.text = s.text[:0]
		return nil
	}

	size := max(n, readBuffer)
	if err := s.hold(int64(size)); err != nil {
		return err
	}
	s.text = make([]byte, 0, size)
	s.free(int64(had))
	return nil
}

// maxEntity limits the length of an entity.
const maxEntity = 12

// entityRune returns the character of an entity, which is given without & and ;.
func entityRune(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "apos":
		return '\'', true
	case "quot":
		return '"', true
	}

	digits, numeric := strings.CutPrefix(name, "#")
	base := 10
	if hex, is := strings.CutPrefix(digits, "x"); is {
		digits = hex
		base = 16
	}

	n, err := strconv.ParseUint(digits, base, 32)
	if !numeric || err != nil || n > utf8.MaxRune {
		return 0, false
	}
	if utf16.IsSurrogate(rune(n)) {
		return utf8.RuneError, true // some programs write one character as two of these
	}

	return rune(n), isCharacter(rune(n))
}

// isXMLText reports whether a text is UTF-8 and has only characters that XML allows.
func isXMLText(text []byte) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 || !isCharacter(r) {
			return false
		}
		i += n
	}
	return true
}

func isCharacter(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}
