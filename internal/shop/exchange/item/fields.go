package item

import (
	"strconv"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/rule"
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
	index   int64  // of the item in the push
	// id and subject are the ID and the Subject of the item.
	id, subject string
	// name is the Name of the item.
	name     string
	version  *int64 // the Version of the item
	warnings []fault.Field
	members  int // known members of the item besides its id
	meta     Meta
	mapped   bool   // the item was mapped from another format
	raw      []byte // the item
}

// object reads an object and reports whether it found one. fn reads a member; it returns false for an unknown one.
func (f *itemReader) object(fn func(name string) bool) bool {
	return f.Object(func(name string) {
		if !fn(name) {
			f.ignored.Add(f.Path(), f.index)
		}
	})
}

// require reports a validation error if an object was read but lacks the member called name. The parameter read says
// whether an object was read, the parameter present whether it had the member.
func (f *itemReader) require(read, present bool, name, message string, args ...any) {
	if read && !present {
		f.FailAt(name, "required", message, args...)
	}
}

// item reads an item that is identified by its id and may have a version. fn reads the other members, and returns false
// for an unknown one.
func (f *itemReader) item(id *string, version **int64, fn func(name string) bool) {
	named := false

	ok := f.object(func(name string) bool {
		switch name {
		case "id":
			named = true
			*id, _ = rule.ReadExternalID(f.Reader)
		case "version":
			*version = f.readVersion()
		default:
			known := fn(name)
			if known {
				f.members++
			}
			return known
		}

		return true
	})

	f.require(ok, named, "id", "An item needs the id that your system knows it by: a string or a whole number.")
	f.id, f.subject, f.version = *id, *id, *version
}

// readMark reads the member archived or deleted. A deletion takes precedence.
func (f *itemReader) readMark(mark *catalog.Mark, name string) {
	if f.Null() {
		return
	}
	if set, _ := f.Bool(); set && *mark != catalog.DeletedMark {
		*mark = catalog.Mark(name)
	}
}

// warnOfMarked adds a warning if an item with a mark has other members, since these are not used.
func (f *itemReader) warnOfMarked(mark catalog.Mark) {
	if mark != "" && f.members > 1 {
		f.warnings = append(f.warnings, fault.NewField(string(mark), "unused_members",
			"The other members are not used, since %s is true. Leave it out to apply them.", mark))
	}
}

// readVersion reads an integer of at most 64 bits, so that a time in nanoseconds fits. null stands for no version.
func (f *itemReader) readVersion() *int64 {
	if f.Null() {
		return nil
	}

	text, ok := f.Number()
	if !ok {
		return nil
	}

	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return &n
	}

	n, broken := wire.ParseFixed(text, 0, maxVersionDigits) // 5.0 or 1e3
	if broken != nil {
		f.Failf("out_of_range", "A version is a whole number of at most 64 bits; this is %s.", Truncate(text, 40))
		return nil
	}

	return &n
}

// maxVersionDigits limits a version that is written with a point or an exponent.
const maxVersionDigits = 18

// IgnoredField is an unknown member of a push.
type IgnoredField struct {
	Field      string  `json:"field" doc:"The path of the member, without positions in lists." example:"variants[].weigth"`
	Count      int64   `json:"count" doc:"How many items have it."`
	FirstIndex *int64  `json:"first_index" doc:"The first item that has it, from 0; null if it is beside the payload."`
	DidYouMean *string `json:"did_you_mean" doc:"The known member that was probably meant; null if none is similar."`
}

// Ignored collects the unknown members of a push, each path once, without list positions: variants[].weigth. Of a table
// it also has the layout.
type Ignored struct {
	List []IgnoredField
	// Layout says how the table is written, if what was pushed is one.
	Layout table.Layout
	// Mapping says what the columns of the table are; nil if they have our names.
	Mapping *table.Mapping
	// known are the paths of the known members.
	known  []string
	listed map[string]ignoredEntry
	bytes  int // bytes of all paths
}

type ignoredEntry struct {
	position int   // in List
	last     int64 // index of the last item that was counted
}

// besidePayload is the index of a member that belongs to no item.
const besidePayload = -1

// Add counts an unknown member of the item with the given index. A member that is not listed yet is dropped if a limit
// is reached.
func (g *Ignored) Add(path string, index int64) {
	path = Truncate(StripPositions(path), maxIgnoredPath)
	entry, listed := g.listed[path]
	switch {
	case listed && entry.last == index:
		return
	case listed:
		g.List[entry.position].Count++
	case len(g.List) >= maxIgnored || g.bytes >= maxIgnoredText:
		return
	default:
		entry.position = len(g.List)
		g.List = append(g.List, g.newField(path, index))
		g.bytes += len(path)
	}

	if g.listed == nil {
		g.listed = map[string]ignoredEntry{}
	}

	entry.last = index
	g.listed[path] = entry
}

func (g *Ignored) newField(path string, index int64) IgnoredField {
	if index == besidePayload {
		return IgnoredField{Field: path, Count: 1, DidYouMean: suggestMember(path, []string{"payload"})}
	}
	return IgnoredField{Field: path, Count: 1, FirstIndex: &index, DidYouMean: suggestMember(path, g.known)}
}

// AddColumn adds a column of a table that the entity does not have.
func (g *Ignored) AddColumn(c table.IgnoredColumn) {
	path := Truncate("column "+c.Name, maxIgnoredPath)
	if len(g.List) < maxIgnored && g.bytes < maxIgnoredText {
		g.List = append(g.List, IgnoredField{Field: path, Count: 1, DidYouMean: c.DidYouMean})
		g.bytes += len(path)
	}
}

// Fields returns the paths of the unknown members.
func (g *Ignored) Fields() []string {
	fields := make([]string, len(g.List))
	for i, f := range g.List {
		fields[i] = f.Field
	}
	return fields
}

// StripPositions removes the positions in lists from a path: variants[12].weigth becomes variants[].weigth.
func StripPositions(path string) string {
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

// Locate returns the column and the line of a member of a table's item; the member and 0 if the item is from no table.
func (it *Item) Locate(member string) (field string, line int64) {
	switch {
	case it.UnreadableLine != 0:
		return member, it.UnreadableLine
	case it.Place != nil:
		return it.Place.Locate(it.Raw, member)
	}
	return member, 0
}

// setName sets the name of the item from a name and an article; either may be missing.
func (f *itemReader) setName(name *string, article string) {
	if name != nil {
		f.name = catalog.Label(*name, article)
	}
}
