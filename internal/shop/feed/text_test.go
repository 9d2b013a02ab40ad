package feed

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Most texts are one line already, and are not rewritten: the result is the same as if they were.
func TestOneLine_isTheSameForTextsThatAreOneLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		characters := rapid.RuneFrom([]rune("a я&😀 \t\n\u00a0\u0085\u2028\ufeff\u3000\x00\x7f"))
		text := rapid.StringOfN(characters, 0, 12, -1).Draw(t, "text")
		want := strings.Join(strings.Fields(strings.Map(xmlCharacter, text)), " ")
		if got := oneLine(text, 100); got != want {
			t.Fatalf("%q became %q, want %q", text, got, want)
		}
		if got := oneLine(text, 5); len([]rune(got)) > 5 || !strings.HasPrefix(want, got) {
			t.Fatalf("%q cut to 5 is %q", text, got)
		}
	})
}
