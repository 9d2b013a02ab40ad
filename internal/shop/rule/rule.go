// Package rule has the rules of the texts of a shop: what a name, a label and an external id may be. Each rule is a
// pure function with its code, its message and its bound. JSON bodies, forms and pushes apply it to what was sent, and
// use cases apply it again, so that no surface can forget it. Violations collects the rules that a request breaks. The
// rules of amounts belong to package money.
package rule

import (
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// MaxName is the maximum length in characters of a name, a label or an external id.
const MaxName = 255

// Text is a rule of texts. It returns a text as it is stored, or the broken rule without the path of a field.
type Text func(sent string) (stored string, broken *fault.Field)

// Name is the rule of a name: 1 to 255 characters, trimmed.
func Name(sent string) (string, *fault.Field) {
	if strings.TrimSpace(sent) == "" {
		return "", fault.Broken("required", "A name may not be empty; 1 to %d characters are right.", MaxName)
	}
	return Label(sent)
}

// Label is the rule of a label, such as an SKU: at most 255 characters, trimmed. Unlike a name, a label may be empty.
func Label(sent string) (string, *fault.Field) {
	text := strings.TrimSpace(sent)
	return text, Plain(text, MaxName)
}

// ExternalID is the rule of an id of another system: 1 to 255 characters, trimmed.
func ExternalID(sent string) (string, *fault.Field) {
	if strings.TrimSpace(sent) == "" {
		return "", fault.Broken("required", "An external id may not be empty.")
	}
	return Label(sent)
}

// Plain returns the rule that a text breaks which may have limit characters and no control characters other than tab
// and newline, or nil.
func Plain(text string, limit int) *fault.Field {
	if broken := wire.CheckText(text); broken != nil {
		return broken
	}
	return Length(text, limit)
}

// Length returns the broken rule of a text with more than limit characters, or nil.
func Length(text string, limit int) *fault.Field {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return nil
	}
	return fault.Broken("too_long", "This has %d characters; at most %d are allowed.", utf8.RuneCountInString(text),
		limit)
}

// NameRequired returns the broken rule of an object without a name. The subject is that of the message, such as
// "A category".
func NameRequired(subject string) *fault.Field {
	return fault.Broken("required", "%s needs a name of 1 to %d characters.", subject, MaxName)
}

// OneLine returns the broken rule of a name that has a control character, such as a newline, or is not UTF-8, or nil.
func OneLine(name string) *fault.Field {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return nil
	}
	return fault.Broken("invalid_characters", "The name holds control characters; write it on one line of plain text.")
}
