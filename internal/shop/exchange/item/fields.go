package item

import (
	"strings"

	"vitrine/internal/kit/wire"
)

// Limits of the unknown members that a run lists: their number, the bytes of one, and the bytes of all. Each is listed
// once, so a typo does not reach them.
const (
	maxIgnored     = 1000
	maxIgnoredPath = 200
	maxIgnoredText = 64 << 10
)

// fields reads the members of one item. It collects broken rules with their path inside the item, and unknown members
// as ignored.
type fields struct {
	*wire.Reader
	ignored *Ignored
	scratch []byte // reused memory for digests
}

// object reads an object. fn reads a member, and returns false if it does not know it.
func (f *fields) object(fn func(name string) bool) bool {
	return f.Object(func(name string) {
		if !fn(name) {
			f.ignored.Add(f.Path())
		}
	})
}

// item reads an item that must have an id. fn reads its other members, and returns false for one that it does not know.
func (f *fields) item(id *string, fn func(name string) bool) {
	named := false
	ok := f.object(func(name string) bool {
		if name != "id" {
			return fn(name)
		}
		named = true
		*id, _ = f.ExternalID()
		return true
	})
	if ok && !named {
		f.FailAt("id", "required", "An item needs the id that your system knows it by: a string or a whole number.")
	}
}

// Ignored collects the unknown members of a push, each once, without positions in lists: variants[].weigth.
type Ignored struct {
	known map[string]bool
	List  []string
	text  int // bytes of all of them
}

func (g *Ignored) Add(path string) {
	if len(g.List) >= maxIgnored || g.text >= maxIgnoredText {
		return
	}
	path = Truncate(stripPositions(path), maxIgnoredPath)
	if g.known[path] {
		return
	}
	if g.known == nil {
		g.known = map[string]bool{}
	}
	g.known[path] = true
	g.List = append(g.List, path)
	g.text += len(path)
}

// stripPositions turns variants[12].weigth into variants[].weigth.
func stripPositions(path string) string {
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

// Truncate shortens a text that is only shown to at most so many bytes and an ellipsis. It keeps it valid UTF-8.
func Truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
