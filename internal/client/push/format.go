package push

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange/item/table"
)

// Format is the format of an input file.
type Format string

// The formats. Auto detects the format from the content.
const (
	Auto   Format = "auto"
	JSON   Format = "json"   // {"payload": […]}, […], or a sequence of objects
	NDJSON Format = "ndjson" // one item per line
	CSV    Format = "csv"    // separated by commas, semicolons or tabs
	XLSX   Format = "xlsx"
)

// maxItemBytes limits the size of an item, which is read into memory. An option with a few million values fits.
const maxItemBytes = 256 << 20

// item is one item of a file, or an entry that could not be read.
type item struct {
	// body is the item as JSON on one line. It is valid until the next call of next.
	body []byte
	// line is the number of the item's first line, from 1; 0 if the reader does not count lines.
	line int64
	// unreadable is set, and body is nil, if the entry could not be read.
	unreadable *unreadableEntry
}

// unreadableEntry is an entry that could not be read: issue is for the report, reject for the rejects file.
type unreadableEntry struct {
	issue  Issue
	reject []byte
}

// readItems sets s.next to read items of the format. ignored lists the columns of a table that are not sent.
func (s *inputSource) readItems(
	format Format, entity, sheet string,
) (ignored []table.IgnoredColumn, err error) {
	head, err := s.text.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	if s.workbook != nil && (format == Auto || format == "") {
		format = XLSX
	}
	if format == Auto || format == "" {
		if format, err = detectFormat(head); err != nil {
			return nil, err
		}
	}

	switch format {
	case NDJSON:
		s.next = (&ndjsonReader{in: s.text}).next
		return nil, nil
	case CSV:
		rows, err := table.NewReader(s.text, entity, maxItemBytes)
		if err != nil {
			return nil, err
		}
		s.next = func() (item, error) { return nextTableItem(rows) }
		s.charset = rows.Charset
		return rows.Ignored(), nil
	case XLSX:
		return s.readWorkbook(entity, sheet)
	case JSON:
		j, err := newJSONReader(s.text, head)
		s.next = j.next
		return nil, err
	}

	return nil, fault.New(fault.Invalid, "invalid_format",
		"The format must be auto, json, ndjson, csv or xlsx; %s is not.", format)
}

// nextTableItem returns the next item of a table.
func nextTableItem(rows *table.Reader) (item, error) {
	row, err := rows.Next()
	if err != nil || row.Issue == nil {
		return item{body: row.Body, line: row.Line}, err
	}
	issue := Issue{Line: row.Issue.Line, ID: quoteJSONString(row.Issue.ID), Field: row.Issue.Field,
		Code: table.IssueCode, Message: row.Issue.Message}
	return item{line: row.Line, unreadable: &unreadableEntry{issue, row.Reject}}, nil
}

func quoteJSONString(s string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, s) // the only possible error is invalid UTF-8, which is replaced
	return quoted
}

func detectFormat(head []byte) (Format, error) {
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(text) == 0:
		return NDJSON, nil // an empty file
	case text[0] == '[':
		return JSON, nil
	case text[0] == '{':
		if shape, lines := detectShape(text); shape == shapeDocument || lines > 1 {
			return JSON, nil
		}
		return NDJSON, nil
	}

	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.ContainsAny(first, ",;\t") && text[0] != '<' {
		return CSV, nil
	}

	return "", fault.New(fault.Invalid, "unknown_format",
		"The file is neither XLSX nor JSON nor NDJSON nor CSV with a line of column names; it begins with "+
			"%s. Set the format with --format.", quotePrefix(first))
}

func quotePrefix(line []byte) string {
	const maxBytes = 40
	if len(line) > maxBytes {
		return fmt.Sprintf("%q…", line[:maxBytes])
	}
	return fmt.Sprintf("%q", line)
}

type jsonShape int

const (
	shapeSequence jsonShape = iota // a sequence of objects
	shapeList                      // […]
	shapeDocument                  // {"payload": […]}
)

// detectShape detects the shape from the beginning of a JSON file, and counts the lines of its first value within text.
// An object without a member payload within text is treated as an item.
func detectShape(text []byte) (jsonShape, int) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() == '[' {
		return shapeList, 1
	}
	if _, err := d.ReadToken(); err != nil {
		return shapeSequence, 1
	}

	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		if name.String() == "payload" && d.PeekKind() == '[' {
			return shapeDocument, 1
		}
		if d.SkipValue() != nil {
			break
		}
	}

	if d.PeekKind() == '}' {
		_, _ = d.ReadToken()
	}

	// Count only what was parsed: after a malformed line there may be further lines.
	return shapeSequence, 1 + bytes.Count(text[:d.InputOffset()], []byte("\n"))
}
