package storeapi

import (
	"errors"
	"math"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
)

// This file reads the fields of forms that visitors fill in. An empty string, null and an absent member all mean that
// the visitor left the field empty.

// lineBreaks says whether a text may contain line breaks and tabs.
type lineBreaks bool

const (
	singleLine lineBreaks = false
	multiLine  lineBreaks = true
)

// noLengthLimit is the limit for a text whose length is checked elsewhere.
const noLengthLimit = math.MaxInt

// readFormText reads a text of at most limit characters and trims it. It reports whether the field was filled in. For a
// text that breaks a rule it records the problem in r and returns "", true, so that the caller does not also report the
// field as missing.
func readFormText(r *wire.Reader, limit int, breaks lineBreaks) (s string, given bool) {
	if r.Null() {
		return "", false
	}

	s, ok := r.String()
	if !ok {
		return "", true
	}

	s = strings.TrimSpace(s)
	if breaks == singleLine && strings.ContainsAny(s, "\n\t") {
		r.Failf("control_character", "This must be one line, without tabs in it.")
		return "", true
	}

	if !r.Check(rule.Length(s, limit)) {
		return "", true
	}

	return s, s != ""
}

// readContact is like readFormText for an e-mail address or a phone number. The function check validates the text and
// returns it normalized.
func readContact(r *wire.Reader, check func(given string) (string, error)) (s string, given bool) {
	if s, given = readFormText(r, noLengthLimit, singleLine); s == "" {
		return "", given
	}
	s, err := check(s)
	var refused *fault.Error
	if errors.As(err, &refused) {
		r.Failf(refused.Code, "%s", refused.Message)
	}
	return s, true
}

// formTextEdit converts the two results of readFormText or readContact to a member of an edit. It ignores the second,
// because in an edit an empty text removes the stored one.
func formTextEdit(s string, _ bool) *string { return &s }
