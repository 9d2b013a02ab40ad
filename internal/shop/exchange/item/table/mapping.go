package table

import (
	"bufio"
	"crypto/sha256"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// Mapping says what the columns of a file are, if these have other names than ours. A person has chosen it.
type Mapping struct {
	// Columns has for each column of the file the name of ours, such as price or remainder:main; "" leaves it out.
	Columns []string `json:"columns"`
	// Added are columns that the file does not have.
	Added []AddedColumn `json:"added,omitzero"`
	// MatchSKUs says that a line whose SKU exists is about its variant. A line of a product has the SKU in the column
	// sku, one of a price or a quantity in variant_id.
	MatchSKUs bool `json:"match_skus,omitzero"`
	// Skip is the number of lines above that with the headings, without those that are empty.
	Skip int `json:"skip,omitzero"`
	// Shift is how many lines below the detected one the headings stand, so that Skip is right for another file.
	Shift int `json:"shift,omitzero"`
}

// AddedColumn is a column of all lines: a copy of the column From of the file, counted from 1, or the text Value if
// From is 0.
type AddedColumn struct {
	Column string `json:"column"`
	From   int    `json:"from,omitzero"`
	Value  string `json:"value,omitzero"`
}

// ColumnsDigest identifies files with the same names of columns.
func ColumnsDigest(columns []string) []byte {
	h := sha256.New()
	for _, name := range columns {
		h.Write([]byte(strings.ToLower(strings.TrimSpace(name)) + "\x00"))
	}
	return h.Sum(nil)
}

// Check returns fault.Invalid if a table of the entity with the given names of columns cannot be read with the mapping.
func (m *Mapping) Check(entity string, columns []string) error {
	_, err := m.header(entity, columns)
	return err
}

// header returns the header of a table with the given names of columns.
func (m *Mapping) header(entity string, given []string) (tableHeader, error) {
	skipped := failedColumns(given)
	if len(given)-skipped != len(m.Columns) {
		return tableHeader{}, fault.New(fault.Invalid, "other_columns",
			"The file has other columns than those that were chosen. Choose its columns again.")
	}

	names := slices.Concat(given[:skipped], m.Columns)
	for _, added := range m.Added {
		if added.From < 0 || added.From > len(m.Columns) {
			return tableHeader{}, fault.New(fault.Invalid, "other_columns",
				"The file has other columns than those that were chosen. Choose its columns again.")
		}
		names = append(names, added.Column)
	}

	h, err := parseHeader(names, schemaOf(entity), entity)
	if err != nil {
		return tableHeader{}, err
	}
	if m.MatchSKUs && h.grouped {
		return tableHeader{}, fault.New(fault.Invalid, "unknown_column",
			"A file whose products are found by SKU has a line for each variant: leave the column %s out.",
			schemaOf(entity).partColumns[0].name)
	}
	if len(h.ignored) > 0 {
		return tableHeader{}, fault.New(fault.Invalid, "unknown_column", "There is no column %s to choose.",
			h.ignored[0].Name)
	}

	for i := skipped; i < len(given); i++ {
		if name := strings.TrimSpace(given[i]); name != "" {
			h.names[i] = name // messages are about the file
		}
	}
	h.isMapped = true
	h.added = len(m.Added)
	return h, nil
}

// extend adds the cells of the added columns to a record that has a cell for each column of the file.
func (m *Mapping) extend(rec record, h *tableHeader) record {
	if rec.problem != "" || rec.count != h.width-h.added {
		return rec
	}
	for _, added := range m.Added {
		value := added.Value
		if added.From > 0 {
			value = rec.cells[h.failedColumns+added.From-1]
		}
		rec.cells = append(rec.cells, value)
	}
	rec.count = len(rec.cells)
	return rec
}

// CheckColumns returns the fault of NewReader for a table of the entity with the names of columns; nil if it has none.
func CheckColumns(entity string, columns []string) error {
	_, err := parseHeader(columns, schemaOf(entity), entity)
	return err
}

// SampleColumn is a column of a file with its first values that are not empty.
type SampleColumn struct {
	Name   string
	Values []string
}

// Sampled is what the beginning of a file has.
type Sampled struct {
	Columns []SampleColumn
	// Skip is the number of lines above that with the headings, and Detected what it probably is. Empty lines do not
	// count.
	Skip, Detected int
	// First has the first non-empty lines of the file, one of which has the headings.
	First []SampleLine
}

// SampleLine is a line of a file.
type SampleLine struct {
	Number int64
	Cells  []string
}

const (
	// maxSampleLines limits how many lines below the headings Sample reads.
	maxSampleLines = 200
	// maxHeaderLines is how many lines may be above the headings, with their own line.
	maxHeaderLines = 20
)

// DetectHeader is the number of skipped lines with which Sample takes those that are probably above the headings.
const DetectHeader = -1

// Sample reads the columns of a table, which isRows says to be one for NewRowReader, with up to the given number of
// values each. The headings stand below the first skip lines. The buffer of in must have 64 KiB. The columns of a table
// of failed lines that precede those of the file are left out. It returns fault.Invalid if no line can be the one with
// the headings.
func Sample(in *bufio.Reader, isRows bool, values, skip int) (s Sampled, err error) {
	records := newRecords(in, isRows)
	var list []record
	for len(list) < maxHeaderLines+maxSampleLines {
		rec, err := records.next()
		if err != nil {
			if len(list) == 0 {
				return s, err
			}
			break // what can be read is shown
		}
		list = append(list, rec)
	}

	for _, rec := range list[:min(len(list), maxHeaderLines)] {
		s.First = append(s.First, SampleLine{rec.line, trimCells(rec.cells)})
	}
	s.Detected = detectHeader(s.First)
	if s.Skip = skip; skip == DetectHeader {
		s.Skip = s.Detected
	}
	if s.Skip < 0 || s.Skip >= len(s.First) {
		return s, fault.New(fault.Invalid, "no_header", "The file has no such line.")
	}

	first := list[s.Skip]
	if first.problem != "" || first.count > maxColumns {
		return s, fault.New(fault.Invalid, "broken_file", "The line of column names cannot be read.")
	}
	s.fill(first, list[s.Skip+1:], values)
	return s, nil
}

// fill sets the columns whose headings are in the record first.
func (s *Sampled) fill(first record, list []record, values int) {
	headings := first.cells
	skipped := failedColumns(headings)
	s.Columns = make([]SampleColumn, len(headings)-skipped)
	for i, name := range headings[skipped:] {
		s.Columns[i].Name = strings.TrimSpace(name)
	}

	for _, rec := range list {
		if rec.problem != "" {
			continue
		}
		for i, cell := range rec.cells[min(skipped, len(rec.cells)):min(len(rec.cells), len(headings))] {
			if cell = strings.TrimSpace(cell); cell != "" && len(s.Columns[i].Values) < values {
				s.Columns[i].Values = append(s.Columns[i].Values, cell)
			}
		}
	}
}

// detectHeader returns how many lines probably stand above the headings: a title, an address or a date have fewer cells
// than the table below them.
func detectHeader(lines []SampleLine) int {
	filled := make([]int, len(lines))
	for i, line := range lines {
		for _, cell := range line.Cells {
			if cell != "" {
				filled[i]++
			}
		}
	}

	most := slices.Max(filled)
	for i, n := range filled {
		if 3*n > 2*most {
			return i
		}
	}
	return 0
}

// trimCells returns the cells without spaces around them.
func trimCells(cells []string) []string {
	trimmed := make([]string, len(cells))
	for i, cell := range cells {
		trimmed[i] = strings.TrimSpace(cell)
	}
	return trimmed
}
