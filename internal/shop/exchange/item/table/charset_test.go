package table

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/wire"
)

// windows1251 returns a text in Windows-1251.
func windows1251(t *testing.T, text string) string {
	t.Helper()
	encoded, err := charmap.Windows1251.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// newReader returns a reader of a table of products.
func newReader(t *testing.T, text string) *Reader {
	t.Helper()
	rows, err := NewReader(bufio.NewReaderSize(strings.NewReader(text), 64<<10), "products", 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// items returns the bodies of the items, or what is wrong with them.
func items(t *testing.T, rows *Reader) (list []string) {
	t.Helper()
	for {
		it, err := rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		case it.Issue != nil:
			list = append(list, it.Issue.Message)
		default:
			list = append(list, string(it.Body))
		}
	}
}

// Excel saves CSV in Windows-1251 on a Russian system. The first letters may come late in a long file.
func TestReader_readsWindows1251(t *testing.T) {
	long := strings.Repeat("1,plain\n", 20_000)
	for name, text := range map[string]string{
		"at the beginning": "id,name\n7,Стол «Дуб» № 5 — раскладной\n8,Стул\n",
		"late":             "id,name\n" + long + "7,Стол «Дуб» № 5 — раскладной\n8,Стул\n",
	} {
		rows := newReader(t, windows1251(t, text))
		got := items(t, rows)
		want := []string{`{"id":"7","name":"Стол «Дуб» № 5 — раскладной"}`, `{"id":"8","name":"Стул"}`}
		if diff := cmp.Diff(want, got[len(got)-2:]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if rows.Charset() != wire.Windows1251 {
			t.Errorf("%s: the character set is %q", name, rows.Charset())
		}
	}
}

// A line that is broken in a file in UTF-8 does not change how the others are read.
func TestReader_readsUTF8WithBrokenLine(t *testing.T) {
	rows := newReader(t, "id,name\n1,"+windows1251(t, "Стол")+"\n2,Стул\n3,Шкаф\n")
	want := []string{"it looks like Windows-1251, not UTF-8; save the file as UTF-8.", `{"id":"2","name":"Стул"}`,
		`{"id":"3","name":"Шкаф"}`}
	if diff := cmp.Diff(want, items(t, rows)); diff != "" || rows.Charset() != "" {
		t.Errorf("%s, character set %q", diff, rows.Charset())
	}
}

// What is in another character set is refused, as it was.
func TestReader_refusesOtherCharsets(t *testing.T) {
	encoded, err := charmap.CodePage866.NewEncoder().String("id,name\n1,Стол раскладной\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := items(t, newReader(t, encoded)); len(got) != 1 || !strings.Contains(got[0], "CP866, not UTF-8") {
		t.Errorf("the items are %q", got)
	}
}

func TestReader_suggestsColumns(t *testing.T) {
	rows := newReader(t, "id,categorys,categorie,Variant ID,features:size,option,price_,xyz,variant_price\n")
	got := map[string]string{}
	for _, c := range rows.Ignored() {
		got[c.Name] = ""
		if c.DidYouMean != nil {
			got[c.Name] = *c.DidYouMean
		}
	}
	want := map[string]string{"categorys": "categories", "categorie": "categories", "variant id": "variant_id",
		"features:size": "feature:size", "option": "option:ID", "price_": "price", "xyz": "", "variant_price": "price"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
