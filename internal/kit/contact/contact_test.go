package contact

import (
	"errors"
	"net/mail"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
)

func TestCheckEmail_returnsTheNormalizedAddress(t *testing.T) {
	for given, want := range map[string]string{
		"name@example.com":                      "name@example.com",
		" \tname@example.com\r\n":               "name@example.com",
		"First.Last+tag@Sub.EXAMPLE.Com":        "First.Last+tag@sub.example.com",
		"!#$%&'*+-/=?^_`{|}~@example.com":       "!#$%&'*+-/=?^_`{|}~@example.com",
		"shop@пример.рф":                        "shop@xn--e1afmkfd.xn--p1ai",
		"shop@ПРИМЕР。рф":                        "shop@xn--e1afmkfd.xn--p1ai",
		"shop@xn--e1afmkfd.xn--p1ai":            "shop@xn--e1afmkfd.xn--p1ai",
		"shop@straße.example":                   "shop@xn--strae-oqa.example",
		"shop@exam\u00adple.com":                "shop@example.com",
		"shop@a--b.example":                     "shop@a--b.example",
		"shop@1and1.example":                    "shop@1and1.example",
		strings.Repeat("a", 64) + "@example.io": strings.Repeat("a", 64) + "@example.io",
		longestEmail:                            longestEmail,
	} {
		if address, err := CheckEmail(given); err != nil || address != want {
			t.Errorf("%q: got %q, %v; want %q", given, address, err, want)
		}
	}
}

// longestEmail is an address of 254 bytes, the maximum.
var longestEmail = "shop@" + strings.Repeat(strings.Repeat("a", 60)+".", 4) + "exam1"

func TestCheckEmail_explainsAnInvalidAddress(t *testing.T) {
	for given, hint := range map[string]string{
		"":                                   "name@example.com",
		" \n":                                "name@example.com",
		"name":                               "has an @",
		"name.example.com":                   "has an @",
		"@example.com":                       "before the @",
		"a..b@example.com":                   "before the @",
		".a@example.com":                     "before the @",
		"a.@example.com":                     "before the @",
		"a b@example.com":                    "before the @",
		"a@b@example.com":                    "before the @",
		`"a b"@example.com`:                  "before the @",
		"a\\b@example.com":                   "before the @",
		"почта@example.com":                  "before the @",
		"a\u200bb@example.com":               "before the @",
		"a\xff@example.com":                  "before the @",
		"a\x00@example.com":                  "before the @",
		"a\r\nBcc:b@example.com":             "before the @",
		"(comment)a@example.com":             "before the @",
		strings.Repeat("a", 65) + "@a.io":    "1 to 64",
		"name@":                              "after the @",
		"name@localhost":                     "after the @",
		"name@example.com.":                  "after the @",
		"name@.example.com":                  "after the @",
		"name@exa mple.com":                  "after the @",
		"name@example.com SIZE=1":            "after the @",
		"name@example.com\r\nRCPT TO:b":      "after the @",
		"name@example\x00.com":               "after the @",
		"name@example.com\u2028x":            "after the @",
		"name@exam_ple.com":                  "after the @",
		"name@-example.com":                  "after the @",
		"name@example-.com":                  "after the @",
		"name@192.168.0.1":                   "after the @",
		"name@[192.168.0.1]":                 "after the @",
		"name@xn--a.com":                     "after the @",
		"name@exam\xffple.com":               "after the @",
		"name@" + strings.Repeat("a", 64):    "after the @",
		"Name <name@example.com>":            "without a name",
		"<name@example.com>":                 "without a name",
		"name@example.com>SIZE=1":            "without a name",
		"a@example.com, b@example.com":       "one e-mail address",
		"a@example.com;b@example.com":        "one e-mail address",
		"a" + longestEmail:                   "254",
		strings.Repeat("a", 1<<20) + "@b.io": "254",
	} {
		address, err := CheckEmail(given)

		wantInvalid(t, given, address, err, InvalidEmail, hint)
	}
}

func TestCheckPhone_keepsDigitsAndThePlus(t *testing.T) {
	for given, want := range map[string]string{
		"+7 (912) 345-67-89":         "+79123456789",
		" 8 (912) 345-67-89\n":       "89123456789",
		"+49 30/1234567":             "+49301234567",
		"030.123.45.67":              "0301234567",
		"+1\u00a0212\u2011555–0100":  "+12125550100",
		"1234567":                    "1234567",
		"+123456789012345":           "+123456789012345",
		"+ 4 4 2 0 7 9 4 6 0 0 0 0 ": "+442079460000",
	} {
		if number, err := CheckPhone(given); err != nil || number != want {
			t.Errorf("%q: got %q, %v; want %q", given, number, err, want)
		}
	}
}

func TestCheckPhone_explainsAnInvalidNumber(t *testing.T) {
	for given, hint := range map[string]string{
		"":                       "is needed",
		"  ":                     "is needed",
		"+":                      "7 to 15 digits",
		"123456":                 "7 to 15 digits",
		"1234567890123456":       "7 to 15 digits",
		"+049301234567":          "country",
		"49+301234567":           "is digits",
		"++49301234567":          "is digits",
		"0800-SHOP-NOW":          "is digits",
		"+49 30 1234567 ext. 12": "extension",
		"1234567\x00":            "is digits",
		"123\r\n4567":            "is digits",
		"١٢٣٤٥٦٧":                "is digits",
		"1234567\xff":            "is digits",
		"name@example.com":       "is digits",
		strings.Repeat("1", 65):  "64 characters",
	} {
		number, err := CheckPhone(given)

		wantInvalid(t, given, number, err, InvalidPhone, hint)
	}
}

func wantInvalid(t *testing.T, given, got string, err error, code, hint string) {
	t.Helper()
	var f *fault.Error
	if got != "" || !errors.As(err, &f) || f.Kind != fault.Invalid || f.Code != code ||
		!strings.Contains(f.Message, hint) {
		t.Errorf("%.80q: %q, %v; want %s with %q", given, got, err, code, hint)
	}
}

func FuzzCheckEmail(f *testing.F) {
	for _, seed := range []string{
		"name@example.com", " First.Last+tag@Sub.EXAMPLE.Com\n", "shop@пример.рф", "shop@ПРИМЕР。рф",
		"shop@xn--e1afmkfd.xn--p1ai", "a@xn--a.com",
		`"a b"@example.com`, "Name <a@example.com>", "a@[127.0.0.1]", "a@1.2.3.4", "a@b.c SIZE=1",
		"a@b.c>\r\nRCPT TO:<d@e.f", "a@ß.de", "a@\u200d.com",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, given string) {
		address, err := CheckEmail(given)
		if err != nil {
			var refused *fault.Error
			if address != "" || !errors.As(err, &refused) || refused.Kind != fault.Invalid ||
				refused.Code != InvalidEmail || refused.Message == "" {
				t.Fatalf("%q is refused with %q, %v", given, address, err)
			}
			return
		}

		if again, err := CheckEmail(address); err != nil || again != address {
			t.Fatalf("%q becomes %q, which becomes %q, %v", given, address, again, err)
		}

		if len(address) > maxEmail ||
			strings.ContainsFunc(address,
				func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`<>()[]\",:;`, c) }) {
			t.Fatalf("%q becomes %q, which has special characters", given, address)
		}

		if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address || parsed.Name != "" {
			t.Fatalf("%q becomes %q, which net/mail reads as %v, %v", given, address, parsed, err)
		}
	})
}
