package outbound

import (
	"context"
	"errors"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// errBlocked is the error of a dial to a forbidden address. It does not contain the address, so that it reveals nothing
// about our network.
var errBlocked = errors.New("the address is not allowed")

// azurePlatform is the address of the Azure platform service, which includes instance metadata. It is in no special
// range of IANA.
var azurePlatform = netip.MustParsePrefix("168.63.129.16/32")

// newAddressFilter returns a filter that blocks azurePlatform and IANA's special ranges, except the allowed networks.
func newAddressFilter(allowed []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, net := range allowed {
		if net = unmapPrefix(net); net.Addr().Is4() {
			v4 = append(v4, net)
		} else {
			v6 = append(v6, net)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...),
		ssrf.WithDeniedV4Prefixes(azurePlatform))
}

// unmapPrefix converts a network of IPv4-mapped IPv6 addresses to the IPv4 network.
func unmapPrefix(net netip.Prefix) netip.Prefix {
	const mapped = 96 // prefix bits before the IPv4 address
	if net.Addr().Is4In6() && net.Bits() >= mapped {
		return netip.PrefixFrom(net.Addr().Unmap(), net.Bits()-mapped)
	}
	return net
}

// allowsAddr reports whether an address may be reached. It ignores the zone, which only selects an interface, and
// treats an IPv4-mapped address as IPv4. For a NAT64 address, whose range the operator must allow, it also checks the
// embedded IPv4 address, which the gateway would reach.
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

// checkDial is the ControlContext of the dialer, which calls it with each resolved address before it connects.
func (g *Guard) checkDial(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !g.allowsAddr(to.Addr()) {
		return errBlocked
	}
	return nil
}
