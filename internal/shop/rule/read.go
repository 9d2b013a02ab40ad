package rule

import (
	"strings"

	"vitrine/internal/kit/wire"
)

// ReadName reads a name: a string, or a number as written.
func ReadName(r *wire.Reader) (string, bool) { return wire.As(r, r.StringOrNumber, Name) }

// ReadExternalID reads an external id: a string or an integer. It returns the same text for 7 and "7".
func ReadExternalID(r *wire.Reader) (string, bool) {
	isNumber := r.IsNumber()
	sent, ok := r.StringOrNumber()
	if !ok {
		return "", false
	}
	if isNumber && strings.ContainsAny(sent, ".eE") {
		r.Failf("wrong_type", "An external id is a string or a whole number.")
		return "", false
	}
	stored, broken := ExternalID(sent)
	return stored, r.Check(broken)
}

// ReadExternalIDOrNull reads an external id or null. It returns "" for null, and nil if the value breaks a rule.
func ReadExternalIDOrNull(r *wire.Reader) *string {
	if r.Null() {
		return new("")
	}
	return wire.OrNil(ReadExternalID(r))
}
