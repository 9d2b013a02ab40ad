package wire

import (
	"bytes"
	"unicode/utf8"
)

// Encoding names what a body is encoded in, if it is not JSON in UTF-8.
type Encoding string

// The encodings that DetectEncoding recognizes.
const (
	UTF16  Encoding = "UTF-16"
	UTF32  Encoding = "UTF-32"
	Gzip   Encoding = "gzip"
	Zstd   Encoding = "zstd"
	Zip    Encoding = "a ZIP archive"
	Markup Encoding = "XML or HTML"
)

// The character sets that DetectCharset recognizes.
const (
	Windows1251 Encoding = "Windows-1251"
	KOI8R       Encoding = "KOI8-R"
	CP866       Encoding = "CP866"
	Windows1252 Encoding = "Windows-1252"
)

// DetectEncoding returns the encoding of a body by its first bytes, of which it looks at four at most. It returns ""
// for everything that may be JSON in UTF-8 or in a character set that extends ASCII.
func DetectEncoding(head []byte) Encoding {
	for _, m := range []struct {
		magic    string
		encoding Encoding
	}{
		{"\xff\xfe\x00\x00", UTF32}, {"\x00\x00\xfe\xff", UTF32}, {"\xff\xfe", UTF16}, {"\xfe\xff", UTF16},
		{"\x1f\x8b", Gzip}, {"\x28\xb5\x2f\xfd", Zstd}, {"PK\x03\x04", Zip}, {"<", Markup},
	} {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.encoding
		}
	}

	// The first character of JSON is ASCII, so without a byte order mark the zero bytes tell the encoding.
	zero := func(i int) bool { return len(head) > i && head[i] == 0 }
	switch {
	case zero(0) && zero(1) && zero(2), !zero(0) && zero(1) && zero(2) && zero(3):
		return UTF32
	case len(head) > 1 && zero(0) != zero(1):
		return UTF16
	}

	return ""
}

// DetectCharset returns the character set that a text is probably in. The text is not valid UTF-8. It returns "" if the
// text has too few letters to tell.
func DetectCharset(text []byte) Encoding {
	var letters, neighbours, upperHalf, lowerHalf, dos int // lower-case Cyrillic letters are the most frequent ones
	for i, c := range text {
		if c < utf8.RuneSelf {
			continue
		}

		letters++
		if i > 0 && text[i-1] >= utf8.RuneSelf || i+1 < len(text) && text[i+1] >= utf8.RuneSelf {
			neighbours++
		}

		switch {
		case c >= 0xE0:
			upperHalf++
		case c >= 0xC0:
			lowerHalf++
		case c < 0xB0:
			dos++
		}
	}

	switch {
	case letters == 0:
		return ""
	case 2*neighbours < letters: // accented letters stand between ASCII letters
		return Windows1252
	case 3*dos > letters:
		return CP866
	case lowerHalf > upperHalf:
		return KOI8R
	}

	return Windows1251
}

// CheckEncoding returns a Malformed fault if the first bytes of a body show that it is not JSON in UTF-8. The message
// says what the body looks like and what to send.
func CheckEncoding(head []byte) error {
	switch e := DetectEncoding(head); e {
	case "":
		return nil
	case Gzip, Zstd:
		return malformedJSON("The body looks like %s data; send it with the header Content-Encoding: %s.", e, e)
	default:
		return malformedJSON("The body looks like %s; send JSON in UTF-8.", e)
	}
}

// charsetHint returns a sentence about the character set of a text that is not UTF-8.
func charsetHint(text []byte) string {
	if e := DetectCharset(text); e != "" {
		return " It looks like " + string(e) + "; send UTF-8."
	}
	return " Send UTF-8."
}
