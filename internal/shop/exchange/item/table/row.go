package table

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/xlsx"
)

// AppendRow appends the row of a workbook with the cells as a line, without a line end. The lines of a table are those
// of its sheet: an empty row is an empty line.
func AppendRow(b []byte, cells []string) []byte {
	b = append(b, '[')
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(cell, "\uFFFD"))
	}
	return append(b, ']')
}

// parseRow returns the cells of a line that AppendRow has written.
func parseRow(line string) (cells []string, err error) {
	err = json.Unmarshal([]byte(line), &cells)
	return cells, err
}

// nextRow is next for rows.
func (r *recordReader) nextRow() (record, error) {
	for {
		text, tooLong, err := readLine(r.in, maxRecordBytes)
		if err != nil {
			return record{}, err
		}

		r.line++
		if tooLong {
			return record{line: r.line, problem: tooLongProblem}, nil
		}

		cells, err := parseRow(string(text))
		if len(text) > 0 && err != nil {
			return record{}, fmt.Errorf("row %d: %w", r.line, err)
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			continue
		}

		rec := record{line: r.line, raw: string(text)}
		for len(cells) > r.width && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1]
		}
		for len(cells) < r.width {
			cells = append(cells, "")
		}
		rec.count = len(cells)
		rec.cells = cells[:min(len(cells), r.maxCells)]
		return rec, nil
	}
}

// skipRowCells returns a row without its first n cells.
func skipRowCells(line string, n int) string {
	if n == 0 {
		return line
	}
	cells, err := parseRow(line)
	if err != nil {
		return line
	}
	return string(AppendRow(nil, cells[min(n, len(cells)):]))
}

// FailedWorkbook writes the failed lines of a workbook as one: its columns, after the number of the row and what is
// wrong with it.
type FailedWorkbook struct {
	out       *xlsx.Writer
	translate func(message string) string
}

// NewFailedWorkbook writes the beginning of a workbook with the columns of a layout. The function translate returns a
// message in the language of the reader.
func NewFailedWorkbook(out io.Writer, layout Layout, translate func(string) string) (*FailedWorkbook, error) {
	w, err := xlsx.NewWriter(out, errorColumn, 8, 60, 20)
	if err != nil {
		return nil, err
	}
	cells := []xlsx.Cell{xlsx.Text(lineColumn), xlsx.Text(errorColumn)}
	for _, name := range layout.Columns {
		cells = append(cells, xlsx.Text(name))
	}
	return &FailedWorkbook{w, translate}, w.Row(cells...)
}

// Item writes the rows of an item.
func (w *FailedWorkbook) Item(it FailedItem) error {
	for i, line := range it.Lines {
		values, err := parseRow(line.Text)
		if err != nil {
			return err
		}
		cells := []xlsx.Cell{xlsx.Number(strconv.FormatInt(line.Number, 10)),
			xlsx.Text(problemsOf(w.translate, line.Number, i == 0, it.Problems))}
		for _, value := range values {
			cells = append(cells, xlsx.Auto(value))
		}
		if err := w.out.Row(cells...); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the end of the workbook.
func (w *FailedWorkbook) Close() error { return w.out.Close() }
