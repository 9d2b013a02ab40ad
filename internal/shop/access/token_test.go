package access

import (
	"errors"
	"strings"
	"testing"
)

func TestNewToken_encodesPrefixBitsAndChecksum(t *testing.T) {
	var low, high [32]byte
	for i := range high {
		high[i] = 0xff
	}

	// These tokens were computed by another program. Existing tokens must stay valid.
	for want, got := range map[string]string{
		"pk_00000000000000000000000000000000000000000001ZQvsb": encodeToken(PublishableKey, low),
		"xt_YHJSKWDa6oz1al1yMhwzwM8llg7hJNUca2J5RoW8xP1230S3N": encodeToken(ExchangeToken, high),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}

	for _, k := range tokenKinds() {
		token := NewToken(k)
		if got, err := ParseToken(token); got != k || err != nil {
			t.Errorf("ParseToken of a %s token: %s, %v", k, got, err)
		}
		if h := tokenHint(token); len(h) != 7 || !strings.HasPrefix(token, h[:3]) || !strings.HasSuffix(token, h[3:]) {
			t.Errorf("hint %s of %s", h, token)
		}
	}
}

func TestParseToken_refusesEverySingleTypo(t *testing.T) {
	token := NewToken(SecretKey)
	for i := range token {
		for c := range byte(0x80) {
			changed := token[:i] + string(rune(c)) + token[i+1:]
			if changed == token {
				continue
			}
			if _, err := ParseToken(changed); !errors.Is(err, ErrToken) {
				t.Fatalf("character %d as %q: %v, want ErrToken", i, c, err)
			}
		}
	}

	for i := range len(token) - 1 {
		swapped := token[:i] + token[i+1:i+2] + token[i:i+1] + token[i+2:]
		if _, err := ParseToken(swapped); swapped != token && !errors.Is(err, ErrToken) {
			t.Errorf("characters %d and %d swapped: %v, want ErrToken", i, i+1, err)
		}
	}
}

func TestParseToken_refusesMalformedTokens(t *testing.T) {
	token := NewToken(SecretKey)
	for _, text := range []string{
		"", "sk_", "sk_live", token[:51], token + "0", " " + token, token + "\n", strings.ToUpper(token),
		"Bearer " + token,
		"zz_" + token[3:46] + tokenChecksum("zz_"+token[3:46]), // valid checksum, unknown prefix
		"sk-" + token[3:46] + tokenChecksum("sk-"+token[3:46]),
	} {
		if _, err := ParseToken(text); !errors.Is(err, ErrToken) {
			t.Errorf("%q: %v, want ErrToken", text, err)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	for _, k := range tokenKinds() {
		f.Add(encodeToken(k, [32]byte{1, 2, 3}))
	}

	f.Add("")
	f.Add("pk_" + strings.Repeat("é", 24) + "0")

	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseToken(text)
		if err != nil {
			if k != "" || !errors.Is(err, ErrToken) {
				t.Errorf("%q: kind %q with %v", text, k, err)
			}
			return
		}

		if len(text) != tokenLen || text[:prefixLen] != k.prefix() ||
			text[tokenLen-checksumLen:] != tokenChecksum(text[:tokenLen-checksumLen]) {
			t.Errorf("%q passed as %s", text, k)
		}
	})
}

func BenchmarkParseToken(b *testing.B) {
	token := encodeToken(SecretKey, [32]byte{1})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseToken(token); err != nil {
			b.Fatal(err)
		}
	}
}
