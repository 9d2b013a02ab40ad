package pushclient

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// digitSpaces takes away what may part the digits of a number.
var digitSpaces = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

// plainNumber is what a number in a table looks like once spaces between its digits are gone.
var plainNumber = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)

// numberOf turns a cell into a JSON number. Spaces, also those that do not break, may part the digits; a comma is a decimal one, and is
// read only where commas do not separate columns.
func numberOf(cell string, sep byte) (string, bool) {
	cell = digitSpaces.Replace(cell)
	if !plainNumber.MatchString(cell) || sep == ',' && strings.Contains(cell, ",") {
		return "", false
	}
	sign := ""
	if rest, ok := strings.CutPrefix(cell, "-"); ok {
		sign, cell = "-", rest
	}
	whole, part, _ := strings.Cut(strings.ReplaceAll(cell, ",", "."), ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if part != "" {
		part = "." + part
	}
	return sign + whole + part, true
}

// object writes members of a JSON object.
type object struct {
	buf   []byte
	first bool
}

func newObject(buf []byte) *object { return &object{append(buf, '{'), true} }

func (o *object) end() []byte { return append(o.buf, '}') }

// member writes a name; its value is appended next.
func (o *object) member(name string) {
	if !o.first {
		o.buf = append(o.buf, ',')
	}
	o.first = false
	o.buf = append(quote(o.buf, name), ':')
}

// text writes a member that is a string.
func (o *object) text(name, value string) {
	o.member(name)
	o.buf = quote(o.buf, value)
}

// quote appends a JSON string.
func quote(buf []byte, s string) []byte {
	// The only error is of text that is not UTF-8; what is wrong of it is replaced then.
	out, _ := jsontext.AppendQuote(buf, s)
	return out
}

// parts takes a cell such as a|b apart.
func parts(cell string) []string {
	var found []string
	for p := range strings.SplitSeq(cell, "|") {
		if p = strings.TrimSpace(p); p != "" {
			found = append(found, p)
		}
	}
	return found
}
