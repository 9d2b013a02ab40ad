package xlsx

import (
	"archive/zip"
	"bytes"
	"testing"
)

// archive returns a ZIP archive with the parts, in their order.
func archive(t testing.TB, parts ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range parts {
		entry, err := w.Create(part[0])
		if err == nil {
			_, err = entry.Write([]byte(part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// excelFile returns a file as Excel writes it: with shared strings, references of cells and styles.
func excelFile(t testing.TB, sheet, shared, styles string) []byte {
	t.Helper()

	return archive(t,
		[2]string{"[Content_Types].xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Types/>`},
		[2]string{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/` +
			`relationships"><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/package/2006/` +
			`relationships/metadata/` +
			`core-properties" Target="docProps/core.xml"/><Relationship Id="rId1" Type="http://schemas.` +
			`openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>` +
			`</Relationships>`},
		[2]string{"xl/workbook.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` +
			`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
			`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr/><sheets>` +
			`<sheet name="Hidden" sheetId="1" state="hidden" r:id="rId1"/>` +
			`<sheet name="Прайс" sheetId="2" r:id="rId2"/></sheets></workbook>`},
		[2]string{"xl/_rels/workbook.xml.rels", `<Relationships>` +
			`<Relationship Id="rId1" Type="http://x/relationships/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="http://x/relationships/worksheet" Target="worksheets/sheet2.xml"/>` +
			`<Relationship Id="rId3" Type="http://x/relationships/styles" Target="styles.xml"/>` +
			`<Relationship Id="rId4" Type="http://x/relationships/sharedStrings" Target="sharedStrings.xml"/>` +
			`</Relationships>`},
		[2]string{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row>` +
			`</sheetData></worksheet>`},
		[2]string{"xl/worksheets/sheet2.xml", `<worksheet xmlns="x"><dimension ref="A1:C3"/>` + sheet + `</worksheet>`},
		[2]string{"xl/styles.xml", `<styleSheet>` + styles + `</styleSheet>`},
		[2]string{"xl/sharedStrings.xml", `<sst count="9" uniqueCount="9">` + shared + `</sst>`})
}

// oneCFile returns a file as 1C and other programs write it: with inline strings, other cases and slashes in the names
// of parts, absolute targets, prefixes of namespaces, and cells without references.
func oneCFile(t testing.TB, sheet string) []byte {
	t.Helper()
	return archive(t,
		[2]string{`_rels\.rels`, `<Relationships><Relationship Id="r" Type="x/officeDocument" ` +
			`Target="/xl/Workbook.xml"/></Relationships>`},
		[2]string{`xl\workbook.xml`, `<x:workbook xmlns:x="m" xmlns:rel="r"><x:sheets>` +
			`<x:sheet name="TDSheet" sheetId="1" rel:id="a"/></x:sheets></x:workbook>`},
		[2]string{`xl\_rels\workbook.xml.rels`, `<Relationships>` +
			`<Relationship Id="a" Type="x/worksheet" Target="/xl/worksheets/Sheet1.xml"/>` +
			`<Relationship Id="b" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`},
		[2]string{`xl\SharedStrings.xml`, `<x:sst><x:si><x:t>Артикул</x:t></x:si></x:sst>`},
		[2]string{`xl\worksheets\sheet1.xml`, `<x:worksheet xmlns:x="m">` + sheet + `</x:worksheet>`})
}

func read(t *testing.T, file []byte, sheet string) (rows []Row, err error) {
	t.Helper()
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	for row, err := range f.Rows(sheet) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, Row{row.Number, append([]string(nil), row.Cells...)})
	}
	return rows, nil
}
