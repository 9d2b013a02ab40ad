package captcha

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/outbound"
)

// maxHostLength is longer than any host name in any script. It bounds the cost of punycode, which is quadratic in the
// length.
const maxHostLength = 1024

// NormalizeHost returns the normalized form in which hosts are compared: lower case, punycode, without a trailing dot,
// port or brackets. ok is false if text is not a host, for example a URL.
func NormalizeHost(text string) (host string, ok bool) {
	if len(text) > maxHostLength || !utf8.ValidString(text) {
		return "", false
	}
	text = trimPort(text)
	if inside, found := strings.CutPrefix(text, "["); found {
		inside, found = strings.CutSuffix(inside, "]")
		addr, err := netip.ParseAddr(inside)
		return addr.String(), found && err == nil && addr.Is6() && addr.Zone() == ""
	}
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.String(), addr.Zone() == ""
	}
	name, ok := outbound.ASCIIHost(text)
	return name, ok && !strings.HasSuffix(name, ".")
}

// trimPort removes a trailing colon and port. It keeps the last group of an IPv6 address without brackets.
func trimPort(text string) string {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.Trim(text[i+1:], "0123456789") != "" ||
		strings.IndexByte(text, ':') < i && !strings.HasSuffix(text[:i], "]") {
		return text
	}
	return text[:i]
}
