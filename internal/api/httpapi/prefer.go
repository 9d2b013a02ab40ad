package httpapi

import "strings"

// Prefers reports whether the header Prefer (RFC 7240) has the preference name without a value, such as respond-async.
func (r *Request) Prefers(name string) bool {
	for _, line := range r.Header.Values("Prefer") {
		for _, preference := range splitOutsideQuotes(line, ',') {
			word := splitOutsideQuotes(preference, ';')[0] // parameters follow the semicolon
			given, value, _ := strings.Cut(word, "=")
			given, value = strings.TrimSpace(given), strings.TrimSpace(value)
			if strings.EqualFold(given, name) && (value == "" || value == `""`) {
				return true
			}
		}
	}
	return false
}

// splitOutsideQuotes splits a header at a separator, but not inside quoted strings.
func splitOutsideQuotes(s string, separator byte) []string {
	var parts []string
	start := 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++ // the next character is escaped
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
