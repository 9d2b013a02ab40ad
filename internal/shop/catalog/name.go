package catalog

import (
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// CheckName returns the trimmed name of an object of the catalogue that came from a form, or fault.Invalid for the
// field. Bodies in JSON are checked by wire.Reader.Name, which has the same rules.
func CheckName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fault.OneField(field, "required", "A name may not be empty; 1 to %d characters are right.",
			wire.MaxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isControl):
		return "", fault.OneField(field, "invalid_characters", "The name holds control characters; write plain text.")
	case utf8.RuneCountInString(name) > wire.MaxName:
		return "", fault.OneField(field, "too_long", "This has %d characters; at most %d are allowed.",
			utf8.RuneCountInString(name), wire.MaxName)
	}
	return name, nil
}

// isControl reports whether a character may not occur in text: C0 characters except tab and newline.
func isControl(r rune) bool { return r < ' ' && r != '\t' && r != '\n' }
