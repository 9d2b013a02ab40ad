package outbound

import (
	"context"
	"errors"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// errBlocked is all that is known of a dial that the guard stopped: what a name resolved to would tell strangers about our network.
var errBlocked = errors.New("the address is not allowed")

// azurePlatform is where Azure's machines find their platform, metadata included: the one such address in no special range.
var azurePlatform = netip.MustParsePrefix("168.63.129.16/32")

// newAddressFilter are IANA's special ranges, less the operator's exceptions.
func newAddressFilter(allowed []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, net := range allowed {
		if net = unmapPrefix(net); net.Addr().Is4() {
			v4 = append(v4, net)
		} else {
			v6 = append(v6, net)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...), ssrf.WithDeniedV4Prefixes(azurePlatform))
}

// unmapPrefix writes a network of IPv4-mapped addresses as the IPv4 network that it is.
func unmapPrefix(net netip.Prefix) netip.Prefix {
	const mapped = 96 // bits before the IPv4 address
	if net.Addr().Is4In6() && net.Bits() >= mapped {
		return netip.PrefixFrom(net.Addr().Unmap(), net.Bits()-mapped)
	}
	return net
}

// allowsAddr judges one address. A zone says only through which interface it is reached. A mapped address is judged as the IPv4 address that
// it is; one of NAT64, whose range the operator has to allow, also by the IPv4 address that the gateway would reach.
func (g *Guard) allowsAddr(addr netip.Addr) bool {
	addr = addr.WithZone("").Unmap()
	if !addr.IsValid() || g.filter.SafeAddr(addr) != nil {
		return false
	}
	if ssrf.IPv6NAT64Prefix.Contains(addr) {
		bytes := addr.As16()
		return g.allowsAddr(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	return true
}

// checkDial stands between the resolver and the connection: the dialer calls it with every address that it is about to reach.
func (g *Guard) checkDial(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !g.allowsAddr(to.Addr()) {
		return errBlocked
	}
	return nil
}
