package wire_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
)

// readMember calls read for the member of the document {"m": value}.
func readMember[T any](value string, read func(*wire.Reader) (T, bool)) (got T, err error) {
	r := wire.NewReader(strings.NewReader(`{"m": ` + value + `}`))
	err = r.Document(func(string) { got, _ = read(r) })
	return got, err
}

func TestID_isAUUID(t *testing.T) {
	want := id.New[entity]()
	for _, text := range []string{want.String(), strings.ToUpper(want.String())} {
		if got, err := readMember(`"`+text+`"`, wire.ID[entity]); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "x", "{" + want.String() + "}", "urn:uuid:" + want.String(),
		strings.ReplaceAll(want.String(), "-", ""), want.String() + " ",
	} {
		if _, err := readMember(`"`+text+`"`, wire.ID[entity]); !slices.Equal(
			brokenRules(t, err), []string{"m invalid_id"}) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseFixed(t *testing.T) {
	long := strings.Repeat("0", 2000)

	for _, c := range []struct {
		text string
		want int64
		good bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"-0.0000", 0, true}, {"1", 10000, true}, {"-1", -10000, true},
		{"10.50", 105000, true},
		{"0.0001", 1, true}, {"-0.0001", -1, true}, {"0.00010", 1, true}, {"0.00001", 0, false}, {"1.00001", 0, false},
		{"999999999999.9999", 9999999999999999, true}, {"-999999999999.9999", -9999999999999999, true},
		{"1000000000000", 0, false}, {"1e12", 0, false}, {"1e11", 1000000000000000, true}, {"1E+2", 1000000, true},
		{"12.5e-3", 125, true},
		{"1e-4", 1, true}, {"1e-5", 0, false}, {"10e-5", 1, true}, {"0.1e1", 10000, true}, {"123456e-6", 0, false},
		{"0e5", 0, true}, {"0e99999999999999999999", 0, true}, {"0.000e-99999999999999999999", 0, true},
		{"1e99999999999999999999", 0, false}, {"1e-99999999999999999999", 0, false}, {"1e00000000001", 100000, true},
		{"1" + long + "e-2000", 10000, true}, {"0." + long + "1e2001", 10000, true}, {"1." + long, 10000, true},
		{"0." + long + "1", 0, false}, {"1" + long, 0, false},
	} {
		got, err := wire.ParseFixed(c.text, 4, 12)
		if (err == nil) != c.good || got != c.want {
			t.Errorf("ParseFixed(%.40s) = %d, %v, want %d, %v", c.text, got, err, c.want, c.good)
		}
	}
}

// numberText generates JSON numbers, many of them near a limit.
var numberText = rapid.OneOf(
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE][-+]?[0-9]{1,3})?`),
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,12})(\.[0-9]{1,6}0{0,3})?`),
	rapid.StringMatching(`-?[1-9][0-9]{0,6}0{0,6}[eE]-?[0-9]`),
)

// exactFixed is a model of ParseFixed that calculates with math/big.
func exactFixed(text string, decimals, digits int) (*big.Int, bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	if new(big.Rat).Abs(r).Cmp(limit) >= 0 {
		return nil, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
	return r.Num(), r.IsInt()
}

func TestParseFixed_isExactOrRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decimals := rapid.IntRange(0, 6).Draw(t, "decimals")
		digits := rapid.IntRange(0, 12).Draw(t, "digits")
		for _, text := range rapid.SliceOfN(numberText, 20, 20).Draw(t, "numbers") {
			want, good := exactFixed(text, decimals, digits)
			got, err := wire.ParseFixed(text, decimals, digits)
			if (err == nil) != good || good && want.Cmp(big.NewInt(got)) != 0 {
				t.Fatalf("ParseFixed(%s, %d, %d) = %d, %v, want %v, %v", text, decimals, digits, got, err, want, good)
			}
		}
	})
}

func TestAppendFixed_isExactAndShort(t *testing.T) {
	check := func(t interface {
		Fatalf(string, ...any)
	}, v int64, decimals int) {
		text := string(wire.AppendFixed([]byte("x"), v, decimals))[1:]
		want, _ := new(big.Rat).SetString(fmt.Sprintf("%de-%d", v, decimals))
		got, ok := new(big.Rat).SetString(text)
		if !ok || got.Cmp(want) != 0 || !json.Valid([]byte(text)) {
			t.Fatalf("AppendFixed(%d, %d) = %s", v, decimals, text)
		}
		if strings.Contains(text, ".") && strings.HasSuffix(text, "0") || strings.HasSuffix(text, ".") {
			t.Fatalf("AppendFixed(%d, %d) = %s has needless zeros", v, decimals, text)
		}

		if v > -1e18 && v < 1e18 {
			if back, err := wire.ParseFixed(text, decimals, 18-decimals); err != nil || back != v {
				t.Fatalf("%d with %d decimals is written %s and read %d, %v", v, decimals, text, back, err)
			}
		}
	}
	for _, v := range []int64{0, 1, -1, 10, 105000, math.MaxInt64, math.MinInt64, 1e18 - 1, -1e18 + 1} {
		for decimals := range 10 {
			check(t, v, decimals)
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Int64().Draw(t, "units"), rapid.IntRange(0, 9).Draw(t, "decimals"))
	})
}

func TestFixed_readsWhatAppendFixedWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(-9999999999999999, 9999999999999999).Draw(t, "units")
		got, err := readMember(string(wire.AppendFixed(nil, v, 4)),
			func(r *wire.Reader) (int64, bool) { return r.Fixed(4, 12) })
		if err != nil || got != v {
			t.Fatalf("%d: %d, %v", v, got, err)
		}
	})
}

func TestAppendString_writesValidJSON(t *testing.T) {
	check := func(t interface {
		Fatalf(string, ...any)
	}, s string) {
		text := wire.AppendString([]byte("x"), s)[1:]
		var got string
		if err := json.Unmarshal(text, &got); err != nil || got != s {
			t.Fatalf("%q is written %s and read %q by encoding/json, %v", s, text, got, err)
		}

		raw, err := readMember(string(text), (*wire.Reader).Raw)
		if err != nil || string(raw) != string(text) {
			t.Fatalf("%q is written %s and read %s by us, %v", s, text, raw, err)
		}

		if !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' }) {
			if got, err := readMember(string(text), (*wire.Reader).String); err != nil || got != s {
				t.Fatalf("%q is written %s and read %q by us, %v", s, text, got, err)
			}
		}
	}
	for c := range rune(0x100) {
		check(t, "a"+string(c))
		check(t, string(c)+"a")
	}

	for _, s := range []string{"", `\`, `"`, `\"\`, "</script>", "\u2028", "💡", "\ufffd", "\ufeff"} {
		check(t, s)
	}

	rapid.Check(t, func(t *rapid.T) { check(t, rapid.String().Draw(t, "string")) })

	// Invalid UTF-8 is replaced.
	if text := wire.AppendString(nil, "a\xffb"); !utf8.Valid(text) || !json.Valid(text) {
		t.Errorf("invalid UTF-8 is written %q", text)
	}
}

func TestAppendJSON_writesTextsAsAppendStringDoes(t *testing.T) {
	for _, s := range []string{"", "имя", "\x00\n\"\\/<&>\u2028", "\xff\xc3x"} {
		want := string(wire.AppendString([]byte("before "), s))
		if got := string(wire.AppendJSON([]byte("before "), s)); got != want {
			t.Errorf("%q becomes %s, want %s", s, got, want)
		}
	}
}
