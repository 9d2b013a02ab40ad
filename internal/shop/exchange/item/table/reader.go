package table

import (
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// maxSeenIDs limits the ids that Reader remembers to detect lines of one item that are not consecutive. The gate
// would treat the second group of lines as the complete item.
const maxSeenIDs = 1 << 20

const (
	// maxLinesWithoutID and maxCellsWithoutID limit the lines without an id that are kept until the lines of an item
	// end.
	maxLinesWithoutID = 1000
	maxCellsWithoutID = 100_000
	// maxColumns limits the columns of a table. A product has at most 1,000 features, options and stocks each.
	maxColumns = 5000
)

// Reader reads the items of a table. In a table with parts, consecutive lines with the same id make one item. An
// unreadable line makes its whole item fail: a product without one of its variants would be a different product. A line
// without an id fails by itself. It also makes the item before it fail, because it may belong to that item.
type Reader struct {
	schema     tableSchema
	header     tableHeader
	records    recordReader
	pending    *record // the first record of the next item, already read
	pendingErr error   // the read error after the current item, for the next call
	// linesWithoutID are those among the lines of the last item, for the next calls.
	linesWithoutID []record
	seed           maphash.Seed
	seenIDs        map[uint64]struct{}
	// The JSON of the current item, and the list of its parts.
	item, parts  jsonWriter
	maxItemBytes int
	// mapping says what the columns are; nil if they have our names.
	mapping *Mapping
	// columns are the first cells of the header, and keepsLines says whether they are short enough for a Layout.
	columns    []string
	keepsLines bool
}

// NewReader reads the line of column names of a CSV table of the entity, such as products. The buffer of in must have
// 64 KiB. An item may have maxItemBytes. It returns a fault for a header without a required column.
func NewReader(in *bufio.Reader, entity string, maxItemBytes int) (*Reader, error) {
	return openReader(in, Source{Entity: entity, MaxItemBytes: maxItemBytes})
}

// NewRowReader is like NewReader for a table whose lines are rows as AppendRow writes them.
func NewRowReader(in *bufio.Reader, entity string, maxItemBytes int) (*Reader, error) {
	return openReader(in, Source{Entity: entity, MaxItemBytes: maxItemBytes, IsRows: true})
}

// Source says how a table is read.
type Source struct {
	Entity       string
	MaxItemBytes int
	// IsRows says that the lines are rows as AppendRow writes them.
	IsRows bool
	// Mapping says what the columns are; nil if they have our names.
	Mapping *Mapping
}

// Open is like NewReader for a table of the source.
func Open(in *bufio.Reader, source Source) (*Reader, error) { return openReader(in, source) }

// newRecords returns a reader of the records of a table.
func newRecords(in *bufio.Reader, isRows bool) recordReader {
	r := recordReader{in: in, sep: ',', maxCells: maxColumns + 1, isRows: isRows}
	if isRows {
		r.sep = 0
	} else if head, _ := in.Peek(headBytes); len(head) > 0 {
		first, rest, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
		if !strings.ContainsAny(first, ",;\t") {
			first = rest // a title above the table, or the only column
		}
		r.sep = detectSeparator(first)
	}
	return r
}

func openReader(in *bufio.Reader, source Source) (*Reader, error) {
	entity := source.Entity
	c := &Reader{
		maxItemBytes: source.MaxItemBytes, schema: schemaOf(entity), mapping: source.Mapping,
		records: newRecords(in, source.IsRows), seed: maphash.MakeSeed(), seenIDs: map[uint64]struct{}{},
	}

	first, err := c.records.next()
	for n := 0; err == nil && source.Mapping != nil && n < source.Mapping.Skip; n++ {
		first, err = c.records.next()
	}
	if errors.Is(err, io.EOF) {
		return c, fault.New(fault.Invalid, "missing_column",
			"The file is empty. The first line must name the columns; the columns of %s are %s.", entity,
			c.schema.columnNames())
	}

	if err != nil {
		return c, err
	}

	if first.problem != "" {
		return c, fault.New(fault.Malformed, "broken_file", "The line of column names cannot be read: %s.",
			first.problem)
	}

	if first.count > maxColumns {
		return c, fault.New(fault.Invalid, "too_many_columns", "The table has %d columns; at most %d are allowed.",
			first.count,
			maxColumns)
	}

	c.records.maxCells = len(first.cells) + 1
	c.records.width = len(first.cells)
	c.keepsLines = len(first.raw) <= maxLayoutBytes
	if c.keepsLines {
		c.columns = first.cells[failedColumns(first.cells):]
	}

	if c.mapping != nil {
		c.header, err = c.mapping.header(entity, first.cells)
		return c, err
	}
	c.header, err = parseHeader(first.cells, c.schema, entity)
	return c, err
}

// Ignored returns the columns that the entity does not have.
func (c *Reader) Ignored() []IgnoredColumn { return c.header.ignored }

// Charset returns the character set from which the lines are decoded. It is "" for UTF-8, and as long as all lines were
// ASCII.
func (c *Reader) Charset() wire.Encoding { return c.records.charset }

// Next returns the next item, or io.EOF. After another error it must not be called again.
func (c *Reader) Next() (Item, error) {
	first, err := c.readFirstRecord()
	if err != nil {
		return Item{}, err
	}

	g := recordGroup{Reader: c, id: c.itemID(first), line: first.line}
	c.parts.reset(c.maxItemBytes)
	g.add(first)
	for c.header.grouped && g.id != "" {
		rec, err := c.readRecord()
		if err != nil {
			c.pendingErr = err
			break
		}

		id := c.itemID(rec)
		if g.bytes += len(rec.raw); g.bytes > c.maxItemBytes || c.parts.full {
			return Item{}, g.tooLong()
		}

		if id == "" && len(c.linesWithoutID) < maxLinesWithoutID &&
			len(c.linesWithoutID)*c.header.width < maxCellsWithoutID {
			c.linesWithoutID = append(c.linesWithoutID, rec)
			g.failForLineWithoutID(rec)
			continue
		}

		if id != g.id {
			c.pending = &rec
			break
		}

		g.add(rec)
	}

	if c.header.grouped && c.seenBefore(g.id) {
		g.fail(g.line, c.schema.itemColumns[0].name,
			"the lines of %s are not consecutive; put all lines with the same id together", g.id)
	}

	one := g.buildItem()
	if c.parts.full || c.item.full {
		return Item{}, g.tooLong()
	}

	return one, nil
}

func (g *recordGroup) tooLong() error {
	return fault.New(fault.TooLarge, "item_too_long",
		"The item at line %d is longer than the limit for an item (%d MiB).", g.line, g.maxItemBytes>>20)
}

// readFirstRecord returns the first record of the next item. Lines without an id are items by themselves.
func (c *Reader) readFirstRecord() (record, error) {
	if len(c.linesWithoutID) > 0 {
		rec := c.linesWithoutID[0]
		c.linesWithoutID = c.linesWithoutID[1:]
		return rec, nil
	}
	return c.readRecord()
}

func (c *Reader) readRecord() (record, error) {
	if c.pending != nil {
		rec := *c.pending
		c.pending = nil
		return rec, nil
	}
	if c.pendingErr != nil {
		return record{}, c.pendingErr
	}
	rec, err := c.records.next()
	if err == nil && c.mapping != nil {
		rec = c.mapping.extend(rec, &c.header)
	}
	return rec, err
}

func (c *Reader) itemID(rec record) string {
	if index := c.header.idIndex; index < len(rec.cells) {
		return strings.Trim(strings.TrimSpace(rec.cells[index]), `"`)
	}
	return ""
}

// seenBefore reports whether an item with this id was already read, and remembers the id.
func (c *Reader) seenBefore(id string) bool {
	key := maphash.String(c.seed, id)
	if _, ok := c.seenIDs[key]; ok {
		return true
	}
	if len(c.seenIDs) < maxSeenIDs && id != "" {
		c.seenIDs[key] = struct{}{}
	}
	return false
}

type recordGroup struct {
	*Reader
	id   string
	line int64
	// itemCells has the first non-empty cell of each item column, and of each part column if header.singlePart is set.
	itemCells []string
	hasParts  bool // the list of parts has been begun
	// single are the cells of a part without an id, and singleLine is its line. It is the only part of its item.
	single     []string
	singleLine int64
	partLines  []int64 // of the parts
	lines      []Line  // as in the file
	bytes      int     // of the records
	malformed  bool    // a record could not be split into cells
	issue      *Issue  // the first problem found
}

// fail records a problem of a line. Only the first one is kept.
func (g *recordGroup) fail(line int64, field, message string, args ...any) {
	if g.issue == nil {
		g.issue = &Issue{Line: line, ID: g.id, Field: field, Message: fmt.Sprintf(message, args...) + "."}
	}
}

// failForLineWithoutID makes the item fail because of a line without an id among its lines.
func (g *recordGroup) failForLineWithoutID(rec record) {
	name := g.schema.itemColumns[0].name
	g.fail(rec.line, name, "%s of this line is empty, so it may belong to %s; fill in %s, "+
		"or push %s from the rejects file "+
		"if the line does not belong to it", name, g.id, name, g.id)
}

func (g *recordGroup) add(rec record) {
	g.lines = append(g.lines, Line{rec.line, rec.raw})
	if rec.problem == "" && rec.count != g.header.width {
		rec.problem = fmt.Sprintf("it has %d cells, but the first line has %d", rec.count,
			g.header.width-g.header.added)
	}

	if rec.problem != "" {
		g.malformed = true
		g.fail(rec.line, "", "%s", rec.problem)
		return
	}

	if g.Reader.itemID(rec) == "" {
		g.fail(rec.line, g.schema.itemColumns[0].name, "%s is empty", g.schema.itemColumns[0].name)
	}

	g.addItemCells(rec)
	if g.header.grouped {
		g.addPartCells(rec)
	}
}

// addItemCells merges the item's own cells. The lines of an item may leave a cell empty, but must not contradict.
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
			g.fail(rec.line, g.header.names[col.index], "%s differs from another line of %s", g.header.names[col.index],
				g.id)
		}
	}
}

// addPartCells appends a part. A record whose part cells are all empty has no part. The only part of an item needs no
// id if the item may have it itself.
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

	if !hasID && !g.hasParts && g.single == nil && g.schema.singlePrefix != "" {
		g.single = cells
		g.singleLine = rec.line
		return
	}

	if !hasID || g.single != nil {
		line := rec.line
		if g.single != nil {
			line = g.singleLine
		}
		g.fail(line, g.schema.partColumns[0].name, "%s is empty", g.schema.partColumns[0].name)
	}

	if !g.hasParts {
		g.parts.write(jsontext.BeginArray)
		g.hasParts = true
	}

	g.partLines = append(g.partLines, rec.line)
	g.parts.write(jsontext.BeginObject)
	g.writeMembers(&g.parts, rec.line, "", g.header.partColumns, cells)
	g.parts.write(jsontext.EndObject)
}

func (g *recordGroup) buildItem() Item {
	if g.malformed {
		return Item{Line: g.line, Lines: g.keptLines(), Issue: g.issue, Reject: g.rejectLine()}
	}

	w := &g.item
	itemCount := len(g.header.itemColumns)
	w.reset(g.maxItemBytes)
	w.write(jsontext.BeginObject)
	g.writeMembers(w, g.line, "", g.header.itemColumns, g.itemCells[:itemCount])

	if g.header.singlePart {
		w.text("single_variant")
		w.write(jsontext.True)
		g.writeMembers(w, g.line, g.schema.singlePrefix, g.header.partColumns, g.itemCells[itemCount:])
	}

	if g.single != nil {
		w.text("single_variant")
		w.write(jsontext.True)
		g.writeMembers(w, g.singleLine, g.schema.singlePrefix, g.header.partColumns, g.single)
	}

	if g.hasParts {
		g.parts.write(jsontext.EndArray)
		w.text(g.schema.partsMember)
		w.raw(g.parts.value())
	}

	w.write(jsontext.EndObject)
	if g.issue != nil {
		return Item{Line: g.line, Lines: g.keptLines(), Issue: g.issue, Reject: slices.Clone(w.value())}
	}

	place := &Place{g.Reader, g.line, g.partLines, g.singleLine}
	return Item{Body: w.value(), Line: g.line, Lines: g.keptLines(), Place: place}
}

// keptLines returns the lines of the item without the cells that precede those of the file.
func (g *recordGroup) keptLines() []Line {
	if !g.keepsLines {
		return nil
	}
	lines := make([]Line, len(g.lines))
	for i, line := range g.lines {
		if g.records.isRows {
			lines[i] = Line{line.Number, skipRowCells(line.Text, g.header.failedColumns)}
			continue
		}
		lines[i] = Line{line.Number, skipCells(line.Text, g.records.sep, g.header.failedColumns)}
	}
	return lines
}

// rejectLine returns the entry for the rejects file if a record could not be split. It has no id, so the gate rejects
// it until the user has turned it into an item.
func (g *recordGroup) rejectLine() []byte {
	var w jsonWriter
	w.reset(math.MaxInt)
	w.write(jsontext.BeginObject)
	w.text("error", fmt.Sprintf("Line %d: %s", g.issue.Line, g.issue.Message), "csv")
	w.write(jsontext.BeginArray)
	for _, line := range g.lines {
		w.text(line.Text)
	}
	w.write(jsontext.EndArray, jsontext.EndObject)
	return w.value()
}
