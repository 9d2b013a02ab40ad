package wire_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/kit/wire"
)

// The message of malformed JSON names the line and the column, from 1 and in characters, and the character. It is the
// same however the body arrives, except that a character of several bytes may be named by its first byte.
func TestMalformed_namesLineColumnAndCharacter(t *testing.T) {
	long := strings.Repeat("ж", 10_000)

	filler := strings.Repeat(`"x": {"ключ": [1, 2, 3]}, `+"\n", 20_000)
	for body, want := range map[string]string{
		"{\n  \"name\": \"Лампа\" \"x\"}": `at line 2, column 19, ` +
			`at the character '"': after object value`,
		"{\"name\": tru}": `at line 1, column 13, at the character '}': in literal true`,
		"{\"name\": 1,}": `at line 1, column 11, ` +
			`at the character ',': no value begins with it.`,
		"{\"unknown\":\n\n[1 2]}": `at line 3, column 4, ` +
			`at the character '2': after array element (expecting ',' or ']').`,
		"{\"raw\": [1,\r\n 2\r\n 3]}": `at line 3, column 2, at the character '3'`,
		"{\"name\": \"a\nb\"}":        `at line 1, column 12, at the character U+000A: in string`,
		"{\"name\": \"\\x41\"}": `at line 1, column 11, ` +
			`at the character '\\': invalid escape sequence in string.`,
		"{\"name\": 'x'}": `at line 1, column 10, at the character '\'': no value begins with it.`,
		"{\"name\": “x”}": `at line 1, column 10, at the character '“'`,
		"{\"name\": \"" + long +
			"\",\n\"raw\": ключ}": `at line 2, column 8, at the character 'к'`,
		"{\"name\": \"" + long +
			"\", \"raw\": ключ}": `at line 1, column 10021, at the character 'к'`,
		"{" + filler + "\"raw\": [1,\n  2;]}": `the same member ` +
			`twice in one object, at line 2, column 1.`,
		"{\"values\": [\n" + strings.Repeat("{\"name\": \"ж\"},\n", 3_000) +
			"{\"name\" \"ж\"}]}": `at line 3002, column 9, at the character '"'`,
		"{\"name\": \"x\"":                             `ends in the middle, at line 1, column 13, after 12 bytes.`,
		"{\"name\": \"x\"\n":                           `ends in the middle, at line 2, column 1, after 13 bytes.`,
		"{\"name\": \"x\",\n \"name\": \"y\"}":         `the same member twice in one object, at line 2, column 2.`,
		"{\n \"" + strings.Repeat("ж", 600) + "\": 1}": `longer than 1022 bytes, at line 2, column 2.`,
		"{}\n\n {}": `something after the end of the JSON document, at line 3, column 2;`,
		"{}\n x":    `at line 2, column 2, at the character 'x'`,
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body)),
			"half": iotest.HalfReader(strings.NewReader(body)),
		} {
			want := want
			if name == "byte by byte" { // the bytes of a character may arrive one by one
				want, _, _ = strings.Cut(want, ", at the character")
			}
			_, err := readProduct(r)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %.60q: got %v, want %q", name, body, err, want)
			}
		}
	}
}

// An item that is a line of a longer text has the position in that text.
func TestSetStart_countsFromTheStartOfTheText(t *testing.T) {
	r := wire.NewItem([]byte(`{"имя": }`))
	r.SetStart(wire.StartOfLine(7))
	err := r.Document(func(string) {})
	if err == nil || !strings.Contains(err.Error(), "at line 7, column 9, at the character '}'") {
		t.Errorf("got %v", err)
	}
}

// A body in another encoding is refused with a message that says what it looks like and what to send.
func TestMalformed_saysWhatAnotherEncodingLooksLike(t *testing.T) {
	for body, want := range map[string]string{
		"{\x00\"\x00n\x00":        "looks like UTF-16; send JSON in UTF-8",
		"\x00{\x00\"\x00n":        "looks like UTF-16",
		"\xff\xfe{\x00\"\x00":     "looks like UTF-16",
		"\xfe\xff\x00{\x00\"":     "looks like UTF-16",
		"\xff\xfe\x00\x00{":       "looks like UTF-32",
		"{\x00\x00\x00\"\x00":     "looks like UTF-32",
		"\x1f\x8b\x08\x00\x00":    "looks like gzip data; send it with the header Content-Encoding: gzip",
		"\x28\xb5\x2f\xfd\x00":    "looks like zstd data; send it with the header Content-Encoding: zstd",
		"PK\x03\x04\x14":          "looks like a ZIP archive",
		"<?xml version=\"1.0\"?>": "looks like XML or HTML",
		"\ufeff{}":                "byte order mark",
		"{\"name\": \"\xcb\xe0\xec\xef\xe0 \xed\xe0\xf1\xf2\xee\xeb\xfc\xed\xe0\xff\"}": "not UTF-8 at line 1, " +
			"column 11, at the byte 0xCB. It looks like Windows-1251; send UTF-8.",
		"{\"name\": \"\xec\xc1\xcd\xd0\xc1 \xce\xc1\xd3\xd4\xcf\xcc\xd8\xce\xc1\xd1\"}": "It looks like KOI8-R",
		"{\"name\": \"\x8b\xa0\xac\xaf\xa0 \xad\xa0\xe1\xe2\xae\xab\xec\xad\xa0\xef\"}": "It looks like CP866",
		"{\"name\": \"Caf\xe9 cr\xe8me\"}":                                              "It looks like Windows-1252",
		"{\"name\": \xcb\xe0\xec\xef\xe0}":                                              "It looks like Windows-1251",
	} {
		_, err := readProduct(strings.NewReader(body))

		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %q", body, err, want)
		}
	}
}
