package table

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/xlsx"
)

// workbook returns a file with the rows; a row without cells is empty.
func workbook(t *testing.T, rows ...[]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := xlsx.NewWriter(&b, "Sheet")
	if err != nil {
		t.Fatal(err)
	}

	for _, row := range rows {
		cells := make([]xlsx.Cell, len(row))
		for i, cell := range row {
			cells[i] = xlsx.Auto(cell)
		}
		if err := w.Row(cells...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func workbookReader(t *testing.T, file []byte) *Reader {
	t.Helper()
	opened, err := xlsx.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	sheet := NewSheet(opened, "")
	t.Cleanup(func() { _ = sheet.Close() })
	rows, err := NewRowReader(bufio.NewReaderSize(sheet, 64<<10), "products", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The rows of a workbook are lines with the numbers of the sheet, whatever line breaks their cells have. Its failed
// rows come back as a workbook, which can be corrected and read again.
func TestRowReader_failedRowsAreReadAgain(t *testing.T) {
	rows := workbookReader(t, workbook(t, []string{"id", "name", "price", "note"}, []string{"007", "a\nb", "1.5", ""},
		nil, []string{"8", `X "y"`, "ten"}, []string{"9", "Z", "1,50", "", "", "more"}))
	first, err := rows.Next()
	if err != nil || string(first.Body) != `{"id":"007","name":"a\nb","single_variant":true,"variant_price":1.5}` {
		t.Fatalf("the first item is %s, %v", first.Body, err)
	}

	var b bytes.Buffer
	w, err := NewFailedWorkbook(&b, rows.Layout(), strings.ToUpper)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []int64{4, 5} {
		failed, err := rows.Next()
		if err != nil || failed.Issue == nil || failed.Issue.Line != line {
			t.Fatalf("the item of line %d is %+v, %v", line, failed, err)
		}
		problem := Problem{Line: failed.Issue.Line, Column: failed.Issue.Field, Message: failed.Issue.Message}
		if err := w.Item(FailedItem{failed.Lines, []Problem{problem}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := rows.Next(); err != io.EOF { //nolint:errorlint // the contract of Next
		t.Errorf("after the last item: %v", err)
	}

	opened, err := xlsx.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var cells [][]string
	for row, err := range opened.Rows("") {
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, append([]string(nil), row.Cells...))
	}
	want := [][]string{
		{"line", "error", "id", "name", "price", "note"},
		{"4", `price: PRICE MUST BE A NUMBER SUCH AS 12.50 OR 12,50; "TEN" IS NOT.`, "8", `X "y"`, "ten"},
		{"5", "IT HAS 6 CELLS, BUT THE FIRST LINE HAS 4.", "9", "Z", "1,50", "", "", "more"},
	}
	if diff := cmp.Diff(want, cells); diff != "" {
		t.Error(diff)
	}

	again := workbookReader(t, b.Bytes())
	it, err := again.Next()
	if err != nil || it.Issue == nil || it.Issue.Line != 2 || it.Lines[0].Text != `["8","X \"y\"","ten"]` {
		t.Errorf("the corrected file has %+v, %v", it, err)
	}
	layout := Layout{Format: Workbook, Columns: []string{"id", "name", "price", "note"}}
	if diff := cmp.Diff(layout, again.Layout()); diff != "" {
		t.Error(diff)
	}
}
