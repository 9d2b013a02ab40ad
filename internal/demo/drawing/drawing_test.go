package drawing_test

import (
	"image"
	"slices"
	"testing"

	"vitrine/internal/demo/drawing"
)

// Each kind is drawn.
func TestDraw_drawsEachKind(t *testing.T) {
	studio := drawing.NewStudio()
	for i, kind := range slices.Sorted(slices.Values(drawing.Kinds())) {
		img := studio.Draw(drawing.Spec{Kind: kind, Style: i % drawing.Styles, Colour: "Red", Label: "Tea"}, 96)
		if n := darkOrColoured(img); n < 150 {
			t.Errorf("%s: only %d pixels of 9216 are drawn", kind, n)
		}
	}
}

// A picture shows the colour: the same product in red and in blue differs, and so do its styles and views.
func TestDraw_dependsOnTheSpec(t *testing.T) {
	studio := drawing.NewStudio()
	base := drawing.Spec{Kind: "sneaker", Colour: "Red"}
	first := studio.Draw(base, 96)
	for name, change := range map[string]func(*drawing.Spec){
		"colour": func(s *drawing.Spec) { s.Colour = "Blue" },
		"style":  func(s *drawing.Spec) { s.Style = 1 },
		"view":   func(s *drawing.Spec) { s.View = drawing.Detail },
		"scene":  func(s *drawing.Spec) { s.View = drawing.Scene },
	} {
		other := base
		change(&other)
		if differing(first, studio.Draw(other, 96)) < 200 {
			t.Errorf("another %s makes no difference", name)
		}
	}

	if differing(first, studio.Draw(base, 96)) != 0 {
		t.Error("the same picture differs")
	}
}

func differing(a, b *image.RGBA) (n int) {
	for i := 0; i < len(a.Pix); i += 4 {
		if a.Pix[i] != b.Pix[i] || a.Pix[i+1] != b.Pix[i+1] || a.Pix[i+2] != b.Pix[i+2] {
			n++
		}
	}
	return n
}

// darkOrColoured counts the pixels that the backdrop of the studio, a light grey, cannot have.
func darkOrColoured(img *image.RGBA) (n int) {
	for i := 0; i < len(img.Pix); i += 4 {
		p := img.Pix[i : i+3]
		if min(p[0], p[1], p[2]) < 196 || max(p[0], p[1], p[2])-min(p[0], p[1], p[2]) > 12 {
			n++
		}
	}
	return n
}
