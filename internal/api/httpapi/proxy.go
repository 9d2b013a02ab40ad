package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// trustedProxies are the networks of the proxies whose X-Forwarded-For is believed.
type trustedProxies []netip.Prefix

// clientAddress returns the address of the client that sent a request. That is the address of the connection, unless
// the connection comes from a trusted proxy. Then it is the last address in X-Forwarded-For that is not a trusted
// proxy's. Each proxy appends the address of its peer, so the entries before it were sent by the client and may be
// forged. An entry that is not an address ends the search: the result is the proxy that appended it.
func (trusted trustedProxies) clientAddress(r *http.Request) string {
	from, ok := parseAddress(r.RemoteAddr)
	if !ok || !trusted.contain(from) {
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
			if from = hop; !trusted.contain(hop) {
				return hop.String()
			}
		}
	}

	return from.String()
}

// noticeProxy calls OnUntrustedProxy if a request has an X-Forwarded-For that is not believed.
func (s *Server) noticeProxy(r *http.Request) {
	if s.OnUntrustedProxy == nil || r.Header.Get("X-Forwarded-For") == "" {
		return
	}
	if peer, ok := parseAddress(r.RemoteAddr); ok && !trustedProxies(s.TrustedProxies).contain(peer) {
		s.OnUntrustedProxy(peer)
	}
}

func (trusted trustedProxies) contain(a netip.Addr) bool {
	return slices.ContainsFunc(trusted, func(net netip.Prefix) bool { return net.Contains(a) })
}

// cutLast splits a list at its last comma.
func cutLast(list string) (before, last string, found bool) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], list[i+1:], i >= 0
}

// parseAddress parses an IP address with or without a port. An IPv6 address may have brackets.
func parseAddress(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	a, err := netip.ParseAddr(text)
	return a.WithZone("").Unmap(), err == nil
}

// Address returns the address of the client as rate limits count it: an IPv4 address, or the /64 network of an IPv6
// address.
func (r *Request) Address() string { return limiterKey(r.RemoteAddr) }

// Network returns the network of the client by which failed logins are counted: the /24 of an IPv4 address, or the /64
// of an IPv6 address.
func (r *Request) Network() string {
	a, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	bits := 64
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return a.String()
	}
	return p.String()
}
