package config

import (
	"fmt"
	"net/netip"
)

// AllowedNets parses the networks of --allow-net. With --dev it adds the loopback networks.
func (s Serve) AllowedNets() ([]netip.Prefix, error) {
	var nets []netip.Prefix
	if s.Dev {
		nets = append(nets, netip.PrefixFrom(netip.AddrFrom4([4]byte{127}), 8),
			netip.PrefixFrom(netip.IPv6Loopback(), 128))
	}
	given, err := parseNets("--allow-net", s.AllowNet)
	return append(nets, given...), err
}

// TrustedProxies parses the networks of --trusted-proxy.
func (s Serve) TrustedProxies() ([]netip.Prefix, error) {
	return parseNets("--trusted-proxy", s.TrustedProxy)
}

func parseNets(flag string, given []string) ([]netip.Prefix, error) {
	var nets []netip.Prefix
	for _, text := range given {
		net, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a network: write one such as 10.1.0.0/16 or fd00::/8, "+
				"and 10.1.2.3/32 for a single address", flag, text)
		}
		// 10.1.2.3/8 may be meant as a single address, but as a network it contains 16 million addresses.
		if net != net.Masked() {
			return nil, fmt.Errorf("%s: %s has bits set after its prefix: write %s, or %s/%d for a single address",
				flag, text, net.Masked(), net.Addr(), net.Addr().BitLen())
		}
		nets = append(nets, net)
	}
	return nets, nil
}

// AllowsHTTP reports whether URLs given by users may begin with http://.
func (s Serve) AllowsHTTP() bool { return s.AllowHTTP || s.Dev }
