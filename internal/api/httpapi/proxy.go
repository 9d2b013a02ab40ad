package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the networks whose machines are believed when they say whom they speak for.
type proxies []netip.Prefix

// client returns the address that a request comes from: that of the connection, unless it is a trusted proxy's. Then it is the last one in
// X-Forwarded-For that is no trusted proxy's itself: each proxy appends who spoke to it, so what stands before that is only what the client
// says of itself. A text there that is no address ends the search at the proxy that passed it on.
func (trusted proxies) client(r *http.Request) string {
	from, ok := parseAddress(r.RemoteAddr)
	if !ok || !trusted.have(from) {
		return r.RemoteAddr
	}
	lines := r.Header.Values("X-Forwarded-For")
	for _, line := range slices.Backward(lines) {
		for rest, more := line, true; more; {
			var last string
			rest, last, more = cutLast(rest)
			hop, ok := parseAddress(strings.TrimSpace(last))
			if !ok {
				return from.String()
			}
			if from = hop; !trusted.have(hop) {
				return hop.String()
			}
		}
	}
	return from.String()
}

func (trusted proxies) have(a netip.Addr) bool {
	return slices.ContainsFunc(trusted, func(net netip.Prefix) bool { return net.Contains(a) })
}

// cutLast splits a list at its last comma.
func cutLast(list string) (before, last string, found bool) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], list[i+1:], i >= 0
}

// parseAddress reads an address with or without a port, an IPv6 one with or without brackets.
func parseAddress(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	a, err := netip.ParseAddr(text)
	return a.WithZone("").Unmap(), err == nil
}

// Address is what limits per address count this request by: an IPv4 address, or the network of an IPv6 one.
func (r *Request) Address() string { return address(r.RemoteAddr) }
