package outbound

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
)

func TestCheckURL_returnsTheNormalizedURL(t *testing.T) {
	long := strings.Repeat("a.", 126) + "a" // 253 characters

	for given, want := range map[string]string{
		"https://shop.example/a.jpg":          "https://shop.example/a.jpg",
		"https://shop.example":                "https://shop.example",
		"HTTPS://Shop.Example/A.jpg?B=c#part": "https://shop.example/A.jpg?B=c",
		"https://shop.example:/":              "https://shop.example/",
		"https://shop.example:0443/":          "https://shop.example:443/",
		"https://shop.example:65535/":         "https://shop.example:65535/",
		"https://shop.example./":              "https://shop.example/",
		"https://my_bucket.r3---sn.example/":  "https://my_bucket.r3---sn.example/",
		"https://магазин.рф/фото 1.jpg?имя=а b": "https://xn--80aairftm.xn--p1ai/" +
			"%D1%84%D0%BE%D1%82%D0%BE%201.jpg?%D0%B8%D0%BC%D1%8F=%D0%B0%20b",
		"https://sh\u200bop.example/":                    "https://shop.example/",
		"https://ｓｈｏｐ。example/":                          "https://shop.example/",
		"https://shop.example/%E4%B8%AD?q=%20<x>":        "https://shop.example/%E4%B8%AD?q=%20%3Cx%3E",
		"https://8.8.8.8/":                               "https://8.8.8.8/",
		"https://[2A00:1450:4001::200e]:8443/":           "https://[2a00:1450:4001::200e]:8443/",
		"https://[::ffff:8.8.8.8]/":                      "https://8.8.8.8/",
		"https://intranet/":                              "https://intranet/", // the dialer checks its address
		"https://" + long + "/":                          "https://" + long + "/",
		"https://a.example/" + strings.Repeat("x", 2030): "https://a.example/" + strings.Repeat("x", 2030),
	} {
		u, err := New(Config{}).CheckURL(given)
		if err != nil || u.String() != want {
			t.Errorf("CheckURL(%q) = %v, %v; want %s", given, u, err, want)
		}
	}
}

func TestCheckURL_explainsAnInvalidURL(t *testing.T) {
	for _, c := range []struct{ given, code, hint string }{
		{"", InvalidURL, "https://"},
		{"/a.jpg", InvalidURL, "https://"},
		{"shop.example/a.jpg", InvalidURL, "https://"},
		{"//shop.example/a.jpg", InvalidURL, "https://"},
		{"ftp://shop.example/a.jpg", InvalidURL, "https://"},
		{"file:///etc/passwd", InvalidURL, "https://"},
		{"data:image/png;base64,AAAA", InvalidURL, "https://"},
		{"http://shop.example/a.jpg", InvalidURL, "--allow-http"},
		{"https:shop.example", InvalidURL, "a host"},
		{"https:///a.jpg", InvalidURL, "a host"},
		{"https://:443/", InvalidURL, "a host"},
		{"https://./", InvalidURL, "name of a host"},
		{"https://user@shop.example/", InvalidURL, "before the @"},
		{"https://user:secret@shop.example/", InvalidURL, "before the @"},
		{"https://@shop.example/", InvalidURL, "before the @"},
		{"https://shop.example:0/", InvalidURL, "1 to 65535"},
		{"https://shop.example:65536/", InvalidURL, "1 to 65535"},
		{"https://shop.example:99999999999999999999/", InvalidURL, "1 to 65535"},
		{"https://shop.example:http/", InvalidURL, "https://"},
		{"https://shop..example/", InvalidURL, "name of a host"},
		{"https://shop\xff.example/", InvalidURL, "name of a host"},
		{"https://shop!.example/", InvalidURL, "name of a host"},
		{"https://xn--zz--.example/", InvalidURL, "name of a host"},
		{"https://" + strings.Repeat("a", 64) + ".example/", InvalidURL, "at most 63"},
		{"https://" + strings.Repeat("a.", 127) + "a/", InvalidURL, "at most 253"},
		{"https://[shop.example]/", InvalidURL, ""},
		{"https://[8.8.8.8]/", InvalidURL, ""},
		{"https://[fe80::1%25eth0]/", InvalidURL, "without a zone"},
		{"https://shop.example/\x00", InvalidURL, "percent-encoded"},
		{"https://shop.example/%zz", InvalidURL, "percent-encoded"},
		{"https://shop.example/" + strings.Repeat("x", 2048), InvalidURL, "2048 bytes"},
		{"https://shop.example/" + strings.Repeat("я", 400), InvalidURL, "2048 bytes"},
		{"https://127.1/", InvalidURL, "four decimal numbers"},
		{"https://2130706433/", InvalidURL, "four decimal numbers"},
		{"https://0x7f000001/", InvalidURL, "four decimal numbers"},
		{"https://0177.0.0.1/", InvalidURL, "four decimal numbers"},
		{"https://127.0.0.1/", ForbiddenAddress, "--allow-net"},
		{"https://127.0.0.1./", ForbiddenAddress, "--allow-net"},
		{"https://１２７.0.0.1/", ForbiddenAddress, "--allow-net"},
		{"https://169.254.169.254/latest/meta-data/", ForbiddenAddress, "--allow-net"},
		{"https://168.63.129.16/", ForbiddenAddress, "--allow-net"},
		{"https://[::1]:8080/", ForbiddenAddress, "--allow-net"},
		{"https://[::ffff:10.0.0.1]/", ForbiddenAddress, "--allow-net"},
		{"https://[64:ff9b::8.8.8.8]/", ForbiddenAddress, "--allow-net"},
		{"https://localhost/", ForbiddenAddress, "--allow-net"},
		{"https://LocalHost.:8443/", ForbiddenAddress, "--allow-net"},
		{"https://a.localhost/", ForbiddenAddress, "--allow-net"},
	} {
		u, err := New(Config{}).CheckURL(c.given)

		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Code != c.code || !strings.Contains(f.Message, c.hint) {
			t.Errorf("%q: %v, %v; want %s with %q", c.given, u, err, c.code, c.hint)
		}
	}
}

func TestCheckURL_allowsTheConfiguredExceptions(t *testing.T) {
	g := New(Config{AllowHTTP: true,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}})
	for _, given := range []string{
		"http://localhost:8080/", "http://127.0.0.1:8080/", "https://127.0.0.1/", "http://[fd00::1]/",
		"http://shop.example/",
	} {
		if u, err := g.CheckURL(given); err != nil || u.String() != given {
			t.Errorf("%s: %v, %v", given, u, err)
		}
	}
	for _, given := range []string{"http://10.0.0.1/", "http://[::1]/", "ftp://127.0.0.1/"} {
		if u, err := g.CheckURL(given); err == nil {
			t.Errorf("CheckURL(%s) = %s, want an error", given, u)
		}
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example/a.jpg?b=c#d", "https://магазин.рф/фото 1.jpg", "https://[2a00::1]:8443/",
		"https://[::ffff:8.8.8.8]", "https://8.8.8.8:080?",
		"https://a\u200bb。c/%41%2f//..", "https://user@h", "https:opaque", "https://xn--80aairftm.xn--p1ai.",
		"https://[fe80::1%25eth0]/", "https://h/?a b\xff", "https://\xff", "https://example。",
	} {
		f.Add(seed)
	}

	g := New(Config{})

	f.Fuzz(func(t *testing.T, raw string) {
		u, err := g.CheckURL(raw)
		if err != nil {
			var refused *fault.Error
			if !errors.As(err, &refused) || refused.Kind != fault.Invalid || refused.Message == "" {
				t.Fatalf("%q is refused with %v", raw, err)
			}
			return
		}

		text := u.String()
		if again, err := g.CheckURL(text); err != nil || again.String() != text {
			t.Fatalf("CheckURL(%q) = %q, and CheckURL of that = %v, %v", raw, text, again, err)
		}

		if u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "# \"<>") ||
			len(text) > maxURLLength {
			t.Fatalf("CheckURL(%q) = %q", raw, text)
		}

		if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
			t.Fatalf("CheckURL(%q) = %q, which is not printable ASCII", raw, text)
		}
	})
}
