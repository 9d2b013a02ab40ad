package pushclient

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// digitSpaceRemover takes away what may part the digits of a number.
var digitSpaceRemover = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

// numberPattern is what a number in a table looks like once spaces between its digits are gone.
var numberPattern = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)

// parseNumber turns a cell into a JSON number. Spaces, also those that do not break, may part the digits; a comma is a decimal one, and is
// read only where commas do not separate columns.
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

// objectWriter writes members of a JSON object.
type objectWriter struct {
	buf   []byte
	first bool
}

func newObjectWriter(buf []byte) *objectWriter { return &objectWriter{append(buf, '{'), true} }

func (o *objectWriter) end() []byte { return append(o.buf, '}') }

// member writes a name; its value is appended next.
func (o *objectWriter) member(name string) {
	if !o.first {
		o.buf = append(o.buf, ',')
	}
	o.first = false
	o.buf = append(appendQuoted(o.buf, name), ':')
}

// textMember writes a member that is a string.
func (o *objectWriter) textMember(name, value string) {
	o.member(name)
	o.buf = appendQuoted(o.buf, value)
}

// appendQuoted appends a JSON string.
func appendQuoted(buf []byte, s string) []byte {
	// The only error is of text that is not UTF-8; what is wrong of it is replaced then.
	out, _ := jsontext.AppendQuote(buf, s)
	return out
}

// splitList takes a cell such as a|b apart.
func splitList(cell string) []string {
	var values []string
	for value := range strings.SplitSeq(cell, "|") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}
