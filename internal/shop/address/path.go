package address

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// maxPath is the maximum length of a path, in bytes. Two of them fit into an entry of an index.
const maxPath = 1000

// ReadPath returns a path as paths are compared: without query and fragment, percent-decoded, and without a slash at
// its end. It returns the broken rule of what is no path.
func ReadPath(sent string) (path string, broken *fault.Field) {
	path, _, _ = strings.Cut(sent, "#")
	path, _, _ = strings.Cut(path, "?")

	if len(path) > maxPath {
		return "", store.PathTooLong(len(path), maxPath)
	}
	if !strings.HasPrefix(path, "/") {
		return "", fault.Broken("invalid_path", "A path begins with a slash, such as /sale/summer.")
	}

	decoded, err := url.PathUnescape(path)
	if err != nil || !utf8.ValidString(decoded) || strings.ContainsFunc(decoded, unicode.IsControl) {
		return "", fault.Broken("invalid_path",
			"This is no path: it has a percent sign without two hexadecimal digits, or characters that are no text.")
	}

	if trimmed := strings.TrimSuffix(decoded, "/"); trimmed != "" {
		return trimmed, nil
	}
	return "/", nil
}
