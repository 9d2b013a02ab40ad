package config_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
)

func TestAllowedNets_addsLoopbackWithDev(t *testing.T) {
	for _, c := range []struct {
		serve config.Serve
		want  string
		http  bool
	}{
		{config.Serve{}, "[]", false},
		{config.Serve{AllowNet: []string{"10.1.0.0/16", "fd00::/8", "192.0.2.7/32"}},
			"[10.1.0.0/16 fd00::/8 192.0.2.7/32]", false},
		{config.Serve{AllowHTTP: true}, "[]", true},
		{config.Serve{Dev: true, AllowNet: []string{"10.0.0.0/8"}}, "[127.0.0.0/8 ::1/128 10.0.0.0/8]", true},
	} {
		nets, err := c.serve.AllowedNets()

		if err != nil || fmt.Sprint(nets) != c.want || c.serve.AllowsHTTP() != c.http {
			t.Errorf("%v, dev %v: %v, http %v, %v; want %s, http %v", c.serve.AllowNet, c.serve.Dev, nets,
				c.serve.AllowsHTTP(), err, c.want, c.http)
		}
	}
}

func TestNetworks_explainAnInvalidNetwork(t *testing.T) {
	for given, want := range map[string]string{
		"10.1.2.3":    "10.1.2.3/32",
		"office":      "10.1.0.0/16",
		"":            "10.1.0.0/16",
		"10.0.0.0/33": "10.1.0.0/16",
		"10.1.2.3/8":  "write 10.0.0.0/8, or 10.1.2.3/32",
		"fd00::1/8":   "write fd00::/8, or fd00::1/128",
	} {
		nets, err := config.Serve{AllowNet: []string{"10.0.0.0/8", given}}.AllowedNets()
		if err == nil || !strings.Contains(err.Error(), "--allow-net") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", given, nets, err, want)
		}

		nets, err = config.Serve{TrustedProxy: []string{"10.0.0.0/8", given}}.TrustedProxies()
		if err == nil || !strings.Contains(err.Error(), "--trusted-proxy") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", given, nets, err, want)
		}
	}
}

func TestTrustedProxies_returnsOnlyTheConfiguredNetworks(t *testing.T) {
	for want, serve := range map[string]config.Serve{
		"[]":                     {Dev: true, AllowNet: []string{"10.0.0.0/8"}},
		"[10.1.0.0/16 fd00::/8]": {TrustedProxy: []string{"10.1.0.0/16", "fd00::/8"}},
	} {
		if nets, err := serve.TrustedProxies(); err != nil || fmt.Sprint(nets) != want {
			t.Errorf("%v, %v; want %s", nets, err, want)
		}
	}
}
