package xlsx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
)

// Row is a row of a sheet with at least one cell that is not empty.
type Row struct {
	// Number is that of the row in the sheet, from 1.
	Number int
	// Cells begin with the first column. The last one is not empty. They are valid until the next row.
	Cells []string
}

// Rows yields the rows of the sheet with the name, or of the first visible one if the name is empty. The last element
// may be an error: fault.Invalid or fault.TooLarge, or that of the reader of the file. Numbers are decimal, dates are
// as in ISO 8601, and true and false are these words. A formula is its stored value. Of cells that are merged over
// several rows, each row has the value; of those over columns, the first.
func (f *File) Rows(sheet string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		s, err := f.Sheet(sheet)
		if err == nil {
			err = f.readShared()
		}
		var merges *mergedCells
		if err == nil {
			merges, err = f.readMerges(s)
		}
		if err != nil {
			yield(Row{}, err)
			return
		}

		r := rowReader{file: f, merges: merges}
		if r.tokens, err = f.openTokens(s.part, maxSheetBytes); err != nil {
			yield(Row{}, err)
			return
		}
		defer r.tokens.close()

		for {
			row, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

type rowReader struct {
	file   *File
	tokens *tokens
	merges *mergedCells
	row    int // its number
	cells  []string
	bytes  int   // of the row
	count  int   // of all cells
	text   int64 // bytes of all cells
}

// next returns the next row that is not empty, or io.EOF.
func (r *rowReader) next() (Row, error) {
	for {
		token, err := r.tokens.next()
		if err != nil {
			return Row{}, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}

		r.row++
		if number := attribute(start, "r"); number != "" {
			n, err := strconv.Atoi(number)
			if err != nil || n < r.row {
				return Row{}, brokenFile(errors.New("a row has the number " + number))
			}
			r.row = n
		}
		if r.row > maxRows {
			return Row{}, tooLarge("it has too many rows")
		}

		if err := r.readCells(); err != nil {
			return Row{}, err
		}
		r.cells = r.merges.fill(r.row, r.cells)
		for len(r.cells) > 0 && strings.TrimSpace(r.cells[len(r.cells)-1]) == "" {
			r.cells = r.cells[:len(r.cells)-1]
		}
		if len(r.cells) > 0 {
			return Row{r.row, r.cells}, nil
		}
	}
}

// readCells reads the cells of a row up to its end.
func (r *rowReader) readCells() error {
	r.cells = r.cells[:0]
	r.bytes = 0

	for {
		token, err := r.tokens.next()
		if err != nil {
			return unexpectedEnd(err)
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if token.Name.Local != "c" {
				continue
			}
			if err := r.readCell(token); err != nil {
				return err
			}
		}
	}
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return brokenFile(io.ErrUnexpectedEOF)
	}
	return err
}

// readCell reads a cell up to its end.
func (r *rowReader) readCell(start xml.StartElement) error {
	column := len(r.cells)
	if ref := attribute(start, "r"); ref != "" {
		at, _, ok := parseRef(ref)
		if !ok || at < column {
			return brokenFile(errors.New("a cell is at " + ref))
		}
		column = at
	}
	if r.count++; r.count > maxCells || column >= maxColumns {
		return tooLarge("it has too many cells")
	}

	kind, style := attribute(start, "t"), attribute(start, "s")
	raw, formula, err := r.readValue()
	if err != nil {
		return err
	}
	text, err := r.valueText(kind, style, raw)
	if err != nil {
		return err
	}
	if text == "" && formula != "" {
		text = "=" + formula // its value is not stored: people are told, instead of taking it for empty
	}

	r.bytes += len(text)
	r.text += int64(len(text))
	if r.bytes > maxRowBytes || r.text > maxTextBytes {
		return tooLarge("its cells have too much text")
	}
	for len(r.cells) < column {
		r.cells = append(r.cells, "")
	}
	r.cells = append(r.cells, text)
	return nil
}

// readValue reads the value and the formula of a cell, up to its end.
func (r *rowReader) readValue() (value, formula string, err error) {
	var text, code []byte
	in, phonetic := "", 0

	for {
		token, err := r.tokens.next()
		if err != nil {
			return "", "", unexpectedEnd(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			in = token.Name.Local
			if in == "rPh" {
				phonetic++
			}
		case xml.CharData:
			switch {
			case (in == "v" || in == "t") && phonetic == 0:
				text = append(text, token...)
			case in == "f":
				code = append(code, token...)
			}
			if len(text)+len(code) > maxTokenBytes {
				return "", "", tooLarge("a cell is too long")
			}
		case xml.EndElement:
			in = ""
			switch token.Name.Local {
			case "rPh":
				phonetic--
			case "c":
				return string(text), string(code), nil
			}
		}
	}
}

// valueText returns the text of a cell of the given type and style.
func (r *rowReader) valueText(kind, style, raw string) (string, error) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(raw))
		if raw == "" {
			return "", nil
		}
		text, ok := r.file.shared.at(i)
		if err != nil || !ok {
			return "", brokenFile(errors.New("a cell refers to the text " + raw))
		}
		return cleanText(text), nil
	case "b":
		return strconv.FormatBool(isTrue(strings.TrimSpace(raw))), nil
	case "", "n":
		if strings.TrimSpace(raw) == "" {
			return "", nil
		}
		s := r.styleOf(style)
		if s.isDate {
			return dateText(raw, r.file.is1904), nil
		}
		return padded(numberText(raw), s.digits), nil
	}

	return cleanText(raw), nil // str, inlineStr, d, e
}

func (r *rowReader) styleOf(style string) cellStyle {
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(r.file.styles) {
		return r.file.styles[i]
	}
	return cellStyle{}
}

// parseRef returns the column, from 0, and the row, from 1, of a reference such as AB12.
func parseRef(ref string) (column, row int, ok bool) {
	i := 0
	for ; i < len(ref) && i < 4; i++ {
		c := ref[i] &^ 0x20 // in upper case
		if c < 'A' || c > 'Z' {
			break
		}
		column = column*26 + int(c-'A') + 1
	}
	row, err := strconv.Atoi(ref[i:])
	return column - 1, row, i > 0 && err == nil && row > 0
}

// mergedCells are the cells of a sheet that are merged over several rows, in the order of their first rows.
type mergedCells struct {
	pending []merge
	active  []merge
}

type merge struct {
	column, first, last int
	text                string
}

// fill writes the values of merged cells into a row, and remembers those of cells that begin in it.
func (m *mergedCells) fill(row int, cells []string) []string {
	if len(m.pending) == 0 && len(m.active) == 0 {
		return cells
	}

	rest := m.active[:0]
	for _, merged := range m.active {
		if row > merged.last {
			continue
		}
		rest = append(rest, merged)
		for len(cells) <= merged.column {
			cells = append(cells, "")
		}
		if cells[merged.column] == "" {
			cells[merged.column] = merged.text
		}
	}
	m.active = rest

	for len(m.pending) > 0 && m.pending[0].first <= row {
		merged := m.pending[0]
		m.pending = m.pending[1:]
		if merged.first == row && merged.column < len(cells) && len(m.active) < maxActiveMerges {
			merged.text = cells[merged.column]
			m.active = append(m.active, merged)
		}
	}
	return cells
}

// maxActiveMerges limits the merged cells that one row has.
const maxActiveMerges = 1000

// mergeMark begins the list of merged cells, which stands behind the rows.
var mergeMark = []byte("mergeCell ")

// readMerges reads the cells of a sheet that are merged over several rows. It unpacks the sheet without parsing it.
func (f *File) readMerges(s Sheet) (*mergedCells, error) {
	part, err := f.openPart(s.part, maxSheetBytes)
	if err != nil {
		return nil, err
	}
	defer part.Close() //nolint:errcheck // it is only read

	m := &mergedCells{}
	const overlap = 100 // more than an element mergeCell has
	buf := make([]byte, 256<<10)
	kept := 0
	for {
		n, err := io.ReadFull(part, buf[kept:])
		text := buf[:kept+n]
		isLast := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !isLast {
			return nil, err
		}

		end := len(text) - overlap
		if isLast {
			end = len(text)
		}
		at := 0
		for {
			i := bytes.Index(text[at:], mergeMark)
			if i < 0 || at+i >= end {
				break
			}
			at += i + len(mergeMark)
			m.add(text[at:min(len(text), at+overlap-len(mergeMark))])
		}

		if isLast || len(m.pending) > maxMerges {
			break
		}
		kept = copy(buf, text[max(at, end):])
	}

	sortMerges(m.pending)
	return m, nil
}
