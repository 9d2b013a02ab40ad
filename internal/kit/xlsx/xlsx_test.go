package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
)

// Values are those that people see, in files as Excel writes them.
func TestRows_readsWhatExcelWrites(t *testing.T) {
	styles := `<numFmts count="3"><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy;@"/>` +
		`<numFmt numFmtId="165" formatCode="0000000000000"/>` +
		`<numFmt numFmtId="166" formatCode="#,##0.00\ &quot;days&quot;[$₽-419]"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/>` +
		`<xf numFmtId="22"/><xf numFmtId="21"/></cellXfs>`
	shared := `<si><t>id</t></si><si><r><t xml:space="preserve">Rich </t></r><r><rPr/><t>text</t></r>` +
		`<rPh sb="0" eb="1"><t>no</t></rPh></si><si><t>a_x000D_` + "\n" + `b &amp; c</t></si><si><t/></si>`
	cells := []struct{ cell, want string }{
		{`<c r="A2" t="s"><v>1</v></c>`, "Rich text"},
		{`<c r="A2" t="s"><v>2</v></c>`, "a\nb & c"},
		{`<c r="A2"><v>1.1000000000000001</v></c>`, "1.1"},
		{`<c r="A2"><v>23.987999999999996</v></c>`, "23.988"},
		{`<c r="A2"><v>0.30000000000000004</v></c>`, "0.3"},
		{`<c r="A2"><v>4601234567890</v></c>`, "4601234567890"},
		{`<c r="A2"><v>4.60123456789E+12</v></c>`, "4601234567890"},
		{`<c r="A2"><v>1E-4</v></c>`, "0.0001"},
		{`<c r="A2"><v>-0.5</v></c>`, "-0.5"},
		{`<c r="A2" s="3"><v>123456789012</v></c>`, "0123456789012"},
		{`<c r="A2" s="4"><v>1234.5</v></c>`, "1234.5"},
		{`<c r="A2" s="1"><v>45292</v></c>`, "2024-01-01"},
		{`<c r="A2" s="2"><v>45292</v></c>`, "2024-01-01"},
		{`<c r="A2" s="5"><v>45292.75</v></c>`, "2024-01-01T18:00:00"},
		{`<c r="A2" s="6"><v>0.5</v></c>`, "12:00:00"},
		{`<c r="A2" s="1"><v>1</v></c>`, "1900-01-01"},
		{`<c r="A2" s="1"><v>61</v></c>`, "1900-03-01"},
		{`<c r="A2" t="b"><v>1</v></c>`, "true"},
		{`<c r="A2" t="e"><v>#N/A</v></c>`, "#N/A"},
		{`<c r="A2" t="str"><f>A1&amp;"x"</f><v>idx</v></c>`, "idx"},
		{`<c r="A2"><f>1+1</f><v>2</v></c>`, "2"},
		{`<c r="A2"><f>B2*2</f></c>`, "=B2*2"},
		{`<c r="A2" t="inlineStr"><is><t>in &lt;line</t></is></c>`, "in <line"},
		{`<c r="A2" t="d"><v>2024-05-06</v></c>`, "2024-05-06"},
	}

	for _, c := range cells {
		sheet := `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2">` + c.cell + `</row></sheetData>`
		rows, err := read(t, excelFile(t, sheet, shared, styles), "")
		if err != nil || len(rows) != 2 || rows[1].Cells[0] != c.want {
			t.Errorf("%s is %v, %v; want %q", c.cell, rows, err, c.want)
		}
	}
}

// Rows keep their numbers, cells their columns. Empty rows and cells at the end of a row are left out.
func TestRows_keepsPlaces(t *testing.T) {
	sheet := `<sheetData><row r="2"><c r="B2"><v>1</v></c><c r="AB2" t="inlineStr"><is><t>x</t></is></c>` +
		`<c r="AC2"/></row><row r="5"><c r="A5" t="s"><v>0</v></c></row>` +
		`<row r="9"><c r="A9"><v>7</v></c></row></sheetData>`
	rows, err := read(t, excelFile(t, sheet, `<si><t> </t></si>`, ""), "прайс")
	want := []Row{{2, append(append([]string{"", "1"}, make([]string, 25)...), "x")}, {9, []string{"7"}}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if rows, err := read(t, excelFile(t, sheet, "", ""), "Hidden"); err != nil || len(rows) != 1 {
		t.Errorf("the hidden sheet has %v, %v", rows, err)
	}
	_, err = read(t, excelFile(t, sheet, "", ""), "Other")
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "unknown_sheet" {
		t.Errorf("another sheet: %v", err)
	}
}

func TestRows_readsWhat1CWrites(t *testing.T) {
	sheet := `<x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="inlineStr"><x:is><x:t>Цена</x:t></x:is>` +
		`</x:c></x:row><x:row><x:c t="inlineStr"><x:is><x:t>007</x:t></x:is></x:c><x:c t="n"><x:v>12.50</x:v></x:c>` +
		`</x:row></x:sheetData>`
	rows, err := read(t, oneCFile(t, sheet), "")
	if diff := cmp.Diff([]Row{{1, []string{"Артикул", "Цена"}}, {2, []string{"007", "12.5"}}}, rows); diff != "" ||
		err != nil {
		t.Error(diff, err)
	}
}

// Of cells merged over rows each row has the value; of those merged over columns, only the first.
func TestRows_fillsMergedRows(t *testing.T) {
	sheet := `<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>7</v></c>` +
		`<c r="B2"><v>8</v></c></row><row r="3"><c r="A3"/><c r="B3"><v>9</v></c></row><row r="4">` +
		`<c r="B4"><v>10</v></c></row></sheetData>` +
		`<mergeCells count="2"><mergeCell ref="A2:A3"/><mergeCell ref="B4:D4"/></mergeCells>`
	rows, err := read(t, excelFile(t, sheet, "", ""), "")
	want := []Row{{1, []string{"1"}}, {2, []string{"7", "8"}}, {3, []string{"7", "9"}}, {4, []string{"", "10"}}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Error(diff, err)
	}

	// The list of merged cells may be cut anywhere between two pieces of the part.
	for _, padding := range []int{0, 1, 50, 99, 100, 101, 150} {
		long := sheet[:strings.Index(sheet, "</sheetData>")] +
			strings.Repeat(" ", 256<<10-strings.Index(sheet, `<mergeCell ref`)-padding) +
			sheet[strings.Index(sheet, "</sheetData>"):]
		rows, err := read(t, excelFile(t, long, "", ""), "")
		if diff := cmp.Diff(want, rows); diff != "" || err != nil {
			t.Error(padding, diff, err)
		}
	}
}

// What cannot be read is refused with a reason.
func TestOpen_refusesWithReason(t *testing.T) {
	good := excelFile(t, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`, "", "")
	old := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 5000)...)
	encrypted := append(append([]byte(nil), old...), encryptedMark...)
	cut := excelFile(t, `<sheetData><row r="1"><c r="A1"><v>1</v>`, "", "")
	many := make([][2]string, 30_000)
	for i := range many {
		many[i] = [2]string{fmt.Sprintf("part-with-a-long-name-%060d.xml", i), ""}
	}

	for name, c := range map[string]struct {
		file []byte
		code string
	}{
		"old":         {old, "old_workbook"},
		"encrypted":   {encrypted, "encrypted_workbook"},
		"cut":         {good[:len(good)/2], "broken_workbook"},
		"cut XML":     {cut, "broken_workbook"},
		"another ZIP": {archive(t, [2]string{"readme.txt", "x"}), "no_workbook"},
		"text":        {[]byte("id;name"), "no_workbook"},
		"many parts":  {archive(t, many...), "workbook_too_large"},
		"no such text": {excelFile(t, `<sheetData><row><c t="s"><v>9</v></c></row></sheetData>`, "", ""),
			"broken_workbook"},
		"rows backward": {excelFile(t, `<sheetData><row r="2"/><row r="1"/></sheetData>`, "", ""), "broken_workbook"},
		"entities": {excelFile(t, `<!DOCTYPE x [<!ENTITY a "aaaa">]><sheetData><row><c t="str"><v>&a;</v></c></row>`+
			`</sheetData>`, "", ""), "broken_workbook"},
		"long cell": {excelFile(t, `<sheetData><row><c t="str"><v>`+strings.Repeat("a", maxTokenBytes)+
			`</v></c></row></sheetData>`, "", ""), "workbook_too_large"},
		"far column": {excelFile(t, `<sheetData><row><c r="ZZZ1"><v>1</v></c></row></sheetData>`, "", ""),
			"workbook_too_large"},
		"amplified": {excelFile(t, `<sheetData><row>`+strings.Repeat(`<c t="s"><v>0</v></c>`, 9)+`</row></sheetData>`,
			"<si><t>"+strings.Repeat("a", 1<<20)+"</t></si>", ""), "workbook_too_large"},
	} {
		_, err := read(t, c.file, "")
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Code != c.code || fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.TooLarge {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// The shared strings in memory are bounded.
func TestRows_boundsSharedStrings(t *testing.T) {
	file := excelFile(t, `<sheetData/>`, strings.Repeat("<si><t>"+strings.Repeat("a", 100)+"</t></si>", 20), "")
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f.sharedLimit = 2000
	for _, err := range f.Rows("") {
		if fault.KindOf(err) != fault.TooLarge {
			t.Errorf("it is read: %v", err)
		}
		return
	}
	t.Error("nothing was refused")
}

// A part that is longer than the archive says is not unpacked further than its bound.
func TestPart_isBounded(t *testing.T) {
	p := &partReader{in: struct {
		*strings.Reader
		closer
	}{strings.NewReader("0123456789"), closer{}}, left: 5}
	buf := make([]byte, 4)
	if n, err := p.Read(buf); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := p.Read(buf); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("the rest: %v", err)
	}
}

type closer struct{}

func (closer) Close() error { return nil }

// What is written is read back unchanged, and texts that look like formulas stay texts.
func TestWriter_isReadAgain(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, `a/b [c]`, 10, 20)
	if err != nil {
		t.Fatal(err)
	}
	header := []string{"id", "name"}
	texts := []string{"007", "=1+1", "-5", "+79990000000", "@x", "<a> & \"b\"", "line\nbreak", " x ", "_x000D_", "1.10",
		"4601234567890", "12.5", "-0.25", "1e5", "Ж😀"}
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i] = Auto(text)
	}
	err = errors.Join(w.Row(Text("id"), Text("name")), w.Row(), w.Row(cells...),
		w.Row(Number("12345678901234567"), Number("1.50"), Text("\x01x")), w.Close())
	if err != nil {
		t.Fatal(err)
	}

	rows, err := read(t, b.Bytes(), "a b  c")
	want := []Row{{1, header}, {3, texts}, {4, []string{"12345678901234567", "1.5", "x"}}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for text, isNumber := range map[string]bool{"=1+1": false, "-5": true, "007": false, "12.5": true, "1.10": false,
		"4601234567890": false, "": false, "Inf": false, "0x10": false} {
		if got := Auto(text).IsNumber; got != isNumber {
			t.Errorf("%q is a number: %t", text, got)
		}
	}
}

// FuzzOpen: no file makes the reader panic, and every error that is not about reading is a fault.
func FuzzOpen(f *testing.F) {
	f.Add(excelFile(f, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`, "<si><t>x</t></si>", ""))
	f.Add(oneCFile(f, `<x:sheetData><x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData>`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := read(t, file, ""); err != nil && fault.KindOf(err) == fault.Internal {
			t.Error(err)
		}
	})
}
