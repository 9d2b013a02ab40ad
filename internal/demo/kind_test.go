package demo

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/demo/drawing"
)

// Each noun that a section sells, in both languages, has a drawing of its own or of its family.
func TestKindOf_hasADrawingForEachNoun(t *testing.T) {
	known := drawing.Kinds()
	check := func(section, noun string) {
		t.Helper()
		if kind := kindOf(section, noun); !slices.Contains(known, kind) {
			t.Errorf("%s/%s: there is no drawing %q", section, noun, kind)
		}
	}

	for _, d := range allDepartments() {
		for _, sub := range d.subdepartments {
			for _, s := range sub.sections {
				for _, noun := range slices.Concat(words(s.nouns), words(s.cyrillicNouns)) {
					check(s.name, noun)
				}
			}
		}
	}

	for _, d := range parseRussianDepartments() {
		for _, s := range d.sections {
			for _, noun := range parseNouns(s.list("nouns")) {
				check(s.name, noun.text)
			}
		}
	}
}

// The colours of both catalogues are known to the drawings.
func TestColours_areKnownToDrawings(t *testing.T) {
	known := drawing.ColourNames()
	for _, g := range []*Generator{NewGenerator(1), NewGeneratorIn(Russian, 1)} {
		for _, a := range slices.Concat(g.Features(), g.Options()) {
			if a.Name != g.colour {
				continue
			}
			for _, v := range a.Values {
				if !slices.Contains(known, strings.ToLower(v)) {
					t.Errorf("the colour %q has no value", v)
				}
			}
		}
	}
}
