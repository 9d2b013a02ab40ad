package xlsx

import (
	"archive/zip"
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cell is a cell to be written.
type Cell struct {
	Text string
	// IsNumber says that Text is a decimal number, such as -12.50.
	IsNumber bool
}

// Text returns a cell with a text. Programs never take it for a formula.
func Text(text string) Cell { return Cell{Text: text} }

// Number returns a cell with a decimal number. A number with more than 15 digits, which programs would round, is a
// text.
func Number(text string) Cell {
	return Cell{Text: text, IsNumber: isExact(text)}
}

// Auto returns a cell with a number if the text is one that reading the cell returns unchanged, and with a text
// otherwise: an article such as 007 and a barcode stay as they are.
func Auto(text string) Cell {
	if n, err := strconv.ParseFloat(text, 64); err != nil || strconv.FormatFloat(n, 'f', -1, 64) != text ||
		len(text) > 11 && isWhole(text) {
		return Text(text)
	}
	return Number(text)
}

// isExact reports whether a text is a decimal number of at most 15 digits.
func isExact(text string) bool {
	digits := 0
	for i, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '-' && i == 0, c == '.' && i > 0:
		default:
			return false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && digits > 0 && digits <= 15 && !math.IsInf(n, 0)
}

// Writer writes a file with one sheet, row by row. It holds one row in memory.
type Writer struct {
	archive *zip.Writer
	sheet   *bufio.Writer
	row     int
}

const xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

const (
	mainNamespace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationNamespace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageNamespace  = "http://schemas.openxmlformats.org/package/2006/"
	contentType       = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// MediaType is the media type of files.
const MediaType = contentType + "sheet"

// NewWriter writes the beginning of a file with a sheet of the name. The first row is bold and stays in sight. widths
// are those of the columns, in characters; further columns have that of the last one.
func NewWriter(out io.Writer, sheet string, widths ...int) (*Writer, error) {
	w := &Writer{archive: zip.NewWriter(out)}
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="` + packageNamespace + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + contentType + `sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + contentType + `worksheet+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + contentType + `styles+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packageNamespace + `relationships"><Relationship Id="rId1" Type="` +
			relationNamespace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + mainNamespace + `" xmlns:r="` + relationNamespace + `"><sheets>` +
			`<sheet name="` + escape(sheetName(sheet)) + `" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packageNamespace + `relationships">` +
			`<Relationship Id="rId1" Type="` + relationNamespace + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relationNamespace + `/styles" Target="styles.xml"/></Relationships>`},
		{"xl/styles.xml", `<styleSheet xmlns="` + mainNamespace + `">` +
			`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
			`<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
			`<fills count="2"><fill><patternFill patternType="none"/></fill>` +
			`<fill><patternFill patternType="gray125"/></fill></fills>` +
			`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
			`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
			`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
			`<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/>` +
			`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
			`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
	} {
		entry, err := w.archive.Create(part[0])
		if err == nil {
			_, err = io.WriteString(entry, xmlHeader+part[1])
		}
		if err != nil {
			return nil, err
		}
	}

	entry, err := w.archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, err
	}
	w.sheet = bufio.NewWriterSize(entry, 32<<10)
	_, err = w.sheet.WriteString(xmlHeader + `<worksheet xmlns="` + mainNamespace + `"><sheetViews>` +
		`<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>` +
		`</sheetView></sheetViews>` + columnWidths(widths) + `<sheetData>`)
	return w, err
}

func columnWidths(widths []int) string {
	if len(widths) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<cols>")
	for i, width := range widths {
		last := i + 1
		if i == len(widths)-1 {
			last = maxColumns
		}
		b.WriteString(`<col min="` + strconv.Itoa(i+1) + `" max="` + strconv.Itoa(last) + `" width="` +
			strconv.Itoa(width) + `" customWidth="1"/>`)
	}
	b.WriteString("</cols>")
	return b.String()
}

// Row writes a row. The first one has the names of the columns.
func (w *Writer) Row(cells ...Cell) error {
	w.row++
	number := strconv.Itoa(w.row)
	style := "2"
	if w.row == 1 {
		style = "1"
	}

	var b []byte
	b = append(append(append(b, `<row r="`...), number...), `">`...)
	for i, cell := range cells {
		if cell.Text == "" {
			continue
		}
		b = append(append(append(append(b, `<c r="`...), columnName(i)...), number...), '"')
		if cell.IsNumber {
			b = append(append(append(b, `><v>`...), cell.Text...), `</v></c>`...)
			continue
		}
		b = append(append(append(b, ` s="`...), style...), `" t="inlineStr"><is><t xml:space="preserve">`...)
		b = append(append(b, escape(cell.Text)...), `</t></is></c>`...)
	}
	b = append(b, `</row>`...)

	_, err := w.sheet.Write(b)
	return err
}

// Close writes the end of the file. It does not close what the file is written to.
func (w *Writer) Close() error {
	if _, err := w.sheet.WriteString(`</sheetData></worksheet>`); err != nil {
		return err
	}
	if err := w.sheet.Flush(); err != nil {
		return err
	}
	return w.archive.Close()
}

// columnName returns the name of a column, such as AB.
func columnName(index int) string {
	name := ""
	for index++; index > 0; index = (index - 1) / 26 {
		name = string(rune('A'+(index-1)%26)) + name
	}
	return name
}

// sheetName returns a name that Excel allows.
func sheetName(name string) string {
	name = strings.Map(func(c rune) rune {
		if strings.ContainsRune(`[]:*?/\`, c) {
			return ' '
		}
		return c
	}, name)
	if runes := []rune(name); len(runes) > 31 {
		name = string(runes[:31])
	}
	if name = strings.Trim(name, " '"); name == "" {
		return "1"
	}
	return name
}

// maxCellRunes is the longest text that Excel opens.
const maxCellRunes = 32767

// escape returns a text as XML has it, without the characters that it cannot have.
func escape(text string) string {
	if utf8.RuneCountInString(text) > maxCellRunes {
		text = string([]rune(text)[:maxCellRunes])
	}
	// A text such as _x000D_ would be read as the character.
	text = escapedRune.ReplaceAllStringFunc(text, func(s string) string { return "_x005F" + s })
	return xmlEscaper.Replace(strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0xFFFE || c == 0xFFFF {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD")))
}

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
