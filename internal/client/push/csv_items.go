package pushclient

import (
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// idsRemembered is of how many items it is known that they were there, to find lines of one item that stand apart. The gate would take
// the second for all of it.
const idsRemembered = 1 << 20

// csvItems reads the items of a table. Lines with the same id, one after the other, are one item if the table has parts. A line that
// cannot be read costs the whole item: without one of its variants a product would be another. So does a line without an id, which may
// be of the item before.
type csvItems struct {
	entity string
	sheet  sheet
	header header
	in     records
	ahead  *record // read, and not of the item before
	err    error   // what came after it
	seed   maphash.Seed
	seen   map[uint64]struct{}
	buf    []byte
}

func newCSVItems(in *bufio.Reader, entity string) (*csvItems, error) {
	c := &csvItems{entity: entity, sheet: sheetOf(entity), in: records{in: in, sep: ','}, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}}
	if head, _ := in.Peek(headBytes); len(head) > 0 {
		first, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
		c.in.sep = separatorOf(first)
	}
	first, err := c.in.next()
	if errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "missing_column", "The file is empty; the first line of a table names its columns. Known for %s are %s.", entity, c.sheet.known())
	}
	if err != nil {
		return nil, err
	}
	if first.problem != "" {
		return nil, fault.New(fault.Malformed, "broken_file", "The line of column names cannot be read: %s.", first.problem)
	}
	c.in.width = len(first.cells)
	c.header, err = readHeader(first.cells, c.sheet, entity)
	return c, err
}

func (c *csvItems) ignored() []string { return c.header.ignored }

func (c *csvItems) next() (item, error) {
	first, err := c.read()
	if err != nil {
		return item{}, err
	}
	g := group{csvItems: c, id: c.id(first), line: first.line}
	g.add(first)
	for c.header.parts && g.id != "" {
		more, err := c.read()
		if err != nil {
			c.err = err
			break
		}
		if id := c.id(more); id != g.id && id != "" {
			c.ahead = &more
			break
		}
		g.add(more)
		if len(g.parts) > maxItem {
			return item{}, tooLong("What begins at line %d", g.line)
		}
	}
	if c.header.parts && c.known(g.id) {
		g.fail(g.line, c.sheet.own[0].name, "the lines of %s stand apart; put all lines of one id together", g.id)
	}
	return g.item(), nil
}

func (c *csvItems) read() (record, error) {
	if c.ahead != nil {
		rec := *c.ahead
		c.ahead = nil
		return rec, nil
	}
	if c.err != nil {
		return record{}, c.err
	}
	return c.in.next()
}

// id is the cell that names the item of a line.
func (c *csvItems) id(rec record) string {
	if at := c.header.id; at < len(rec.cells) {
		return strings.Trim(strings.TrimSpace(rec.cells[at]), `"`)
	}
	return ""
}

// known reports whether an item of that id was read before, and remembers it.
func (c *csvItems) known(id string) bool {
	key := maphash.String(c.seed, id)
	if _, ok := c.seen[key]; ok {
		return true
	}
	if len(c.seen) < idsRemembered && id != "" {
		c.seen[key] = struct{}{}
	}
	return false
}

// group is the lines of one item.
type group struct {
	*csvItems
	id    string
	line  int64
	own   []string // by the header's own columns, what the first line that says something says
	parts []byte   // the elements of the list, with commas between
	texts []string // the lines as they stand in the file
	split bool     // some line could not be taken apart
	issue *Issue   // the first that is wrong
}

// fail notes what is wrong with a line.
func (g *group) fail(line int64, field, message string, args ...any) {
	if g.issue == nil {
		g.issue = &Issue{Line: line, ID: quote(nil, g.id), Field: field, Code: "unreadable_line", Message: fmt.Sprintf(message, args...) + "."}
	}
}

// add takes one more line.
func (g *group) add(rec record) {
	g.texts = append(g.texts, rec.text)
	if rec.problem == "" && len(rec.cells) != g.header.width {
		rec.problem = fmt.Sprintf("it has %d cells, and the first line %d", len(rec.cells), g.header.width)
	}
	if rec.problem != "" {
		g.split = true
		g.fail(rec.line, "", "%s", rec.problem)
		return
	}
	if g.csvItems.id(rec) == "" {
		g.fail(rec.line, g.sheet.own[0].name, "%s is empty", g.sheet.own[0].name)
	}
	g.addOwn(rec)
	if g.header.parts {
		g.addPart(rec)
	}
}

// addOwn takes the cells of the item itself: they stand in one of its lines, or are the same in all.
func (g *group) addOwn(rec record) {
	own := g.header.own
	if g.header.single {
		own = slices.Concat(own, g.header.part)
	}
	if g.own == nil {
		g.own = make([]string, len(own))
	}
	for i, u := range own {
		cell := strings.TrimSpace(rec.cells[u.at])
		switch {
		case cell == "" || cell == g.own[i]:
		case g.own[i] == "":
			g.own[i] = cell
		default:
			g.fail(rec.line, g.header.names[u.at], "%s is not what another line of %s says", g.header.names[u.at], g.id)
		}
	}
}

// addPart takes the cells of a part. A line in which all of them are empty has none.
func (g *group) addPart(rec record) {
	cells := make([]string, len(g.header.part))
	empty, named := true, false
	for i, u := range g.header.part {
		cells[i] = strings.TrimSpace(rec.cells[u.at])
		empty = empty && cells[i] == ""
		named = named || u.name == g.sheet.part[0].name && cells[i] != ""
	}
	if empty {
		return
	}
	if !named {
		g.fail(rec.line, g.sheet.part[0].name, "%s is empty", g.sheet.part[0].name)
	}
	if g.parts != nil {
		g.parts = append(g.parts, ',')
	}
	o := newObject(g.parts)
	g.members(o, rec.line, "", g.header.part, cells)
	g.parts = o.end()
}

// item makes the item, or what is said of one that cannot be sent.
func (g *group) item() item {
	if g.split {
		return item{line: g.line, unreadable: &unreadable{*g.issue, g.asLines()}}
	}
	o := newObject(g.buf[:0])
	own := len(g.header.own)
	g.members(o, g.line, "", g.header.own, g.own[:own])
	if g.header.single {
		o.member("single_variant")
		o.buf = append(o.buf, "true"...)
		g.members(o, g.line, g.sheet.single, g.header.part, g.own[own:])
	}
	if g.parts != nil {
		o.member(g.sheet.list)
		o.buf = append(append(append(o.buf, '['), g.parts...), ']')
	}
	g.buf = o.end()
	if g.issue != nil {
		return item{line: g.line, unreadable: &unreadable{*g.issue, slices.Clone(g.buf)}}
	}
	return item{body: g.buf, line: g.line}
}

// asLines is how lines that make no item are kept with the rejects. It has no id, so the gate refuses it until somebody has made an
// item of it.
func (g *group) asLines() []byte {
	o := newObject(nil)
	o.text("error", fmt.Sprintf("Line %d: %s", g.issue.Line, g.issue.Message))
	o.member("csv")
	o.buf = append(o.buf, '[')
	for i, text := range g.texts {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = quote(o.buf, text)
	}
	o.buf = append(o.buf, ']')
	return o.end()
}
