package push

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// digitSpaceRemover removes plain, no-break and narrow no-break spaces, which may group the digits of a number.
var digitSpaceRemover = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

// numberPattern matches a number after the spaces between its digits are removed.
var numberPattern = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)

// parseNumber converts a cell to a JSON number. Spaces may group the digits. A comma is a decimal separator; it is
// accepted only if commas do not separate the columns.
func parseNumber(cell string, sep byte) (string, bool) {
	cell = digitSpaceRemover.Replace(cell)
	if !numberPattern.MatchString(cell) || sep == ',' && strings.Contains(cell, ",") {
		return "", false
	}
	sign := ""
	if rest, ok := strings.CutPrefix(cell, "-"); ok {
		sign, cell = "-", rest
	}
	integer, fraction, _ := strings.Cut(strings.ReplaceAll(cell, ",", "."), ".")
	integer = strings.TrimLeft(integer, "0")
	if integer == "" {
		integer = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + integer + fraction, true
}

// jsonWriter writes a JSON value. Writing does not fail: it is to memory, and invalid UTF-8 is replaced.
type jsonWriter struct {
	buf bytes.Buffer
	enc jsontext.Encoder
}

// reset discards what was written. It must be called before the first write.
func (w *jsonWriter) reset() {
	w.buf.Reset()
	w.enc.Reset(&w.buf, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

func (w *jsonWriter) write(tokens ...jsontext.Token) {
	for _, t := range tokens {
		_ = w.enc.WriteToken(t)
	}
}

// text writes strings: the name of a member or an element, or both name and value.
func (w *jsonWriter) text(list ...string) {
	for _, s := range list {
		_ = w.enc.WriteToken(jsontext.String(s))
	}
}

// raw writes a value that is JSON already.
func (w *jsonWriter) raw(value jsontext.Value) { _ = w.enc.WriteValue(value) }

// value returns the value, once it is complete. It is valid until reset.
func (w *jsonWriter) value() jsontext.Value { return bytes.TrimSuffix(w.buf.Bytes(), []byte("\n")) }

func splitList(cell string) []string {
	var values []string
	for value := range strings.SplitSeq(cell, "|") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}
