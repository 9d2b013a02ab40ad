package table

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/wire"
)

// maxLayoutBytes limits the names of the columns of a Layout, so that it can be stored with a run.
const maxLayoutBytes = 64 << 10

// The columns that precede those of the file in a table of failed lines. In an uploaded file they are not read.
const (
	lineColumn  = "line"
	errorColumn = "error"
)

// Layout says how a table is written.
type Layout struct {
	// Format is Workbook, or "" for CSV.
	Format Format `json:"format,omitzero"`
	// Charset is Windows1251, or "" for UTF-8.
	Charset   wire.Encoding `json:"charset,omitzero"`
	Separator string        `json:"separator,omitzero"` // of CSV
	// Columns are the cells of the first line, without the columns of a table of failed lines.
	Columns []string `json:"columns"`
}

// IsZero reports whether there is no layout: what was read is no table, or the names of its columns are too long.
func (l Layout) IsZero() bool { return l.Separator == "" && l.Format == "" }

// Format is the kind of file that a table came in.
type Format string

// Workbook is an XLSX file.
const Workbook Format = "xlsx"

// Layout returns how the table is written. Its Charset is that of the lines read so far.
func (c *Reader) Layout() Layout {
	if !c.keepsLines {
		return Layout{}
	}
	if c.records.isRows {
		return Layout{Format: Workbook, Columns: c.columns}
	}
	return Layout{Charset: c.records.charset, Separator: string(c.records.sep), Columns: c.columns}
}

// failedColumns returns the number of columns that precede those of the file: two in a table of failed lines that was
// corrected, and otherwise none.
func failedColumns(header []string) int {
	if len(header) > 2 && strings.EqualFold(strings.TrimSpace(header[0]), lineColumn) &&
		strings.EqualFold(strings.TrimSpace(header[1]), errorColumn) {
		return 2
	}
	return 0
}

// Line is a line of a table with its number, from 1. Its text has line breaks if a quoted cell has. Of a workbook it is
// a row as AppendRow writes it.
type Line struct {
	Number int64  `json:"line"`
	Text   string `json:"text"`
}

// FailedItem is what a table of failed lines has of an item.
type FailedItem struct {
	Lines    []Line    `json:"lines"`
	Problems []Problem `json:"problems"`
}

// skipCells returns a line without its first n cells.
func skipCells(line string, sep byte, n int) string {
	inQuotes := false
	for i := range len(line) {
		switch {
		case n == 0:
			return line[i:]
		case line[i] == '"':
			inQuotes = !inQuotes
		case line[i] == sep && !inQuotes:
			n--
		}
	}
	return ""
}

// Problem is what a table of failed lines says about a line.
type Problem struct {
	// Line is the number of the line in the file; 0 if the problem is about all lines of the item.
	Line    int64  `json:"line,omitzero"`
	Column  string `json:"column,omitzero"`
	Message string `json:"message"`
}

// FailedWriter writes a table of failed lines: the columns of the file, after the number of the line and what is wrong
// with it.
type FailedWriter struct {
	layout Layout
	// Translate returns a message in the language of the reader.
	translate func(message string) string
}

// NewFailedWriter returns a writer of a table with the layout of a file. The function translate returns a message in
// the language of the reader.
func NewFailedWriter(layout Layout, translate func(string) string) *FailedWriter {
	return &FailedWriter{layout, translate}
}

// AppendHeader appends the first line. UTF-8 begins with a byte order mark, without which Excel takes it for an older
// character set.
func (w *FailedWriter) AppendHeader(b []byte) []byte {
	if w.layout.Charset == "" {
		b = append(b, "\ufeff"...)
	}
	line := lineColumn + w.layout.Separator + errorColumn
	for _, name := range w.layout.Columns {
		line += w.layout.Separator + w.quote(name)
	}
	return w.appendLine(b, line)
}

// AppendItem appends the lines of an item.
func (w *FailedWriter) AppendItem(b []byte, it FailedItem) []byte {
	for i, line := range it.Lines {
		text := problemsOf(w.translate, line.Number, i == 0, it.Problems)
		prefix := strconv.FormatInt(line.Number, 10) + w.layout.Separator + w.quote(text) + w.layout.Separator
		b = w.appendLine(b, prefix+line.Text)
	}
	return b
}

// problemsOf returns what is wrong with a line. The first line of an item has what concerns all of it.
func problemsOf(translate func(string) string, line int64, isFirst bool, problems []Problem) string {
	var texts []string
	for _, p := range problems {
		if p.Line != line && (p.Line != 0 || !isFirst) {
			continue
		}
		text := translate(p.Message)
		if p.Column != "" && !strings.HasPrefix(text, p.Column) {
			text = p.Column + ": " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// quote returns a cell as it is written.
func (w *FailedWriter) quote(cell string) string {
	cell = strings.NewReplacer("\r", " ", "\n", " ").Replace(cell)
	if strings.ContainsAny(cell, `"`+w.layout.Separator) {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}

// appendLine appends a line in the character set of the file. What it does not have becomes a question mark.
func (w *FailedWriter) appendLine(b []byte, line string) []byte {
	if w.layout.Charset != wire.Windows1251 {
		return append(append(b, line...), "\r\n"...)
	}
	for _, c := range line {
		encoded, ok := charmap.Windows1251.EncodeRune(c)
		if !ok {
			encoded = '?'
		}
		b = append(b, encoded)
	}
	return append(b, "\r\n"...)
}
