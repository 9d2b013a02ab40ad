package storeapi

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// What a visitor types into a form is read in this file. A field that was left empty comes as "", as null or not at all: that is all the same.

// breaks says whether a text may have line breaks and tabs.
type breaks bool

const (
	oneLine   breaks = false
	manyLines breaks = true
)

// anyLength is for what somebody else limits.
const anyLength = math.MaxInt

// readGiven reads a text of at most so many characters, without the space around it, and reports whether one was given. One that breaks a
// rule, which is noted, was given and is empty.
func readGiven(r *wire.Reader, limit int, may breaks) (s string, given bool) {
	if r.Null() {
		return "", false
	}
	s, ok := r.String()
	if !ok {
		return "", true
	}
	s = strings.TrimSpace(s)
	if may == oneLine && strings.ContainsAny(s, "\n\t") {
		r.Failf("control_character", "This must be one line, without tabs in it.")
		return "", true
	}
	if n := utf8.RuneCountInString(s); n > limit {
		r.Failf("too_long", "This has %d characters; at most %d are allowed.", n, limit)
		return "", true
	}
	return s, s != ""
}

// readContact is readGiven for an e-mail address or a phone number, which check brings into its one form.
func readContact(r *wire.Reader, check func(given string) (string, error)) (s string, given bool) {
	if s, given = readGiven(r, anyLength, oneLine); s == "" {
		return "", given
	}
	s, err := check(s)
	var refused *fault.Error
	if errors.As(err, &refused) {
		r.Failf(refused.Code, "%s", refused.Message)
	}
	return s, true
}
