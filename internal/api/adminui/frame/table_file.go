package frame

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange/item/table"
)

// TableFormat is the format of a TableFile.
type TableFormat string

// The formats, which are also the endings of the files.
const (
	CSV  TableFormat = "csv"
	XLSX TableFormat = "xlsx"
)

// ParseTableFormat returns the format with the name, or fault.Malformed.
func ParseTableFormat(name string) (TableFormat, error) {
	if f := TableFormat(name); f == CSV || f == XLSX {
		return f, nil
	}
	return "", fault.New(fault.Malformed, "malformed_form", "Choose CSV or XLSX.")
}

// byteOrderMark makes spreadsheet programs read the file as UTF-8.
const byteOrderMark = "\ufeff"

// TableFile writes a table to a response: CSV as the spreadsheet programs of a language read it, or XLSX. It holds a
// row in memory.
type TableFile struct {
	out    *httpapi.Response
	format TableFormat
	point  string // the decimal point in texts and in CSV
	comma  rune
	book   *xlsx.Writer
	line   bytes.Buffer
}

// NewTableFile returns a file whose sheet, if it has one, has the given name.
func NewTableFile(out *httpapi.Response, l *Language, format TableFormat, sheet string) (t *TableFile, err error) {
	t = &TableFile{out: out, format: format, point: ".", comma: ','}
	if l.DecimalComma() {
		t.point, t.comma = ",", ';'
	}

	if format == XLSX {
		out.Type = xlsx.MediaType
		t.book, err = xlsx.NewWriter(responseWriter{out}, sheet, 20)
		return t, err
	}

	out.Type = "text/csv; charset=utf-8"
	out.B = append(out.B, byteOrderMark...)
	return t, nil
}

// responseWriter appends what is written to a response.
type responseWriter struct{ out *httpapi.Response }

func (w responseWriter) Write(p []byte) (int, error) {
	w.out.B = append(w.out.B, p...)
	return len(p), w.out.Spill()
}

// Format returns the format.
func (t *TableFile) Format() TableFormat { return t.format }

// Decimal returns a number of units of 10^-decimals as a part of a text.
func (t *TableFile) Decimal(units int64, decimals int) string {
	return t.Localized(string(wire.AppendFixed(nil, units, decimals)))
}

// Localized returns a plain decimal number as a part of a text.
func (t *TableFile) Localized(number string) string { return strings.Replace(number, ".", t.point, 1) }

// Number returns a cell with a number of units of 10^-decimals.
func (t *TableFile) Number(units int64, decimals int) xlsx.Cell {
	return xlsx.Number(string(wire.AppendFixed(nil, units, decimals)))
}

// Row writes a row. The first one has the names of the columns.
func (t *TableFile) Row(cells ...xlsx.Cell) error {
	if t.book != nil {
		return t.book.Row(cells...)
	}

	record := make([]string, len(cells))
	for i, cell := range cells {
		if record[i] = table.Guard(cell.Text); cell.IsNumber {
			record[i] = t.Localized(cell.Text)
		}
	}

	t.line.Reset()
	w := csv.NewWriter(&t.line)
	w.Comma = t.comma
	_ = w.Write(record) // a bytes.Buffer does not fail
	w.Flush()
	t.out.B = append(t.out.B, t.line.Bytes()...)
	return t.out.Spill()
}

// TextRow writes a row of texts.
func (t *TableFile) TextRow(texts ...string) error {
	cells := make([]xlsx.Cell, len(texts))
	for i, text := range texts {
		cells[i] = xlsx.Text(text)
	}
	return t.Row(cells...)
}

// Close writes the end of the file, and the headers of the response that name it.
func (t *TableFile) Close(w http.ResponseWriter, name string) error {
	SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+"."+string(t.format)+`"`)
	if t.book != nil {
		return t.book.Close()
	}
	return nil
}
