package item

import (
	"strings"

	"vitrine/internal/kit/wire"
)

// These are the limits of the unknown members of a run: the number of entries, the bytes of one entry, and the bytes of
// all. Each member is listed only once, so a client with a few typos does not reach them.
const (
	maxIgnored     = 1000
	maxIgnoredPath = 200
	maxIgnoredText = 64 << 10
)

// itemReader reads the members of one item. The embedded Reader collects the validation errors of the item, and the
// field ignored collects its unknown members.
type itemReader struct {
	*wire.Reader
	ignored *Ignored
	scratch []byte // reused memory for digests
	// id and subject are the ID and the Subject of the item.
	id, subject string
}

// object reads an object and reports whether it found one. fn reads a member; it returns false for an unknown one.
func (f *itemReader) object(fn func(name string) bool) bool {
	return f.Object(func(name string) {
		if !fn(name) {
			f.ignored.Add(f.Path())
		}
	})
}

// pushedOrNil returns a pointer to a value that was read, or nil if reading it failed.
func pushedOrNil[T any](value T, ok bool) *T {
	if !ok {
		return nil
	}
	return &value
}

// require reports a validation error if an object was read but lacks the member called name. The parameter read says
// whether an object was read, the parameter present whether it had the member.
func (f *itemReader) require(read, present bool, name, message string, args ...any) {
	if read && !present {
		f.FailAt(name, "required", message, args...)
	}
}

// item reads an item that is identified by its id. fn reads the other members, and returns false for an unknown one.
func (f *itemReader) item(id *string, fn func(name string) bool) {
	named := false
	ok := f.object(func(name string) bool {
		if name != "id" {
			return fn(name)
		}
		named = true
		*id, _ = f.ExternalID()
		return true
	})
	f.require(ok, named, "id", "An item needs the id that your system knows it by: a string or a whole number.")
	f.id, f.subject = *id, *id
}

// Ignored collects the paths of a push's unknown members, each once, without list positions: variants[].weigth.
type Ignored struct {
	listed map[string]bool
	List   []string
	bytes  int // bytes of all of them
}

// Add adds the path of an unknown member, unless it is listed already or a limit is reached.
func (g *Ignored) Add(path string) {
	if len(g.List) >= maxIgnored || g.bytes >= maxIgnoredText {
		return
	}
	path = Truncate(stripPositions(path), maxIgnoredPath)
	if g.listed[path] {
		return
	}
	if g.listed == nil {
		g.listed = map[string]bool{}
	}
	g.listed[path] = true
	g.List = append(g.List, path)
	g.bytes += len(path)
}

// stripPositions removes the positions in lists from a path: variants[12].weigth becomes variants[].weigth.
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

// Truncate shortens a text for display to at most limit bytes, followed by an ellipsis. The result is valid UTF-8.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
