package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"vitrine/internal/kit/fault"
)

const (
	// maxURLLength is the maximum length of a URL in bytes, both as given and as normalized.
	maxURLLength = 2048
	// maxHostLength is the maximum length of a host name in the DNS.
	maxHostLength = 253
)

// Codes of the faults of CheckURL.
const (
	InvalidURL       = "invalid_url"
	ForbiddenAddress = "forbidden_address"
)

// hostIDNA converts host names to ASCII as browsers do: lower case, punycode, invisible characters removed. Underscores
// and double hyphens are allowed, since real hosts have them.
var hostIDNA = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false),
	idna.VerifyDNSLength(true))

// CheckURL parses a URL that a user gave and returns it as it would be requested: the host in ASCII, special characters
// percent-encoded, without a fragment. For a URL that must not be requested it returns an Invalid fault with the code
// invalid_url or forbidden_address and a message that says what is allowed. It does not resolve host names; the dialer
// checks the resolved addresses.
func (g *Guard) CheckURL(raw string) (*url.URL, error) {
	if len(raw) > maxURLLength {
		return nil, urlTooLong()
	}

	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, invalidURL("This is not an address: write it as https://shop.example/path, with special " +
			"characters percent-encoded.").Because(err)
	case u.Scheme == "http" && !g.cfg.AllowHTTP:
		return nil, invalidURL("The address must begin with https://; http:// needs the operator's --allow-http.")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, invalidURL("The address must be a whole one that begins with https://, such as " +
			"https://shop.example/path.")
	case u.User != nil:
		return nil, invalidURL("The address must not hold a user name or a password: leave out what stands before " +
			"the @.")
	}

	if u.Host, err = g.checkHost(u); err != nil {
		return nil, err
	}

	u.RawQuery = escapeQuery(u.RawQuery)
	u.Fragment, u.RawFragment = "", "" // a fragment is never sent

	if len(u.String()) > maxURLLength {
		return nil, urlTooLong()
	}

	return u, nil
}

func invalidURL(message string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, InvalidURL, message, args...)
}

func forbiddenAddress() *fault.Error {
	return fault.New(fault.Invalid, ForbiddenAddress,
		"The address must be a public one, or in a network that the operator allows with --allow-net.")
}

func urlTooLong() *fault.Error {
	return invalidURL("The address may have at most %d bytes, counted with its special characters percent-encoded.",
		maxURLLength)
}

// checkHost returns the normalized host, with the port if there is one.
func (g *Guard) checkHost(u *url.URL) (string, error) {
	port, err := checkPort(u.Port())
	if err != nil {
		return "", err
	}

	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", invalidURL("Between brackets stands an IPv6 address without a zone, such as " +
				"[2001:4860:4860::8888]; a name stands without brackets.")
		}
		return g.checkAddress(addr, port)
	}

	if host == "" {
		return "", invalidURL("The address must name a host, such as https://shop.example/path.")
	}

	name, ok := ASCIIHost(host)
	if !ok {
		return "", invalidURL("%q is not the name of a host: write one such as shop.example, at most %d characters "+
			"long, each part at most 63.", host, maxHostLength)
	}

	if addr, err := netip.ParseAddr(name); err == nil {
		return g.checkAddress(addr, port)
	}
	if endsInNumber(name) {
		return "", invalidURL("An IPv4 address is written as four decimal numbers, such as 8.8.4.4.")
	}

	if isLocalhost(name) && !g.allowsAddr(netip.AddrFrom4([4]byte{127, 0, 0, 1})) &&
		!g.allowsAddr(netip.IPv6Loopback()) {
		return "", forbiddenAddress()
	}

	return name + port, nil
}

// checkAddress checks a host that is an IP address, and returns it with the port.
func (g *Guard) checkAddress(addr netip.Addr, port string) (string, error) {
	addr = addr.Unmap()
	if !g.allowsAddr(addr) {
		return "", forbiddenAddress()
	}
	if addr.Is6() {
		return "[" + addr.String() + "]" + port, nil
	}
	return addr.String() + port, nil
}

// checkPort returns "", or a colon and the port.
func checkPort(port string) (string, error) {
	if port == "" {
		return "", nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", invalidURL("The port must be a number from 1 to 65535.")
	}
	return ":" + strconv.FormatUint(n, 10), nil
}

// ASCIIHost returns a host name in the ASCII form in which browsers request it, without a trailing dot. ok is false for
// text that is not a host name. IP addresses are not distinguished from names.
func ASCIIHost(name string) (ascii string, ok bool) {
	ascii, err := hostIDNA.ToASCII(name)
	ascii = strings.TrimSuffix(ascii, ".")
	ok = err == nil && utf8.ValidString(name) && ascii != "" && len(ascii) <= maxHostLength &&
		strings.Trim(ascii, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
	return ascii, ok
}

// endsInNumber reports whether some programs would read the name as an IPv4 address. Examples are 127.1, 2130706433 and
// 0x7f.0.0.1.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, found := strings.CutPrefix(last, "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// isLocalhost reports whether the name always resolves to the loopback address (RFC 6761).
func isLocalhost(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// escapeQuery percent-encodes the bytes that must not occur in a request line. Existing escapes stay.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		switch c := query[i]; {
		case c <= ' ', c > '~', c == '"', c == '<', c == '>':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
