package outbound

import (
	"net/netip"
	"strings"
	"testing"
)

// specialRanges are the ranges that must be blocked: IANA's registries of special addresses, and addresses of cloud
// platforms.
const specialRanges = `
	0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
	192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
	169.254.169.254/32 169.254.170.2/32 100.100.100.200/32 192.0.0.192/32 255.255.255.255/32
	2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20
	::/128 ::1/128 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8 fd00:ec2::254/128
	::/3 4000::/2 8000::/1`

// publicAddresses are addresses that must be allowed, most of them next to a special range.
const publicAddresses = `
	1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17
	169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.31.195.255 192.31.197.0
	192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255
	198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
	2000:: 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003::
	2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001:: 2a00:1450:4001::200e 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::
	3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`

// mayDial reports whether the dialer's check allows an address.
func mayDial(t *testing.T, g *Guard, addr netip.Addr) bool {
	network := "tcp6"
	if addr.Is4() {
		network = "tcp4"
	}
	return g.checkDial(t.Context(), network, netip.AddrPortFrom(addr, 8443).String(), nil) == nil
}

func TestDial_blocksSpecialAddressesInAnyForm(t *testing.T) {
	g := New(Config{})
	viaNAT64 := New(Config{AllowNets: []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96")}})
	for _, text := range strings.Fields(specialRanges) {
		prefix := netip.MustParsePrefix(text)
		for _, addr := range []netip.Addr{prefix.Addr(), lastAddress(prefix)} {
			for _, form := range addressForms(addr) {
				if mayDial(t, g, form) {
					t.Errorf("%s of %s is allowed", form, prefix)
				}
			}
			if addr.Is4() && mayDial(t, viaNAT64, nat64Address(addr)) {
				t.Errorf("%s of %s is allowed through NAT64", addr, prefix)
			}
		}
	}

	for _, address := range []string{"", "8.8.8.8", "localhost:80", "name.example:443", ":80", "8.8.8.8:70000"} {
		if g.checkDial(t.Context(), "tcp", address, nil) == nil {
			t.Errorf("%q is not an address with a port, and is allowed", address)
		}
	}

	if g.allowsAddr(netip.Addr{}) {
		t.Error("the zero Addr is allowed")
	}
}

func TestDial_allowsPublicAddresses(t *testing.T) {
	g := New(Config{})
	viaNAT64 := New(Config{AllowNets: []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96")}})
	for _, text := range strings.Fields(publicAddresses) {
		addr := netip.MustParseAddr(text)
		for _, form := range addressForms(addr) {
			if !mayDial(t, g, form) {
				t.Errorf("%s is blocked", form)
			}
		}
		if addr.Is4() && (mayDial(t, g, nat64Address(addr)) || !mayDial(t, viaNAT64, nat64Address(addr))) {
			t.Errorf("%s: NAT64 must be allowed only by configuration", nat64Address(addr))
		}
	}
}

func TestDial_allowsOnlyTheConfiguredExceptions(t *testing.T) {
	for _, c := range []struct{ nets, reached, refused string }{
		{"10.1.0.0/16", "10.1.0.0 10.1.255.255 ::ffff:10.1.2.3 8.8.8.8",
			"10.0.255.255 10.2.0.0 127.0.0.1 ::1 64:ff9b::a01:203"},
		{"127.0.0.0/8 ::1/128", "127.0.0.1 127.255.255.255 ::ffff:127.0.0.1 ::1", ":: ::2 ::7f00:1 10.0.0.1"},
		{"::ffff:10.1.0.0/112", "10.1.2.3 ::ffff:10.1.2.3", "10.2.0.1 ::1"},
		{"fe80::/10", "fe80::1 fe80::1%eth0", "fec0::1%eth0 169.254.0.1"},
		{"168.63.129.16/32", "168.63.129.16", "169.254.169.254"},
		{"64:ff9b::/96 10.0.0.0/8", "64:ff9b::a01:203", "64:ff9b::7f00:1 64:ff9b:1::a01:203"},
		{"0.0.0.0/0", "0.0.0.0 127.0.0.1 255.255.255.255", "::1 fd00::1"},
		{"::/0", "::1 fd00::1 fe80::1", "127.0.0.1 ::ffff:127.0.0.1 64:ff9b::7f00:1"},
	} {
		var nets []netip.Prefix
		for _, net := range strings.Fields(c.nets) {
			nets = append(nets, netip.MustParsePrefix(net))
		}

		g := New(Config{AllowNets: nets})
		for text, want := range map[string]bool{c.reached: true, c.refused: false} {
			for _, addr := range strings.Fields(text) {
				if mayDial(t, g, netip.MustParseAddr(addr)) != want {
					t.Errorf("with %s: %s allowed is not %v", c.nets, addr, want)
				}
			}
		}
	}
}

// addressForms returns the forms in which an address can be written: with and without a zone and, for an IPv4 address,
// also as an IPv4-mapped IPv6 address.
func addressForms(addr netip.Addr) []netip.Addr {
	if addr.Is4() {
		return []netip.Addr{addr, netip.AddrFrom16(addr.As16()), netip.AddrFrom16(addr.As16()).WithZone("eth0")}
	}
	return []netip.Addr{addr, addr.WithZone("eth0")}
}

// nat64Address returns the NAT64 address that DNS64 synthesizes for an IPv4 address.
func nat64Address(addr netip.Addr) netip.Addr {
	four := addr.As4()
	return netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b, 12: four[0], four[1], four[2], four[3]})
}

// lastAddress returns the last address of a network.
func lastAddress(p netip.Prefix) netip.Addr {
	bytes := p.Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(bytes); bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return addr
}
