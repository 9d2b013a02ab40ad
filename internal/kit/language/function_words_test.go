package language_test

import (
	"testing"

	"vitrine/internal/kit/language"
)

func TestIsFunctionWord(t *testing.T) {
	for word, want := range map[string]bool{
		"для": true, "with": true, "fur": true, "чехол": false, "": false, "15": false,
	} {
		if got := language.IsFunctionWord(word); got != want {
			t.Errorf("IsFunctionWord(%q) = %t", word, got)
		}
	}
}
