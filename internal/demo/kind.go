package demo

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// kindsFile says how the products of a noun are drawn. Its first lines explain it.
//
//go:embed kinds.txt
var kindsFile string

// drawingKinds has the kinds of drawings by noun, or by section and noun.
var drawingKinds = sync.OnceValue(func() map[string]string {
	kinds := map[string]string{}
	for line := range strings.Lines(kindsFile) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		kind, nouns, ok := strings.Cut(line, ": ")
		if !ok {
			panic(fmt.Errorf("%q is no kind with its nouns", line))
		}
		for noun := range strings.SplitSeq(nouns, "; ") {
			if other, twice := kinds[noun]; twice {
				panic(fmt.Errorf("%s is drawn as %s and as %s", noun, other, kind))
			}
			kinds[noun] = kind
		}
	}

	return kinds
})

// kindOf returns the kind of drawing of a noun in a category, or "" if there is none.
func kindOf(category, noun string) string {
	kinds := drawingKinds()
	if kind, ok := kinds[category+"/"+noun]; ok {
		return kind
	}
	return kinds[noun]
}
