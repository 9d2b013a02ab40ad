package httpapi

import (
	"net/http"
	"net/netip"
	"testing"
)

// The client's address is the last address that is not a trusted proxy's. What the client sent in X-Forwarded-For is
// never believed.
func TestProxies_clientAddressIsLastUntrustedHop(t *testing.T) {
	nets := trustedProxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}

	for _, c := range []struct {
		trusted   trustedProxies
		from      string
		forwarded []string
		want      string
	}{
		// There is no trusted proxy, or the connection does not come from one.
		{nil, "10.0.0.1:80", []string{"198.51.100.7"}, "10.0.0.1"},
		{nets, "192.0.2.1:80", []string{"198.51.100.7"}, "192.0.2.1"},
		{nets, "192.0.2.1:80", []string{"10.0.0.1"}, "192.0.2.1"},
		{nets, "[2001:db8::1]:80", []string{"198.51.100.7"}, "2001:db8::/64"},
		// There is one proxy. The entries before the last were sent by the client.
		{nets, "10.0.0.1:80", []string{"198.51.100.7"}, "198.51.100.7"},
		{nets, "10.0.0.1:80", []string{"127.0.0.1, 198.51.100.7"}, "198.51.100.7"},
		{nets, "10.0.0.1:80", []string{"10.9.9.9,198.51.100.7"}, "198.51.100.7"},
		{nets, "10.0.0.1:80", []string{"203.0.113.1", "198.51.100.7"}, "198.51.100.7"},
		{nets, "10.0.0.1:80", []string{"nonsense, 198.51.100.7"}, "198.51.100.7"},
		// There are several proxies.
		{nets, "10.0.0.1:80", []string{"203.0.113.1, 198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{nets, "10.0.0.1:80", []string{"203.0.113.1, 198.51.100.7", "10.0.0.3, 10.0.0.2"}, "198.51.100.7"},
		{nets, "[2001:db8:ffff::1]:80", []string{"198.51.100.7, 2001:db8:ffff::2"}, "198.51.100.7"},
		// The client is in the network of the proxies.
		{nets, "10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{nets, "10.0.0.1:80", nil, "10.0.0.1"},
		// An entry is not an address.
		{nets, "10.0.0.1:80", []string{""}, "10.0.0.1"},
		{nets, "10.0.0.1:80", []string{"198.51.100.7, unknown"}, "10.0.0.1"},
		{nets, "10.0.0.1:80", []string{"198.51.100.7, unknown, 10.0.0.2"}, "10.0.0.2"},
		{nets, "10.0.0.1:80", []string{"198.51.100.7,"}, "10.0.0.1"},
		// Proxies write addresses in these forms.
		{nets, "10.0.0.1:80", []string{" 198.51.100.7:4711 "}, "198.51.100.7"},
		{nets, "10.0.0.1:80", []string{"[2001:db8:1:2:3::4]:4711"}, "2001:db8:1:2::/64"},
		{nets, "10.0.0.1:80", []string{"[2001:db8:1:2:3::4]"}, "2001:db8:1:2::/64"},
		{nets, "10.0.0.1:80", []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
		{nets, "[::ffff:10.0.0.1]:80", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
	} {
		r := &http.Request{RemoteAddr: c.from, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := limiterKey(c.trusted.clientAddress(r)); got != c.want {
			t.Errorf("from %s, forwarded for %q: %s, want %s", c.from, c.forwarded, got, c.want)
		}
	}
}
