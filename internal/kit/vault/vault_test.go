package vault

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// sealedV1Sample is the result of Seal("golden", "kept since version 1") with a key of 32 bytes, each of which is 7.
const sealedV1Sample = "01c6375a38a16f97335cc2214105c6b1ea53e3d025aff87ff5569eb3" +
	"b858dbeca0f39eca475b255db9d7bf33f11d870b1e"

// testVault returns a vault with a key of 32 bytes, each of which is b.
func testVault(t *testing.T, b byte) *Vault {
	t.Helper()
	v, err := ParseKey(hex.EncodeToString(bytes.Repeat([]byte{b}, KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOpen_returnsTheSealedPlaintext(t *testing.T) {
	v := testVault(t, 1)
	for _, plaintext := range [][]byte{{}, []byte("whsec_1"), bytes.Repeat([]byte("long"), 1<<18)} {
		sealed := v.Seal("webhook secret", plaintext)
		got, err := v.Open("webhook secret", sealed)
		if err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("Open after Seal of %d bytes: %d bytes, %v", len(plaintext), len(got), err)
		}
		if len(plaintext) > 0 && bytes.Contains(sealed, plaintext[:min(len(plaintext), 16)]) {
			t.Error("the sealed text contains the plaintext")
		}
	}
}

func TestSeal_usesANewNonceEachTime(t *testing.T) {
	v := testVault(t, 1)
	if bytes.Equal(v.Seal("p", []byte("x")), v.Seal("p", []byte("x"))) {
		t.Error("two seals of one text are equal")
	}
}

func TestOpen_refusesEveryChangedBit(t *testing.T) {
	v := testVault(t, 1)
	sealed := v.Seal("p", []byte("secret"))
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			if _, err := v.Open("p", changed); !errors.Is(err, ErrOpen) {
				t.Fatalf("byte %d, bit %d changed: %v, want ErrOpen", i, bit, err)
			}
		}
	}

	for n := range sealed {
		if _, err := v.Open("p", sealed[:n]); !errors.Is(err, ErrOpen) {
			t.Fatalf("cut to %d bytes: %v, want ErrOpen", n, err)
		}
	}

	if _, err := v.Open("p", append(bytes.Clone(sealed), 0)); !errors.Is(err, ErrOpen) {
		t.Errorf("one byte appended: %v, want ErrOpen", err)
	}
}

func TestOpen_refusesAnotherPurposeAndAnotherKey(t *testing.T) {
	v := testVault(t, 1)
	sealed := v.Seal("captcha secret", []byte("secret"))
	if _, err := v.Open("webhook secret", sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("another purpose: %v, want ErrOpen", err)
	}
	if _, err := testVault(t, 2).Open("captcha secret", sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("another key: %v, want ErrOpen", err)
	}
}

// Stored data outlives the program that wrote it, so this sample must stay readable.
func TestOpen_readsTheFirstVersion(t *testing.T) {
	sealed, err := hex.DecodeString(sealedV1Sample)
	if err != nil {
		t.Fatal(err)
	}
	got, err := testVault(t, 7).Open("golden", sealed)
	if err != nil || string(got) != "kept since version 1" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestKeyCheck_distinguishesKeys(t *testing.T) {
	v := testVault(t, 1)
	if !v.MatchesKeyCheck(testVault(t, 1).KeyCheck()) {
		t.Error("the same key does not match")
	}
	for _, check := range [][]byte{nil, {}, testVault(t, 2).KeyCheck(), v.KeyCheck()[:31]} {
		if v.MatchesKeyCheck(check) {
			t.Errorf("%x matches", check)
		}
	}
	if bytes.Contains(v.KeyCheck(), v.secret[:8]) {
		t.Error("the key check contains the key")
	}
}

func TestParseKey_acceptsHexAndBase64(t *testing.T) {
	// In base64 this key contains both characters that differ between the two alphabets: + and /, or - and _.
	key := bytes.Repeat([]byte{0xfb, 0xff}, KeySize/2)
	want := &Vault{secret: [KeySize]byte(key)}

	for _, text := range []string{
		hex.EncodeToString(key),
		strings.ToUpper(hex.EncodeToString(key)),
		" " + hex.EncodeToString(key) + "\r\n",
		base64.StdEncoding.EncodeToString(key),
		base64.RawStdEncoding.EncodeToString(key),
		base64.URLEncoding.EncodeToString(key),
		base64.RawURLEncoding.EncodeToString(key) + "\n",
	} {
		v, err := ParseKey(text)
		if err != nil || !v.MatchesKeyCheck(want.KeyCheck()) {
			t.Errorf("FromText(%q): %v", text, err)
		}
	}
}

func TestParseKey_refusesOtherTextWithoutRepeatingIt(t *testing.T) {
	for _, text := range []string{
		"", "short-secret", strings.Repeat("z", 64), strings.Repeat("ab", 31), strings.Repeat("ab", 33),
		base64.StdEncoding.EncodeToString(make([]byte, 31)), base64.StdEncoding.EncodeToString(make([]byte, 33)),
	} {
		_, err := ParseKey(text)
		if !errors.Is(err, ErrInvalidKey) {
			t.Errorf("FromText(%q): %v, want ErrKeyText", text, err)
		}
		if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error repeats %q", text)
		}
	}
}

func TestVault_printsNoKey(t *testing.T) {
	v := testVault(t, 'K')
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(format, v); got != "vault" {
			t.Errorf("%s prints %q", format, got)
		}
	}
}

func TestMAC_dependsOnKeyPurposeAndMessage(t *testing.T) {
	v := testVault(t, 1)
	mac := v.MAC("code", []byte("123456"))
	if len(mac) != 32 || !bytes.Equal(mac, testVault(t, 1).MAC("code", []byte("123456"))) {
		t.Errorf("the same message gives a different MAC, or one of %d bytes", len(mac))
	}
	for name, other := range map[string][]byte{
		"key": testVault(t, 2).MAC("code", []byte("123456")), "purpose": v.MAC("other", []byte("123456")),
		"message": v.MAC("code", []byte("123457")),
	} {
		if bytes.Equal(mac, other) {
			t.Errorf("a different %s gives the same MAC", name)
		}
	}
}
