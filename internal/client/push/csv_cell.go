package push

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// digitSpaceRemover removes the spaces that may group the digits of a number: a plain, a no-break and a narrow no-break
// space.
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

// objectWriter appends a JSON object to a buffer.
type objectWriter struct {
	buf   []byte
	first bool
}

func newObjectWriter(buf []byte) *objectWriter { return &objectWriter{append(buf, '{'), true} }

func (o *objectWriter) end() []byte { return append(o.buf, '}') }

// member appends the name of a member. The caller appends the value to buf next.
func (o *objectWriter) member(name string) {
	if !o.first {
		o.buf = append(o.buf, ',')
	}
	o.first = false
	o.buf = append(appendQuoted(o.buf, name), ':')
}

// textMember appends a member whose value is a string.
func (o *objectWriter) textMember(name, value string) {
	o.member(name)
	o.buf = appendQuoted(o.buf, value)
}

// appendQuoted appends a JSON string.
func appendQuoted(buf []byte, s string) []byte {
	// The only possible error is invalid UTF-8, which AppendQuote replaces.
	out, _ := jsontext.AppendQuote(buf, s)
	return out
}

// splitList splits a cell such as a|b.
func splitList(cell string) []string {
	var values []string
	for value := range strings.SplitSeq(cell, "|") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}
