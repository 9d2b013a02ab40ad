package commerceml

import (
	"testing"

	"pgregory.net/rapid"
)

// Plain numbers are formatted as all numbers are.
func TestPlainDecimal_isWhatFormatDecimalReturns(t *testing.T) {
	plain := 0

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{0,17}([.,] ?[0-9]{0,5})?`).Draw(t, "text")
		got, ok := plainDecimal(text, 4)
		if !ok {
			return
		}

		plain++
		n, isNumber := parseDecimal(text)
		if !isNumber || got != formatDecimal(n, 4) {
			t.Fatalf("plainDecimal(%q) is %q, parseDecimal %v", text, got, n)
		}
	})

	if plain == 0 {
		t.Error("no number was plain")
	}
}
