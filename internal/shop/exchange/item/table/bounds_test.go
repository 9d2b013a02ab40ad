package table

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
)

// readAll returns the bytes of all items of a table of products, and the error that ends it.
func readAll(text string, maxItemBytes int) (bytes int, err error) {
	rows, err := NewReader(bufio.NewReaderSize(strings.NewReader(text), 64<<10), "products", maxItemBytes)
	for err == nil {
		var one Item
		one, err = rows.Next()
		bytes += len(one.Body) + len(one.Reject)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes, err
}

func wantFault(t *testing.T, what string, err error, code string) {
	t.Helper()
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != code {
		t.Errorf("%s: %v, want the fault %s", what, err, code)
	}
}

func TestReader_boundsItemThatIsLongerThanItsLines(t *testing.T) {
	header := "id,variant_id"
	for i := range 500 {
		header += ",option:" + strings.Repeat("x", 200) + string(rune('0'+i%10)) + string(rune('0'+i/10%10)) +
			string(rune('0'+i/100))
	}
	row := "a,%" + strings.Repeat(",1", 500) + "\n"
	_, err := readAll(header+"\n"+strings.Repeat(row, 100), 1<<20) // 100 kB of lines are 12 MB of JSON
	wantFault(t, "parts", err, "item_too_long")

	_, err = readAll("id,feature:"+strings.Repeat("f", 250)+"\na,"+strings.Repeat("1|", 10_000)+"\n", 1<<20)
	wantFault(t, "values of a cell", err, "item_too_long")

	if n, err := readAll(header+"\n"+strings.Repeat(row, 4), 1<<20); err != nil || n == 0 {
		t.Errorf("a short item: %d bytes, %v", n, err)
	}
}

func TestReader_boundsColumns(t *testing.T) {
	_, err := readAll("id"+strings.Repeat(",", maxColumns)+"\n", 1<<20)
	wantFault(t, "columns", err, "too_many_columns")

	_, err = readAll("id,feature:"+strings.Repeat("ж", 256)+"\na,1\n", 1<<20)
	wantFault(t, "id of a column", err, "too_long")

	if _, err := readAll("id"+strings.Repeat(",", maxColumns-1)+"\na\n", 1<<20); err != nil {
		t.Errorf("%d columns: %v", maxColumns, err)
	}
}

func TestReader_keepsFewCellsOfLongRecord(t *testing.T) {
	rows, err := NewReader(bufio.NewReaderSize(strings.NewReader("id,name\na"+strings.Repeat(",", 1<<20)+"\n"), 64<<10),
		"products", 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := rows.records.next()
	if err != nil || len(rec.cells) != 3 || rec.count != 1<<20+1 {
		t.Errorf("%d of %d cells are kept, %v; want 3 of %d", len(rec.cells), rec.count, err, 1<<20+1)
	}
}

func TestReader_familyBeginsAtItsFirstColumnWithID(t *testing.T) {
	rows, err := NewReader(bufio.NewReaderSize(strings.NewReader("id,feature:,feature:f\na,,1\n"), 64<<10), "products",
		8<<20)
	if err != nil {
		t.Fatal(err)
	}
	one, err := rows.Next()
	if want := `{"id":"a","features":[{"id":"f","value_id":"1"}]}`; err != nil || string(one.Body) != want {
		t.Errorf("%s, %v; want %s", one.Body, err, want)
	}
}

// Each line opens a quote that no later line closes, so each would be read to the end of the file.
func TestReader_refusesFileWithVeryManyOpenQuotes(t *testing.T) {
	_, err := readAll("id,name\n"+strings.Repeat("a\",\"b\n", 20_000), 1<<20)
	wantFault(t, "open quotes", err, "broken_file")

	if _, err := readAll("id,name\n"+strings.Repeat("a\",\"b\n", 50), 1<<20); err != nil {
		t.Errorf("a few open quotes: %v", err)
	}
}
