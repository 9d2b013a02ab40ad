package drawing

import (
	"slices"
	"testing"
)

// BenchmarkRender renders a picture of one kind after the other.
func BenchmarkRender(b *testing.B) {
	names := Kinds()
	slices.Sort(names)
	i := 0
	studio := NewStudio()
	for b.Loop() {
		if _, err := studio.render(Spec{Kind: names[i*37%len(names)], Style: i % Styles,
			View: View(i % Views)}); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
