package captcha

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hostIDNA maps names as browsers do: small letters, punycode, no characters that cannot be seen. Underscores and double hyphens are in use.
var hostIDNA = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false), idna.VerifyDNSLength(true))

// maxHostLength is far more than a name can have in any script; the work of punycode grows with the square of it.
const maxHostLength = 1024

// Host returns the one form in which hosts are compared: lower case, punycode, without a trailing dot, a port or brackets. What is no
// host, such as a whole address, is not ok.
func Host(text string) (host string, ok bool) {
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
	name, err := hostIDNA.ToASCII(text)
	name = strings.TrimSuffix(name, ".")
	return name, err == nil && name != "" && !strings.HasSuffix(name, ".") && !strings.ContainsFunc(name, isNotHostChar)
}

// trimPort takes off what follows the colon, unless that is the last group of an IPv6 address without brackets.
func trimPort(text string) string {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.Trim(text[i+1:], "0123456789") != "" || strings.IndexByte(text, ':') < i && !strings.HasSuffix(text[:i], "]") {
		return text
	}
	return text[:i]
}

// isNotHostChar recognises what no name in ASCII has.
func isNotHostChar(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.'
}
