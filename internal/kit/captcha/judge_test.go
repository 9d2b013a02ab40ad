package captcha

import (
	"math"
	"testing"
)

func TestJudge_rejectsDoubtfulVerdicts(t *testing.T) {
	good := Verdict{OK: true, Score: new(0.9), Action: new("order_submission"), Host: "shop.example"}

	policy := Policy{Provider: RecaptchaV3, Action: "order_submission", Threshold: 0.5,
		Hosts: []string{"Shop.example:443", "магазин.рф"}}
	for _, c := range []struct {
		name   string
		change func(v *Verdict, p *Policy)
		want   string
	}{
		{"a good verdict", func(*Verdict, *Policy) {}, Accepted},
		{"an extra host, in punycode", func(v *Verdict, _ *Policy) { v.Host = "xn--80aairftm.xn--p1ai." }, Accepted},
		{"a NaN score", func(v *Verdict, _ *Policy) { v.Score = new(math.NaN()) }, BadScore},
		{"an infinite score", func(v *Verdict, _ *Policy) { v.Score = new(math.Inf(1)) }, BadScore},
		{"a NaN threshold", func(_ *Verdict, p *Policy) { p.Threshold = math.NaN() }, LowScore},
		{"a threshold of 0", func(v *Verdict, p *Policy) {
			v.Score = new(0.0)
			p.Threshold = 0
		}, Accepted},
		{"a score just below", func(v *Verdict, _ *Policy) { v.Score = new(math.Nextafter(0.5, 0)) }, LowScore},
		{"an empty action", func(v *Verdict, _ *Policy) { v.Action = new("") }, WrongAction},
		{"the action in capitals", func(v *Verdict, _ *Policy) { v.Action = new("ORDER_SUBMISSION") }, WrongAction},
		{"no hosts to compare with", func(_ *Verdict, p *Policy) { p.Hosts = nil }, WrongHost},
		{"an invalid host on both sides", func(v *Verdict, p *Policy) {
			v.Host = "https://shop.example"
			p.Hosts = []string{"https://shop.example"}
		}, WrongHost},
		{"a subdomain", func(v *Verdict, _ *Policy) { v.Host = "a.shop.example" }, WrongHost},
		{"an unknown provider, no score", func(v *Verdict, p *Policy) {
			v.Score = nil
			p.Provider = ""
		}, NoScore},
		{"an unknown provider, no host", func(v *Verdict, p *Policy) { v.Host, p.Provider = "", "" }, NoHost},
		{"zero values", func(v *Verdict, p *Policy) { *v, *p = Verdict{}, Policy{} }, NotSuccessful},
	} {
		v, p := good, policy
		c.change(&v, &p)
		if got := Judge(v, p); got.Reason != c.want || got.Accepted != (c.want == Accepted) {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

func TestScoreFromRisk_keepsDecimals(t *testing.T) {
	for risk, want := range map[float64]float64{0: 1, 1: 0, 0.9: 0.1, 0.7: 0.3, 0.95: 0.05, math.Inf(1): math.Inf(-1)} {
		if got := scoreFromRisk(risk); got != want {
			t.Errorf("%v becomes %v, want %v", risk, got, want)
		}
	}
}

func TestNormalizeHost(t *testing.T) {
	for text, want := range map[string]string{
		"shop.example": "shop.example", "SHOP.Example": "shop.example", "shop.example.": "shop.example",
		"shop.example:8080": "shop.example", "shop.example.:443": "shop.example",
		"магазин.рф": "xn--80aairftm.xn--p1ai", "МАГАЗИН.РФ:443": "xn--80aairftm.xn--p1ai",
		"XN--80AAIRFTM.xn--p1ai": "xn--80aairftm.xn--p1ai", "shop。example": "shop.example",
		"localhost": "localhost", "127.0.0.1:3000": "127.0.0.1", "[::1]:3000": "::1", "[::1]": "::1", "::1": "::1",
		"2001:DB8::80": "2001:db8::80", "my_shop.example": "my_shop.example",
		"": "", ".": "", ":80": "", "shop.example/": "", "https://shop.example": "", "shop example": "",
		"user@shop.example": "", "shop.example:http": "", "a..b": "", "a..": "",
		"[shop.example]": "", "[::1": "", "[1.2.3.4]": "", "[fe80::1%eth0]": "", "fe80::1%eth0": "",
		"*.shop.example": "", "\xff": "", "shop.example:80:80": "",
	} {
		if got, ok := NormalizeHost(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q becomes %q, %v, want %q", text, got, ok, want)
		}
	}
}
