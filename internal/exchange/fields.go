package exchange

import (
	"crypto/sha256"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/catalog"
	"vitrine/internal/wire"
)

// maxIgnored is how many unknown members a run tells; each is told once, so more are no typos.
const maxIgnored = 1000

// fields reads the members of one item: what breaks a rule is noted with its place inside the item, a member that nobody knows as ignored.
type fields struct {
	*wire.Reader
	ignored *ignored
}

// object reads an object; fn returns false for a member that it does not know.
func (f *fields) object(fn func(name string) bool) bool {
	return f.Object(func(name string) {
		if !fn(name) {
			f.ignored.add(f.Path())
		}
	})
}

// ignored are the members of a run's items that nobody here knows, each once, without the positions in lists: variants[].weigth.
type ignored struct {
	known map[string]bool
	list  []string
}

func (g *ignored) add(path string) {
	if len(g.list) >= maxIgnored {
		return
	}
	path = withoutPositions(path)
	if g.known[path] {
		return
	}
	if g.known == nil {
		g.known = map[string]bool{}
	}
	g.known[path] = true
	g.list = append(g.list, path)
}

// withoutPositions turns variants[12].weigth into variants[].weigth.
func withoutPositions(path string) string {
	if strings.IndexByte(path, '[') < 0 {
		return path
	}
	var b strings.Builder
	inside := false
	for _, c := range []byte(path) {
		switch {
		case c == '[':
			inside = true
			b.WriteString("[]")
		case c == ']':
			inside = false
		case !inside:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// readingOf tells digests of this reading of items from those of an earlier one that knew fewer members.
const readingOf = "1"

// digest is that of what an item says, however it was written: its own Digest must be empty still.
func digest(item any) catalog.Digest {
	b, err := json.Marshal(item, json.Deterministic(true))
	if err != nil {
		// Items are made of texts and numbers that came out of JSON.
		panic("exchange: an item has no digest: " + err.Error())
	}
	sum := sha256.Sum256(append(b, readingOf...))
	return catalog.Digest(sum[:16])
}
