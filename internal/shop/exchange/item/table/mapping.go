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

// maxSampleLines limits how many lines Sample reads.
const maxSampleLines = 200

// Sample reads the columns of a table, which isRows says to be one for NewRowReader, with up to the given number of
// values each. The buffer of in must have 64 KiB. The columns of a table of failed lines that precede those of the file
// are left out.
func Sample(in *bufio.Reader, isRows bool, values int) ([]SampleColumn, error) {
	records := newRecords(in, isRows)
	first, err := records.next()
	if err != nil {
		return nil, err
	}
	if first.problem != "" || first.count > maxColumns {
		return nil, fault.New(fault.Invalid, "broken_file", "The line of column names cannot be read.")
	}

	skipped := failedColumns(first.cells)
	columns := make([]SampleColumn, len(first.cells)-skipped)
	for i, name := range first.cells[skipped:] {
		columns[i].Name = strings.TrimSpace(name)
	}

	records.width = len(first.cells)
	records.maxCells = len(first.cells) + 1
	for range maxSampleLines {
		rec, err := records.next()
		if err != nil || values == 0 {
			break // what can be read is shown
		}
		if rec.problem != "" {
			continue
		}
		for i, cell := range rec.cells[min(skipped, len(rec.cells)):min(len(rec.cells), len(first.cells))] {
			if cell = strings.TrimSpace(cell); cell != "" && len(columns[i].Values) < values {
				columns[i].Values = append(columns[i].Values, cell)
			}
		}
	}

	return columns, nil
}
