package push

import (
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

// maxSeenIDs limits the ids that csvReader remembers to detect lines of one item that are not consecutive. The gate
// would treat the second group of lines as the complete item.
const maxSeenIDs = 1 << 20

// maxLinesWithoutID limits the lines without an id that are kept until the lines of an item end.
const maxLinesWithoutID = 1000

// csvReader reads the items of a table. In a table with parts, consecutive lines with the same id make one item. An
// unreadable line makes its whole item fail: a product without one of its variants would be a different product. A line
// without an id fails by itself. It also makes the item before it fail, because it may belong to that item.
type csvReader struct {
	schema     csvSchema
	header     csvHeader
	records    csvRecordReader
	pending    *csvRecord // the first record of the next item, already read
	pendingErr error      // the read error after the current item, for the next call
	// linesWithoutID are those among the lines of the last item, for the next calls.
	linesWithoutID []csvRecord
	seed           maphash.Seed
	seenIDs        map[uint64]struct{}
	// The JSON of the current item, and the list of its parts.
	item, parts jsonWriter
}

func newCSVReader(in *bufio.Reader, entity string) (*csvReader, error) {
	c := &csvReader{
		schema: csvSchemaOf(entity), records: csvRecordReader{in: in, sep: ','}, seed: maphash.MakeSeed(),
		seenIDs: map[uint64]struct{}{},
	}
	if head, _ := in.Peek(headBytes); len(head) > 0 {
		first, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
		c.records.sep = detectCSVSeparator(first)
	}
	first, err := c.records.next()
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
	c.records.expectedCells = len(first.cells)
	c.header, err = parseCSVHeader(first.cells, c.schema, entity)
	return c, err
}

func (c *csvReader) next() (item, error) {
	first, err := c.readFirstRecord()
	if err != nil {
		return item{}, err
	}
	g := csvRecordGroup{csvReader: c, id: c.itemID(first), line: first.line}
	c.parts.reset()
	g.add(first)
	for c.header.grouped && g.id != "" {
		rec, err := c.readRecord()
		if err != nil {
			c.pendingErr = err
			break
		}
		id := c.itemID(rec)
		if id == "" && len(c.linesWithoutID) < maxLinesWithoutID {
			c.linesWithoutID = append(c.linesWithoutID, rec)
			g.failForLineWithoutID(rec)
			continue
		}
		if id != g.id {
			c.pending = &rec
			break
		}
		g.add(rec)
		if c.parts.enc.OutputOffset() > maxItemBytes {
			return item{}, itemTooLong("The item at line %d", g.line)
		}
	}
	if c.header.grouped && c.seenBefore(g.id) {
		g.fail(g.line, c.schema.itemColumns[0].name,
			"the lines of %s are not consecutive; put all lines with the same id together", g.id)
	}
	return g.buildItem(), nil
}

// readFirstRecord returns the first record of the next item. Lines without an id are items by themselves.
func (c *csvReader) readFirstRecord() (csvRecord, error) {
	if len(c.linesWithoutID) > 0 {
		rec := c.linesWithoutID[0]
		c.linesWithoutID = c.linesWithoutID[1:]
		return rec, nil
	}
	return c.readRecord()
}

func (c *csvReader) readRecord() (csvRecord, error) {
	if c.pending != nil {
		rec := *c.pending
		c.pending = nil
		return rec, nil
	}
	if c.pendingErr != nil {
		return csvRecord{}, c.pendingErr
	}
	return c.records.next()
}

func (c *csvReader) itemID(rec csvRecord) string {
	if index := c.header.idIndex; index < len(rec.cells) {
		return strings.Trim(strings.TrimSpace(rec.cells[index]), `"`)
	}
	return ""
}

// seenBefore reports whether an item with this id was already read, and remembers the id.
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

type csvRecordGroup struct {
	*csvReader
	id   string
	line int64
	// itemCells has the first non-empty cell of each item column, and of each part column if header.singlePart is set.
	itemCells  []string
	hasParts   bool     // the list of parts has been begun
	rawRecords []string // as in the file
	malformed  bool     // a record could not be split into cells
	issue      *Issue   // the first problem found
}

// fail records a problem of a line. Only the first one is kept.
func (g *csvRecordGroup) fail(line int64, field, message string, args ...any) {
	if g.issue == nil {
		g.issue = &Issue{
			Line: line, ID: quoteJSONString(g.id), Field: field, Code: "unreadable_line",
			Message: fmt.Sprintf(message, args...) + ".",
		}
	}
}

// failForLineWithoutID makes the item fail because of a line without an id among its lines.
func (g *csvRecordGroup) failForLineWithoutID(rec csvRecord) {
	name := g.schema.itemColumns[0].name
	g.fail(rec.line, name, "%s of this line is empty, so it may belong to %s; fill in %s, or push %s from the rejects file "+
		"if the line does not belong to it", name, g.id, name, g.id)
}

func (g *csvRecordGroup) add(rec csvRecord) {
	g.rawRecords = append(g.rawRecords, rec.raw)
	if rec.problem == "" && len(rec.cells) != g.header.width {
		rec.problem = fmt.Sprintf("it has %d cells, but the first line has %d", len(rec.cells), g.header.width)
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

// addItemCells merges the item's own cells. The lines of an item may leave a cell empty, but must not contradict.
func (g *csvRecordGroup) addItemCells(rec csvRecord) {
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

// addPartCells appends a part. A record whose part cells are all empty has no part.
func (g *csvRecordGroup) addPartCells(rec csvRecord) {
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
	if !g.hasParts {
		g.parts.write(jsontext.BeginArray)
		g.hasParts = true
	}
	g.parts.write(jsontext.BeginObject)
	g.writeMembers(&g.parts, rec.line, "", g.header.partColumns, cells)
	g.parts.write(jsontext.EndObject)
}

func (g *csvRecordGroup) buildItem() item {
	if g.malformed {
		return item{line: g.line, unreadable: &unreadableEntry{*g.issue, g.rejectLine()}}
	}
	w, itemCount := &g.item, len(g.header.itemColumns)
	w.reset()
	w.write(jsontext.BeginObject)
	g.writeMembers(w, g.line, "", g.header.itemColumns, g.itemCells[:itemCount])
	if g.header.singlePart {
		w.text("single_variant")
		w.write(jsontext.True)
		g.writeMembers(w, g.line, g.schema.singlePrefix, g.header.partColumns, g.itemCells[itemCount:])
	}
	if g.hasParts {
		g.parts.write(jsontext.EndArray)
		w.text(g.schema.partsMember)
		w.raw(g.parts.value())
	}
	w.write(jsontext.EndObject)
	if g.issue != nil {
		return item{line: g.line, unreadable: &unreadableEntry{*g.issue, slices.Clone(w.value())}}
	}
	return item{body: w.value(), line: g.line}
}

// rejectLine returns the entry for the rejects file if a record could not be split. It has no id, so the gate rejects
// it until the user has turned it into an item.
func (g *csvRecordGroup) rejectLine() []byte {
	var w jsonWriter
	w.reset()
	w.write(jsontext.BeginObject)
	w.text("error", fmt.Sprintf("Line %d: %s", g.issue.Line, g.issue.Message), "csv")
	w.write(jsontext.BeginArray)
	w.text(g.rawRecords...)
	w.write(jsontext.EndArray, jsontext.EndObject)
	return w.value()
}

func quoteJSONString(s string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, s) // the only possible error is invalid UTF-8, which is replaced
	return quoted
}
