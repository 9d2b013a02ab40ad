package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// isValidDocument reports whether body is JSON that Reader must not refuse as malformed. It parses the body with
// encoding/json, not with Reader.
func isValidDocument(body []byte) bool {
	return json.Valid(body) && utf8.Valid(body) && !hasLoneSurrogate(body) &&
		hasValidStructure(json.NewDecoder(bytes.NewReader(body)))
}

var escapePattern = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|.)`)

// hasLoneSurrogate reports whether a valid JSON text has an unpaired surrogate escape.
func hasLoneSurrogate(body []byte) bool {
	for last := -1; ; {
		m := escapePattern.FindIndex(body)
		if m == nil {
			return last >= 0
		}

		e := strings.ToLower(string(body[m[0]:m[1]]))
		high := len(e) == 6 && e[2] == 'd' && strings.Contains("89ab", e[3:4])
		low := len(e) == 6 && e[2] == 'd' && strings.Contains("cdef", e[3:4])
		if (last >= 0 && m[0] == 0) != low { // a low surrogate must directly follow a high one, and may be nowhere else
			return true
		}
		if last >= 0 && m[0] != 0 {
			return true
		}

		last = -1
		if high {
			last = 0
		}

		body = body[m[1]:]
	}
}

// hasValidStructure reports whether a valid JSON text has at most 64 levels and no duplicate member names.
func hasValidStructure(d *json.Decoder) bool {
	type level struct {
		names map[string]bool // nil for an array
		value bool            // the next token is the value of a member, not its name
	}
	var stack []level
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return false
		}

		if n := len(stack); n > 0 && stack[n-1].names != nil {
			top := &stack[n-1]
			if name, ok := token.(string); ok && !top.value {
				if top.names[name] {
					return false
				}
				top.names[name], top.value = true, true
				continue
			}

			top.value = false
		}

		switch token {
		case json.Delim('{'):
			stack = append(stack, level{names: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, level{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}

		if len(stack) > wire.MaxDepth {
			return false
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(sample))

	for _, value := range malformedValues {
		f.Add([]byte(`{"name": "x", "values": [{"name": ` + value + `}]}`))
		f.Add([]byte(`{"unknown": ` + value + `}`))
		f.Add([]byte(value))
	}

	for _, body := range []string{
		`{}`, `{}{}`, "\ufeff{}", `[]`, `null`, nestedJSON(64), nestedJSON(65), `{"raw": ` + nestedJSON(63) + `}`,
		`{"raw": ` + nestedJSON(64) + `}`,
		`{"name": "\ud83d\udca1", "code": 7.5, "price": 1e5, "id": "x", "filterable": 0}`, `{"a": "\\ud800"}`,
		`{"a": "\\\ud800"}`, `{"\ud83d\udca1": 1}`,
	} {
		f.Add([]byte(body))
	}

	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := readProduct(bytes.NewReader(body))
		var problem *fault.Error
		if err != nil && !errors.As(err, &problem) {
			t.Fatalf("%q: %v is not a fault", body, err)
		}
		if malformed := err != nil && problem.Kind == fault.Malformed; malformed == isValidDocument(body) {
			t.Fatalf("%q: %v, but valid by the other parser: %v", body, err, !malformed)
		}

		if err != nil && problem.Kind != fault.Malformed &&
			(problem.Kind != fault.Invalid || len(problem.Fields) == 0 || len(problem.Fields) > wire.MaxFields) {
			t.Fatalf("%q: %v", body, err)
		}

		if err != nil && !utf8.ValidString(err.Error()) {
			t.Fatalf("%q: the message is not valid UTF-8: %q", body, err)
		}

		// Reading byte by byte must have the same result. Only the message about malformed JSON may differ.
		_, again := readProduct(iotest.OneByteReader(bytes.NewReader(body)))
		if fault.KindOf(err) != fault.KindOf(again) || (err == nil) != (again == nil) ||
			fault.KindOf(err) == fault.Invalid && err.Error() != again.Error() {
			t.Fatalf("%q: %v when read whole, %v when read byte by byte", body, err, again)
		}
	})
}

var numberPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func FuzzParseFixed(f *testing.F) {
	for _, text := range []string{
		"0", "-0", "10.50", "1e5", "1E+05", "999999999999.9999", "1000000000000", "0.00001", "0e999", "1e-400", "", "-",
		"e", "1e", ".", "x", "1.2.3", "--1",
	} {
		f.Add(text, uint8(4), uint8(12))
		f.Add(text, uint8(0), uint8(0))
	}

	f.Fuzz(func(t *testing.T, text string, decimals, digits uint8) {
		d, n := int(decimals%7), int(digits%13)
		got, err := wire.ParseFixed(text, d, n) // must not panic for any text

		if !numberPattern.MatchString(text) {
			return
		}
		if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > 3 {
			return // exactFixed would be too slow for an exponent of more than three digits
		}

		want, good := exactFixed(text, d, n)
		if (err == nil) != good || good && want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("ParseFixed(%s, %d, %d) = %d, %v, want %v, %v", text, d, n, got, err, want, good)
		}
	})
}
