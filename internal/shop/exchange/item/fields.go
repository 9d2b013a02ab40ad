package item

import (
	"strings"

	"vitrine/internal/kit/wire"
)

// How many unknown members a run tells, how long each may be, and all of them together. Each is told once, so more are no typos.
const (
	maxIgnored     = 1000
	maxIgnoredPath = 200
	maxIgnoredText = 64 << 10
)

// fields reads the members of one item: what breaks a rule is noted with its place inside the item, a member that nobody knows as ignored.
type fields struct {
	*wire.Reader
	ignored *Ignored
	scratch []byte // for whoever needs some memory while reading
}

// object reads an object; fn returns false for a member that it does not know.
func (f *fields) object(fn func(name string) bool) bool {
	return f.Object(func(name string) {
		if !fn(name) {
			f.ignored.Add(f.Path())
		}
	})
}

// item reads an item that has an id, which it must; fn reads its other members, and returns false for one that it does not know.
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

// Ignored are the members of a run's items that nobody here knows, each once, without the positions in lists: variants[].weigth.
type Ignored struct {
	known map[string]bool
	List  []string
	text  int // how long they are together
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

// Truncate shortens a text that is only shown.
func Truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
