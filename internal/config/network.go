package config

import (
	"fmt"
	"net/netip"
)

// AllowedNets are the networks of --allow-net, and with --dev those of loopback.
func (s Serve) AllowedNets() ([]netip.Prefix, error) {
	var nets []netip.Prefix
	if s.Dev {
		nets = append(nets, netip.PrefixFrom(netip.AddrFrom4([4]byte{127}), 8), netip.PrefixFrom(netip.IPv6Loopback(), 128))
	}
	for _, given := range s.AllowNet {
		net, err := netip.ParsePrefix(given)
		if err != nil {
			return nil, fmt.Errorf("--allow-net: %q is not a network: write one such as 10.1.0.0/16 or fd00::/8, and 10.1.2.3/32 for a single address", given)
		}
		// 10.1.2.3/8 may be meant as one address, and would open sixteen million.
		if net != net.Masked() {
			return nil, fmt.Errorf("--allow-net: %s begins inside its network: write %s, or %s/%d for a single address", given, net.Masked(), net.Addr(), net.Addr().BitLen())
		}
		nets = append(nets, net)
	}
	return nets, nil
}

// AllowsHTTP reports whether addresses given by users may begin with http://.
func (s Serve) AllowsHTTP() bool { return s.AllowHTTP || s.Dev }
