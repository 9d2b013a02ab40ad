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

// maxSeenIDs is of how many items it is known that they were there, to find lines of one item that stand apart. The gate would take
// the second for all of it.
const maxSeenIDs = 1 << 20

// csvReader reads the items of a table. Lines with the same id, one after the other, are one item if the table has parts. A line that
// cannot be read costs the whole item: without one of its variants a product would be another. So does a line without an id, which may
// be of the item before.
type csvReader struct {
	entity     string
	schema     tableSchema
	header     tableHeader
	records    recordReader
	pending    *record // read, and not of the item before
	pendingErr error   // what came after it
	seed       maphash.Seed
	seenIDs    map[uint64]struct{}
	buf        []byte
}

func newCSVReader(in *bufio.Reader, entity string) (*csvReader, error) {
	c := &csvReader{entity: entity, schema: schemaOf(entity), records: recordReader{in: in, sep: ','}, seed: maphash.MakeSeed(), seenIDs: map[uint64]struct{}{}}
	if head, _ := in.Peek(headBytes); len(head) > 0 {
		first, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
		c.records.sep = detectSeparator(first)
	}
	first, err := c.records.next()
	if errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "missing_column", "The file is empty; the first line of a table names its columns. Known for %s are %s.", entity, c.schema.columnNames())
	}
	if err != nil {
		return nil, err
	}
	if first.problem != "" {
		return nil, fault.New(fault.Malformed, "broken_file", "The line of column names cannot be read: %s.", first.problem)
	}
	c.records.expectedCells = len(first.cells)
	c.header, err = parseHeader(first.cells, c.schema, entity)
	return c, err
}

func (c *csvReader) ignored() []string { return c.header.ignored }

func (c *csvReader) next() (item, error) {
	first, err := c.readRecord()
	if err != nil {
		return item{}, err
	}
	g := recordGroup{csvReader: c, id: c.itemID(first), line: first.line}
	g.add(first)
	for c.header.grouped && g.id != "" {
		rec, err := c.readRecord()
		if err != nil {
			c.pendingErr = err
			break
		}
		if id := c.itemID(rec); id != g.id && id != "" {
			c.pending = &rec
			break
		}
		g.add(rec)
		if len(g.partsJSON) > maxItemBytes {
			return item{}, itemTooLong("What begins at line %d", g.line)
		}
	}
	if c.header.grouped && c.seenBefore(g.id) {
		g.fail(g.line, c.schema.itemColumns[0].name, "the lines of %s stand apart; put all lines of one id together", g.id)
	}
	return g.buildItem(), nil
}

func (c *csvReader) readRecord() (record, error) {
	if c.pending != nil {
		rec := *c.pending
		c.pending = nil
		return rec, nil
	}
	if c.pendingErr != nil {
		return record{}, c.pendingErr
	}
	return c.records.next()
}

// itemID is the cell that names the item of a line.
func (c *csvReader) itemID(rec record) string {
	if index := c.header.idIndex; index < len(rec.cells) {
		return strings.Trim(strings.TrimSpace(rec.cells[index]), `"`)
	}
	return ""
}

// seenBefore reports whether an item of that id was read before, and remembers it.
func (c *csvReader) seenBefore(id string) bool {
	key := maphash.String(c.seed, id)
	if _, ok := c.seenIDs[key]; ok {
		return true
	}
	if len(c.seenIDs) < maxSeenIDs && id != "" {
		c.seenIDs[key] = struct{}{}
	}
	return false
}

// recordGroup is the lines of one item.
type recordGroup struct {
	*csvReader
	id         string
	line       int64
	itemCells  []string // by the header's own columns, what the first line that says something says
	partsJSON  []byte   // the elements of the list, with commas between
	rawRecords []string // the lines as they stand in the file
	malformed  bool     // some line could not be taken apart
	issue      *Issue   // the first that is wrong
}

// fail notes what is wrong with a line.
func (g *recordGroup) fail(line int64, field, message string, args ...any) {
	if g.issue == nil {
		g.issue = &Issue{Line: line, ID: appendQuoted(nil, g.id), Field: field, Code: "unreadable_line", Message: fmt.Sprintf(message, args...) + "."}
	}
}

// add takes one more line.
func (g *recordGroup) add(rec record) {
	g.rawRecords = append(g.rawRecords, rec.raw)
	if rec.problem == "" && len(rec.cells) != g.header.width {
		rec.problem = fmt.Sprintf("it has %d cells, and the first line %d", len(rec.cells), g.header.width)
	}
	if rec.problem != "" {
		g.malformed = true
		g.fail(rec.line, "", "%s", rec.problem)
		return
	}
	if g.csvReader.itemID(rec) == "" {
		g.fail(rec.line, g.schema.itemColumns[0].name, "%s is empty", g.schema.itemColumns[0].name)
	}
	g.addItemCells(rec)
	if g.header.grouped {
		g.addPartCells(rec)
	}
}

// addItemCells takes the cells of the item itself: they stand in one of its lines, or are the same in all.
func (g *recordGroup) addItemCells(rec record) {
	columns := g.header.itemColumns
	if g.header.singlePart {
		columns = slices.Concat(columns, g.header.partColumns)
	}
	if g.itemCells == nil {
		g.itemCells = make([]string, len(columns))
	}
	for i, col := range columns {
		cell := strings.TrimSpace(rec.cells[col.index])
		switch {
		case cell == "" || cell == g.itemCells[i]:
		case g.itemCells[i] == "":
			g.itemCells[i] = cell
		default:
			g.fail(rec.line, g.header.names[col.index], "%s is not what another line of %s says", g.header.names[col.index], g.id)
		}
	}
}

// addPartCells takes the cells of a part. A line in which all of them are empty has none.
func (g *recordGroup) addPartCells(rec record) {
	cells := make([]string, len(g.header.partColumns))
	empty, hasID := true, false
	for i, col := range g.header.partColumns {
		cells[i] = strings.TrimSpace(rec.cells[col.index])
		empty = empty && cells[i] == ""
		hasID = hasID || col.name == g.schema.partColumns[0].name && cells[i] != ""
	}
	if empty {
		return
	}
	if !hasID {
		g.fail(rec.line, g.schema.partColumns[0].name, "%s is empty", g.schema.partColumns[0].name)
	}
	if g.partsJSON != nil {
		g.partsJSON = append(g.partsJSON, ',')
	}
	o := newObjectWriter(g.partsJSON)
	g.writeMembers(o, rec.line, "", g.header.partColumns, cells)
	g.partsJSON = o.end()
}

// buildItem makes the item, or what is said of one that cannot be sent.
func (g *recordGroup) buildItem() item {
	if g.malformed {
		return item{line: g.line, unreadable: &unreadableEntry{*g.issue, g.rejectLine()}}
	}
	o := newObjectWriter(g.buf[:0])
	itemCount := len(g.header.itemColumns)
	g.writeMembers(o, g.line, "", g.header.itemColumns, g.itemCells[:itemCount])
	if g.header.singlePart {
		o.member("single_variant")
		o.buf = append(o.buf, "true"...)
		g.writeMembers(o, g.line, g.schema.singlePrefix, g.header.partColumns, g.itemCells[itemCount:])
	}
	if g.partsJSON != nil {
		o.member(g.schema.partsMember)
		o.buf = append(append(append(o.buf, '['), g.partsJSON...), ']')
	}
	g.buf = o.end()
	if g.issue != nil {
		return item{line: g.line, unreadable: &unreadableEntry{*g.issue, slices.Clone(g.buf)}}
	}
	return item{body: g.buf, line: g.line}
}

// rejectLine is how lines that make no item are kept with the rejects. It has no id, so the gate refuses it until somebody has made an
// item of it.
func (g *recordGroup) rejectLine() []byte {
	o := newObjectWriter(nil)
	o.textMember("error", fmt.Sprintf("Line %d: %s", g.issue.Line, g.issue.Message))
	o.member("csv")
	o.buf = append(o.buf, '[')
	for i, text := range g.rawRecords {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = appendQuoted(o.buf, text)
	}
	o.buf = append(o.buf, ']')
	return o.end()
}
